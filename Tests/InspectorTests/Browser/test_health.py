"""Passwords that are common, weak or equal, and how good a password is while a person types it."""

import re

from playwright.sync_api import expect

from inspector_test_case import InspectorTestCase
from vault_under_test import ARCHIVED, MAIL, SECRET


class Health(InspectorTestCase):
    def test_the_page_lists_equal_passwords_and_leads_to_their_items(self):
        page = self.open()
        page.get_by_role("link", name="Password health").click()
        self.expect_heading(page, "Password health")
        expect(page.get_by_text(f"{ARCHIVED} items with the same password")).to_be_visible()
        self.expect_no_value(page)
        self.expect_looks(page, "health")
        page.get_by_role("region", name="Reused").get_by_role("link", name="archive.example.com").first.click()
        self.expect_heading(page, "archive.example.com")

    def test_a_password_is_judged_while_it_is_typed(self):
        self.vault.set("judged.example.com", value="kW7$hTq9!zRb")
        page = self.open(f"/items/new?class=genp&group={self.vault.group(MAIL)}")
        value, strength = page.get_by_label("Value", exact=True), page.locator("#strength")
        value.press_sequentially("Dr4gon")
        expect(strength).to_have_text("Weak: one of the commonest passwords.")
        value.fill("kW7$hTq9!zRb")
        expect(strength).to_have_text(re.compile("^Strong: about 78 bits. Another item has this password.$"))
        self.expect_looks(page, "strength")
        page.get_by_label("Made of").select_option(label="Words")
        expect(page.get_by_label("Length")).to_have_value("6")
        page.get_by_role("button", name="Generate").click()
        expect(strength).to_have_text(re.compile("^Strong: about [78]. bits.$"))
        self.assertRegex(value.input_value(), "^[a-z-]{20,}$")
        # Several lines are no password.
        value.fill("first\nsecond")
        expect(strength).to_be_empty()

    def test_an_item_may_keep_its_own_password(self):
        self.vault.set("own.example.com", value="Vb5&pLm2@qXs")
        page = self.open_item("own.example.com")
        page.get_by_role("link", name="Edit").first.click()
        page.get_by_label("New value").fill("Vb5&pLm2@qXs")
        expect(page.locator("#strength")).to_have_text(re.compile("^Strong: about [0-9]+ bits.$"))


class Transfer(InspectorTestCase):
    def test_a_file_is_previewed_and_stored(self):
        file = self.vault.folder / "chrome.csv"
        file.write_text(f"name,url,username,password\nImported,https://imported.example.org/,jane,{SECRET}imported\n")
        page = self.open()
        page.get_by_role("link", name="Import", exact=True).click()
        self.expect_heading(page, "Import")
        self.expect_looks(page, "import")
        page.get_by_label("Group").select_option(label=MAIL)
        page.locator("#import-file").set_input_files(file)
        result = page.locator("#import-result")
        expect(result.get_by_role("row", name="imported.example.org")).to_contain_text("New")
        self.expect_no_value(page)
        self.expect_looks(page, "import-preview")
        page.get_by_role("button", name="Store 1 item").click()
        expect(result).to_contain_text("1 item was imported.")
        self.expect_accessible(page)
        self.open_item("imported.example.org", item_class="inet")

    def test_only_a_file_whose_preview_is_shown_is_stored(self):
        files = [self.vault.folder / f"previewed{number}.csv" for number in range(2)]
        for number, file in enumerate(files):
            file.write_text(f"name,url,username,password\nShown,https://shown{number}.example.org/,jane,{SECRET}s\n")
        page = self.open("/import")
        page.get_by_label("Group").select_option(label=MAIL)
        page.locator("#import-file").set_input_files(files[0])
        result, store = page.locator("#import-result"), page.get_by_role("button", name="Store 1 item")
        expect(result.get_by_role("row", name="shown0.example.org")).to_contain_text("New")
        expect(store).to_be_enabled()
        # While the second file is read, the preview of the first one is still shown.
        held = []
        page.route("**/import", lambda route: held.append(route))
        with page.expect_request("**/import"):
            page.locator("#import-file").set_input_files(files[1])
        expect(result.get_by_role("row", name="shown0.example.org")).to_be_visible()
        expect(store).to_be_disabled()
        held[0].continue_()
        expect(result.get_by_role("row", name="shown1.example.org")).to_contain_text("New")
        expect(store).to_be_enabled()

    def test_a_file_that_is_no_export_is_refused(self):
        file = self.vault.folder / "broken.json"
        file.write_text("{\"no\": 1}")
        page = self.open("/import")
        self.allow("status 422 of POST")
        page.locator("#import-file").set_input_files(file)
        expect(page.locator("#import-result")).to_contain_text("The file was not read.")
        expect(page.get_by_role("button", name="Store")).to_have_count(0)

    def test_a_list_is_exported(self):
        self.vault.set("exported.example.com")
        page = self.open("/items?q=exported.example.com")
        page.get_by_text("More", exact=True).click()
        page.get_by_role("link", name="Export this list").click()
        self.expect_heading(page, "Export 1 item")
        self.expect_looks(page, "export")
        page.get_by_label("Format").select_option("csv")
        page.get_by_label("Write these secrets in plain text").check()
        with page.expect_download() as download:
            page.get_by_role("button", name="Download").click()
        self.assertEqual(download.value.suggested_filename, "coffer-export.csv")
        self.assertIn(SECRET + "exported.example.com", download.value.path().read_text())
