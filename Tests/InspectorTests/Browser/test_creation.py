import base64
import re
import subprocess

from playwright.sync_api import expect

from inspector_test_case import InspectorTestCase
from vault_under_test import ARCHIVE, MAIL, SHARED

# A white PNG of one pixel.
BLANK = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAsTj3vQAAAABJRU5ErkJggg=="
# Drops or pastes a picture, as a person does.
TRANSFER = """(field, { way, data }) => {
    const transfer = new DataTransfer();
    const bytes = Uint8Array.from(atob(data), (byte) => byte.charCodeAt(0));
    transfer.items.add(new File([bytes], "seed.png", { type: "image/png" }));
    field.dispatchEvent(way === "drop"
        ? new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true })
        : new ClipboardEvent("paste", { clipboardData: transfer, bubbles: true, cancelable: true }));
}"""


class Creation(InspectorTestCase):
    def new(self, name: str, group: str = MAIL, **options):
        """Opens the form for a new item of a class from the list of a group."""
        page = self.open(f"/groups/{self.vault.group(group)}", **options)
        page.get_by_role("link", name="New item").click()
        page.get_by_role("navigation", name="Class").get_by_role("link", name=name).click()
        return page

    def value(self, service: str, account: str = "jane") -> str:
        return self.vault.laptop.coffer("get", service, account, "--app", MAIL)

    def test_a_password_of_several_lines_is_stored(self):
        page = self.new("Generic password")
        self.expect_looks(page, "new-generic")
        page.get_by_label("Service").fill("new.example.com")
        page.get_by_label("Account").fill("jane")
        value = page.get_by_label("Value", exact=True)
        # Covered unless a person wants to see it.
        security = "field => getComputedStyle(field).webkitTextSecurity"
        self.assertEqual(value.evaluate(security), "disc")
        page.get_by_label("Show what is in the field").check()
        self.assertEqual(value.evaluate(security), "none")
        value.fill("first line\nsecond line")
        page.get_by_text("More attributes").click()
        page.get_by_label("Comment").fill("A comment")
        page.get_by_role("button", name="Save item").click()
        self.expect_heading(page, "new.example.com")
        expect(page.get_by_role("status").first).to_contain_text("The item was stored.")
        expect(page.get_by_role("main")).to_contain_text("A comment")
        self.assertEqual(self.value("new.example.com"), "first line\nsecond line")

    def test_an_internet_password_with_a_generated_value_is_stored(self):
        page = self.new("Internet password")
        self.expect_looks(page, "new-internet")
        page.get_by_label("Server").fill("generated.example.com")
        page.get_by_label("Length").fill("33")
        page.get_by_label("Made of").select_option(label="Letters and digits")
        page.get_by_role("button", name="Generate").click()
        expect(page.get_by_text("A value of 33 characters is in the field.")).to_be_visible()
        generated = page.get_by_label("Value", exact=True).input_value()
        self.assertRegex(generated, "^[A-Za-z0-9]{33}$")
        page.get_by_role("button", name="Generate").click()
        expect(page.get_by_label("Value", exact=True)).not_to_have_value(generated)
        generated = page.get_by_label("Value", exact=True).input_value()
        page.get_by_role("button", name="Save item").click()
        self.expect_heading(page, "generated.example.com")
        self.assertNotIn(generated, page.content())
        page.keyboard.press("v")
        expect(page.locator("#value")).to_have_text(generated)

    def test_what_was_typed_is_kept_if_the_names_are_taken(self):
        self.vault.set("kept.example.com")
        page = self.new("Generic password")
        page.get_by_label("Service").fill("kept.example.com")
        page.get_by_label("Account").fill("jane")
        page.get_by_label("Label").fill("A label")
        page.get_by_label("Value", exact=True).fill("typed\nvalue")
        self.allow("status 409 of POST")
        page.get_by_role("button", name="Save item").click()
        expect(page.get_by_role("status").first).to_contain_text("Nothing was stored.")
        expect(page.locator("#notice")).to_be_focused()
        expect(page.get_by_label("Label")).to_have_value("A label")
        expect(page.get_by_label("Value", exact=True)).to_have_value("typed\nvalue")
        expect(page.get_by_text("Type the value again.")).to_have_count(0)
        self.expect_accessible(page)
        page.get_by_label("Service").fill("free.example.com")
        page.get_by_role("button", name="Save item").click()
        self.expect_heading(page, "A label")
        self.assertEqual(self.value("free.example.com"), "typed\nvalue")

    def test_a_key_is_generated(self):
        page = self.open("/keys")
        page.get_by_role("link", name="New key").click()
        self.expect_looks(page, "new-key")
        page.get_by_label("Label").fill("Signing key")
        page.get_by_label("Algorithm").select_option(label="Elliptic curve P-384, private key")
        page.get_by_label("Group").select_option(label=MAIL)
        page.get_by_role("button", name="Save item").click()
        self.expect_heading(page, "Signing key")
        expect(page.get_by_role("main")).to_contain_text("384")

    def test_a_certificate_is_imported_from_a_file_and_exported(self):
        folder = self.vault.folder
        # Valid for so long that other tests do not find it among the items that expire soon.
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "3650",
             "-keyout", folder / "imported.key", "-out", folder / "imported.pem", "-subj", "/CN=imported.example.com"],
            check=True, capture_output=True)
        subprocess.run(["openssl", "x509", "-in", folder / "imported.pem", "-outform", "DER", "-out",
                        folder / "imported.der"], check=True)
        page = self.open("/certificates")
        page.get_by_role("link", name="Import certificate").click()
        self.expect_heading(page, "Import")
        page.get_by_label("Group").select_option(label=MAIL)
        page.locator("#import-file").set_input_files(folder / "imported.der")
        page.get_by_role("button", name="Store 1 item").click()
        expect(page.locator("#import-result")).to_contain_text("1 item was imported.")
        page = self.open_item("imported.example.com", item_class="cert")
        pem = (folder / "imported.pem").read_text()
        with page.expect_download() as download:
            page.get_by_role("link", name="Export certificate").click()
        self.assertEqual(download.value.suggested_filename, "imported-example-com.pem")
        self.assertEqual(download.value.path().read_text(), pem)

    def test_without_scripts_a_certificate_is_imported(self):
        folder = self.vault.folder
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "3650",
             "-keyout", folder / "plain.key", "-out", folder / "plain.pem", "-subj", "/CN=plain-import.example.com"],
            check=True, capture_output=True)
        page = self.open("/import", javascript=False)
        page.get_by_label("Group").select_option(label=MAIL)
        page.locator("#import-file").set_input_files(folder / "plain.pem")
        page.get_by_role("button", name="Read the file").click()
        expect(page.locator("#import-result")).to_contain_text("1 to store")
        page.get_by_label("Group").select_option(label=MAIL)
        page.locator("#import-file").set_input_files(folder / "plain.pem")
        page.get_by_label("Store the items.").check()
        page.get_by_role("button", name="Read the file").click()
        expect(page.locator("#import-result")).to_contain_text("1 item was imported.")

    def test_the_seed_is_read_from_a_picture_that_is_chosen_dropped_or_pasted_without_scripts_too(self):
        self.vault.set("scanned.example.com")
        self.vault.laptop.coffer("otp", "add", "scanned.example.com", "jane", "--app", MAIL, input="JBSWY3DPEHPK3PXP")
        page = self.open_item("scanned.example.com")
        page.get_by_role("button", name="Show QR code").click()
        picture = self.vault.folder / "seed.png"
        page.get_by_role("dialog").locator("svg").screenshot(path=picture)
        page.context.close()
        seed = self.vault.laptop.coffer("otp", "uri", "scanned.example.com", "--app", MAIL)
        data = base64.b64encode(picture.read_bytes()).decode()
        for way in ("chosen", "drop", "paste", "plain"):
            service = f"{way}-seed.example.com"
            page = self.new("Generic password", javascript=way != "plain")
            page.get_by_label("Service").fill(service)
            if way == "plain":
                page.get_by_label("Generate the value when this is saved").check()
            else:
                page.get_by_label("Value", exact=True).fill("value")
            page.get_by_text("More attributes").click()
            if way in ("chosen", "plain"):
                page.get_by_label("Or a picture of its QR code").set_input_files(picture)
            else:
                page.get_by_label("Or a picture of its QR code").evaluate(TRANSFER, {"way": way, "data": data})
            if way == "chosen":
                self.expect_looks(page, "new-seed")
            page.get_by_role("button", name="Save item").click()
            self.expect_heading(page, service)
            self.assertEqual(self.vault.laptop.coffer("otp", "uri", service, "--app", MAIL), seed)

    def test_a_picture_without_a_code_stores_nothing_and_stays_until_a_seed_is_typed(self):
        page = self.new("Generic password")
        page.get_by_label("Service").fill("no-code.example.com")
        page.get_by_label("Value", exact=True).fill("value")
        page.get_by_text("More attributes").click()
        page.get_by_label("Or a picture of its QR code").set_input_files(
            {"name": "blank.png", "mimeType": "image/png", "buffer": base64.b64decode(BLANK)})
        self.allow("status 422 of POST")
        page.get_by_role("button", name="Save item").click()
        expect(page.get_by_role("status").first).to_contain_text("The file has no QR code")
        expect(page.get_by_label("Value", exact=True)).to_have_value("value")
        picture = page.get_by_label("Or a picture of its QR code")
        self.assertEqual(picture.evaluate("field => field.files[0]?.name"), "blank.png")
        page.get_by_label("Seed of one-time codes").fill("JBSWY3DPEHPK3PXP")
        expect(picture).to_have_value("")
        page.get_by_role("button", name="Save item").click()
        expect(page.get_by_role("button", name="Show code")).to_be_visible()

    def test_without_scripts_an_item_is_stored_with_a_value_that_the_server_generates(self):
        page = self.new("Generic password", javascript=False)
        page.get_by_label("Service").fill("no-script-new.example.com")
        page.get_by_label("Length").fill("12")
        page.get_by_label("Generate the value when this is saved").check()
        page.get_by_role("button", name="Save item").click()
        self.expect_heading(page, "no-script-new.example.com")
        self.assertEqual(len(self.value("no-script-new.example.com", "")), 12)

    def test_an_item_lists_who_reads_it(self):
        page = self.open_item("note", SHARED)
        readers = page.get_by_role("region", name="Who can read it").get_by_role("listitem")
        expect(readers).to_have_count(3)
        expect(readers.nth(0)).to_contain_text(re.compile("The owner\\s*reads and writes on"))
        expect(readers.filter(has_text="Mail")).to_contain_text("reads and writes on laptop")
        expect(readers.filter(has_text="Archive")).to_contain_text("reads on laptop")
        readers.filter(has_text="Archive").get_by_role("link", name="Why").click()
        self.expect_heading(page, re.compile(f"^Why {ARCHIVE} can read note"))

    def test_a_list_that_became_empty_leads_to_the_deleted_items(self):
        plist = self.vault.laptop.plist("com.example.emptied", ["com.example.emptied"])
        self.vault.laptop.coffer("app", "add", plist)
        self.vault.plists["com.example.emptied"] = plist
        page = self.open(f"/groups/{self.vault.group('com.example.emptied')}")
        expect(page.get_by_text("No items yet")).to_be_visible()
        self.vault.add([{"class": "genp", "service": "gone", "account": "jane", "value": "v"}], "com.example.emptied")
        page.reload()
        page.get_by_text("More", exact=True).click()
        page.get_by_role("link", name="Delete the item of this list").click()
        page.get_by_label("Delete it").check()
        page.get_by_role("button", name="Delete 1 item").click()
        expect(page.locator("#items strong")).to_have_text("No items")
        expect(page.get_by_text("No items yet")).to_have_count(0)
        page.get_by_role("main").get_by_role("link", name="Deleted items").click()
        self.expect_heading(page, "Deleted items")
        self.vault.laptop.coffer("app", "remove", "com.example.emptied", "--yes")
