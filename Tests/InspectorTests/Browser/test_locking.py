import re
from urllib.parse import urlsplit

from playwright.sync_api import Error, expect

from inspector import TIMEOUT, Inspector
from inspector_test_case import GUARDED_CLIPBOARD, InspectorTestCase
from vault_under_test import MAIL, PASSPHRASE, SECRET


class Locking(InspectorTestCase):
    def start(self, *arguments: str) -> Inspector:
        inspector = Inspector(self.vault.laptop, *arguments)
        self.addCleanup(inspector.end)
        return inspector

    def expect_nothing_secret(self, page):
        while True:
            try:
                page.wait_for_load_state()
                text = page.content()
                break
            except Error as error:
                # The page goes elsewhere at this moment.
                if "navigating" not in error.message:
                    raise
        # The browser's own page about a connection that was refused names the address.
        if page.url.startswith("chrome-error:") or "ERR_CONNECTION_REFUSED" in text:
            return
        # The page to return to.
        text = text.replace(urlsplit(page.url).path, "")
        for secret in (SECRET, "store.example.com", "com.example", "jane", self.vault.team):
            self.assertNotIn(secret, text)

    def show_value(self, page):
        # Without a search: its words are in the address, and so in the history of the browser.
        page.goto(f"/groups/{self.vault.group(MAIL)}")
        self.items(page).get_by_role("link", name="store.example.com").click()
        page.get_by_role("button", name="Show value").click()
        expect(page.locator("#value")).to_have_text(SECRET + "store.example.com")

    def test_lock_ends_the_inspector_and_back_shows_nothing(self):
        inspector = self.start()
        page = self.open(inspector=inspector)
        self.show_value(page)
        self.allow("status 4|ERR_CONNECTION_REFUSED|Failed to fetch|preload assets")
        page.get_by_role("button", name="Lock").click()
        expect(page.get_by_role("heading", level=1)).not_to_have_text("store.example.com")
        self.expect_nothing_secret(page)
        self.expect_accessible(page)
        self.assertEqual(inspector.process.wait(TIMEOUT), 0)
        for _ in range(2):
            try:
                page.go_back(wait_until="commit")
            except Error:
                # Nobody answers any more.
                pass
            self.expect_nothing_secret(page)

    def test_lock_is_answered_although_the_page_sees_the_end_of_its_session_first(self):
        page = self.open(inspector=self.start())
        self.show_value(page)
        self.allow("status 423")
        page.route("**/session", lambda route: route.fulfill(status=423))
        # The answer never comes.
        page.evaluate("""() => {
            addEventListener("submit", (event) => event.preventDefault(), { once: true });
            document.querySelector('form[action="/lock"]').requestSubmit();
        }""")
        expect(page.get_by_role("heading", level=1)).to_have_text("Locked")
        self.expect_nothing_secret(page)
        # The page leaves after a second at the latest, and this ends with it.
        page.evaluate("new Promise((resolve) => setTimeout(resolve, 1500))")
        expect(page.get_by_role("heading", level=1)).to_have_text("Locked")

    def test_the_page_leaves_when_the_vault_is_locked_and_returns_when_it_is_unlocked(self):
        self.allow("status 423")
        inspector = self.start()
        page = self.open(inspector=inspector)
        self.show_value(page)
        address = page.url
        # Nobody touches the page.
        inspector.lock()
        expect(page.get_by_label("Passphrase", exact=True)).to_be_visible()
        self.expect_nothing_secret(page)
        self.expect_accessible(page)
        page.get_by_label("Passphrase", exact=True).fill("wrong")
        page.get_by_role("button", name="Unlock").click()
        expect(page.get_by_role("main")).to_contain_text(re.compile("wrong|not the passphrase", re.I))
        self.expect_nothing_secret(page)
        page.get_by_label("Passphrase", exact=True).fill(PASSPHRASE)
        page.get_by_role("button", name="Unlock").click()
        # Back where the work was interrupted, and the value is hidden.
        self.expect_heading(page, "store.example.com")
        self.assertEqual(page.url, address)
        self.expect_no_value(page)

    def test_a_locked_page_clears_what_was_copied_before_it_leads_to_the_one_that_unlocks(self):
        self.allow("status 423")
        inspector = self.start()
        page = self.open(inspector=inspector)
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.goto(f"/groups/{self.vault.group(MAIL)}")
        self.items(page).get_by_role("link", name="store.example.com").click()
        page.evaluate(GUARDED_CLIPBOARD)
        page.get_by_role("button", name="Copy value").click()
        expect(page.locator("#value-status")).to_contain_text("Copied.")
        page.evaluate("window.isRefused = true")
        inspector.lock()
        expect(page.get_by_text("click here or press a key")).to_be_visible()
        self.expect_nothing_secret(page)
        self.assertEqual(page.evaluate("navigator.clipboard.readText()"), SECRET + "store.example.com")
        page.evaluate("window.isRefused = false")
        page.keyboard.press("Shift")
        expect(page.get_by_label("Passphrase", exact=True)).to_be_visible()
        self.assertEqual(page.evaluate("navigator.clipboard.readText()"), "")

    def test_a_form_that_was_changed_does_not_stop_the_lock(self):
        self.allow("status 423")
        inspector = self.start()
        page = self.open("/items/new", inspector=inspector)
        page.get_by_label("Service").press_sequentially("half")
        inspector.lock()
        page.get_by_label("Passphrase", exact=True).fill(PASSPHRASE)
        page.get_by_role("button", name="Unlock").click()
        self.expect_heading(page, "New item")
        page.get_by_label("Service").press_sequentially("half")
        self.allow("status 4|ERR_CONNECTION_REFUSED|Failed to fetch|preload assets")
        page.get_by_role("button", name="Lock").click()
        self.assertEqual(inspector.process.wait(TIMEOUT), 0)

    def test_a_page_that_nobody_touches_is_locked_after_the_idle_time(self):
        self.allow("status 423")
        inspector = self.start("--idle", "5s", "--ask-in-page")
        page = self.outside(inspector)
        answers = []
        page.on("response", lambda answer: answers.append(answer.status) if answer.url.endswith("/session") else None)
        page.goto(inspector.address)
        field = page.get_by_label("Passphrase", exact=True)
        expect(field).to_be_visible()
        # The page asks whether it may stay, and that is no use. A slow machine may lock before it has asked: then again.
        for _ in range(20):
            field.fill(PASSPHRASE)
            with page.expect_navigation():
                page.get_by_role("button", name="Unlock").click()
            expect(field).to_be_visible()
            self.expect_nothing_secret(page)
            if 204 in answers:
                return
        self.fail(f"the page never asked whether it may stay: {answers}")

    def test_back_shows_nothing_secret_while_locked(self):
        self.allow("status 423")
        inspector = self.start()
        page = self.open(inspector=inspector)
        self.show_value(page)
        inspector.lock()
        expect(page.get_by_label("Passphrase", exact=True)).to_be_visible()
        page.go_back()
        expect(page.get_by_label("Passphrase", exact=True)).to_be_visible()
        self.expect_nothing_secret(page)

    def test_the_page_asks_for_the_passphrase(self):
        self.allow("status 423")
        inspector = self.start("--ask-in-page")
        page = self.outside(inspector)
        page.goto(inspector.address)
        field = page.get_by_label("Passphrase", exact=True)
        expect(field).to_be_visible()
        expect(field).to_have_attribute("type", "password")
        self.expect_nothing_secret(page)
        self.expect_looks(page, "unlock")
        field.fill(PASSPHRASE)
        field.press("Enter")
        self.expect_heading(page, "Overview")
        self.assertNotIn(PASSPHRASE, page.content())

    def test_a_page_without_its_inspector_shows_nothing_secret(self):
        inspector = self.start()
        page = self.open(inspector=inspector)
        self.show_value(page)
        # It locks its pages a moment before it ends: what a page is told depends on when it asks.
        self.allow("status 423|ERR_CONNECTION_REFUSED|Failed to fetch")
        self.assertEqual(inspector.end(), 0)
        expect(page.get_by_text("store.example.com")).to_have_count(0)
        self.expect_nothing_secret(page)
