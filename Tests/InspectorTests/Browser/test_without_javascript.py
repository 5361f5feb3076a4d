import re

from playwright.sync_api import expect

from inspector_test_case import InspectorTestCase
from vault_under_test import ARCHIVE, MAIL, SECRET, SHARED


class WithoutJavaScript(InspectorTestCase):
    def start(self, path: str = "/"):
        return self.open(path, javascript=False)

    def test_every_page_of_the_menu_opens(self):
        page = self.start()
        links = page.get_by_role("navigation", name="Vault").get_by_role("listitem").get_by_role("link")
        addresses = [link.get_attribute("href") for link in links.all()]
        self.assertGreater(len(addresses), 10)
        for address in addresses:
            page.goto(address)
            expect(page.get_by_role("heading", level=1)).to_be_visible()
            self.assertNotIn(SECRET, page.content())

    def test_lists_are_searched_sorted_and_paged(self):
        page = self.start(f"/groups/{self.vault.group(ARCHIVE)}")
        page.get_by_role("link", name="Next").click()
        expect(page).to_have_url(re.compile("page=2"))
        page.get_by_role("searchbox", name="Search", exact=True).fill("account-117")
        page.get_by_label("Sort by").select_option(label="Name, Z to A")
        page.get_by_role("button", name="Apply").click()
        expect(self.items(page)).to_have_count(1)
        expect(page).to_have_url(re.compile("sort=-name"))

    def test_a_value_is_shown_on_a_page_that_is_not_kept(self):
        page = self.open_item("store.example.com", javascript=False)
        self.assertNotIn(SECRET, page.content())
        page.get_by_role("button", name="Show value").click()
        expect(page.get_by_role("main")).to_contain_text(SECRET + "store.example.com")
        self.assertNotIn(SECRET, page.url)
        page.go_back()
        self.assertNotIn(SECRET, page.content())

    def test_an_item_is_edited_moved_deleted_and_restored(self):
        self.vault.set("plain.example.com")
        page = self.open_item("plain.example.com", javascript=False)
        page.get_by_role("link", name="Edit").click()
        page.get_by_label("Label").fill("Without scripts")
        page.get_by_role("button", name="Save changes").click()
        expect(page.get_by_role("main")).to_contain_text("Without scripts")
        page.get_by_role("link", name="Move").click()
        page.get_by_label("Group").select_option(value=self.vault.group(SHARED))
        page.get_by_role("button", name="Move item").click()
        expect(page.get_by_role("main")).to_contain_text(self.vault.group(SHARED))
        page.get_by_role("link", name="Delete").click()
        page.get_by_role("button", name="Delete item").click()
        page.get_by_role("button", name="Undo").click()
        value = self.vault.laptop.coffer("get", "plain.example.com", "jane", "--app", MAIL)
        self.assertEqual(value, SECRET + "plain.example.com")

    def test_a_conflict_is_settled(self):
        page = self.start("/conflicts")
        page.get_by_role("link", name="no-script.example.com").first.click()
        page.get_by_role("button", name="Keep this version").first.click()
        page.goto("/conflicts")
        expect(page.get_by_role("main")).not_to_contain_text("no-script.example.com")

    def test_a_sync_runs(self):
        page = self.start("/sync")
        page.get_by_role("button", name="Sync now").click()
        expect(page.get_by_role("main")).to_contain_text(re.compile("sync", re.I))

    def test_the_entry_says_that_it_needs_a_script(self):
        self.allow("status 40[13] of GET")
        context = self.suite.browser.new_context(java_script_enabled=False, base_url=self.origin)
        self.contexts.append(context)
        page = self.watch(context, self.origin)
        page.goto("/")
        expect(page.get_by_role("main")).to_contain_text("JavaScript")
