import re

from playwright.sync_api import expect

from inspector import Inspector
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
        self.open_filter(page)
        page.get_by_label("Sort by").select_option(label="Name, Z to A")
        page.get_by_role("button", name="Apply").click()
        expect(self.items(page)).to_have_count(1)
        expect(page).to_have_url(re.compile("sort=-name"))

    def test_the_page_of_an_item_says_where_its_value_is_shown(self):
        page = self.open_item("store.example.com", javascript=False)
        self.assertNotIn(SECRET, page.content())
        expect(page.get_by_role("button", name="Show value")).to_be_hidden()
        words = page.locator("main noscript").inner_text()
        self.assertIn("needs JavaScript", words)
        self.assertIn("coffer get", words)

    def test_an_item_is_edited_moved_deleted_and_restored(self):
        self.vault.set("plain.example.com")
        page = self.open_item("plain.example.com", javascript=False)
        page.get_by_role("link", name="Edit", exact=True).click()
        page.get_by_label("Label").fill("Without scripts")
        page.get_by_role("button", name="Save changes").click()
        expect(page.get_by_role("main")).to_contain_text("Without scripts")
        page.get_by_role("link", name="Move", exact=True).click()
        self.group_choice(page).select_option(value=self.vault.group(SHARED))
        page.get_by_role("button", name="Move item").click()
        expect(page.get_by_role("main")).to_contain_text(SHARED)
        page.get_by_role("link", name="Delete", exact=True).click()
        page.get_by_role("button", name="Delete item").click()
        page.get_by_role("button", name="Undo").click()
        value = self.vault.laptop.coffer("get", "plain.example.com", "jane", "--app", MAIL)
        self.assertEqual(value, SECRET + "plain.example.com")

    def test_a_conflict_is_settled(self):
        page = self.start("/conflicts")
        conflict = page.get_by_role("region", name="no-script.example.com")
        conflict.get_by_role("button", name="Keep this version").first.click()
        page.goto("/conflicts")
        expect(page.get_by_role("main")).to_contain_text("conflict.example.com")
        expect(page.get_by_role("region", name="no-script.example.com")).to_have_count(0)

    def test_a_sync_runs(self):
        page = self.start("/sync")
        page.get_by_role("button", name="Sync now").click()
        expect(page.get_by_role("main")).to_contain_text(re.compile("sync", re.I))

    def test_the_code_of_the_address_is_entered_by_hand(self):
        inspector = Inspector(self.vault.laptop)
        self.addCleanup(inspector.end)
        page = self.outside(inspector, java_script_enabled=False)
        # Without a script, the code in the address has no effect.
        page.goto(inspector.address)
        page.get_by_label("One-time code").fill(inspector.address.split("#")[1])
        page.get_by_role("button", name="Open").click()
        self.expect_heading(page, "Overview")
