import json
import re

from playwright.sync_api import expect

from inspector_test_case import GUARDED_CLIPBOARD, InspectorTestCase
from vault_under_test import ARCHIVE, MAIL, SECRET, SHARED


class Item(InspectorTestCase):
    def make(self, service: str, account: str = "jane", value: str | None = None):
        """Stores an item for one test and opens its page."""
        self.vault.set(service, account, value)
        return self.open_item(service)

    def value(self, service: str, account: str = "jane") -> str:
        return self.vault.laptop.coffer("get", service, account, "--app", MAIL)

    def stop_clock(self, page):
        """Reloads a page whose time passes by `page.clock` only."""
        page.clock.install()
        page.reload()
        page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 60)

    def test_a_value_is_shown_on_request_and_hidden_again(self):
        page = self.open_item("store.example.com")
        self.expect_no_value(page)
        self.stop_clock(page)
        page.get_by_role("button", name="Show value").click()
        output = page.locator("#value")
        expect(output).to_have_text(SECRET + "store.example.com")
        expect(page.locator("#value-status")).to_contain_text("seconds")
        page.get_by_role("button", name="Hide value").click()
        self.expect_no_value(page)
        # Forgotten, it hides itself.
        page.get_by_role("button", name="Show value").click()
        expect(output).to_have_text(SECRET + "store.example.com")
        seconds = int(re.search(r"(\d+) seconds", page.locator("#value-status").inner_text()).group(1))
        page.clock.run_for((seconds - 2) * 1000)
        expect(output).to_have_text(SECRET + "store.example.com")
        page.clock.run_for(3000)
        expect(output).not_to_have_text(SECRET + "store.example.com")
        self.expect_no_value(page)

    def test_a_shown_value_is_gone_after_leaving_the_page(self):
        page = self.open_item("store.example.com")
        page.get_by_role("button", name="Show value").click()
        expect(page.locator("#value")).to_have_text(SECRET + "store.example.com")
        self.assertNotIn(SECRET, page.url)
        page.get_by_role("link", name="Apps", exact=True).click()
        self.expect_heading(page, "Apps")
        page.go_back()
        self.expect_heading(page, "store.example.com")
        self.expect_no_value(page)

    def test_a_value_is_copied_and_the_clipboard_cleared(self):
        page = self.open_item("store.example.com")
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.stop_clock(page)
        # Said before, with the same time as after.
        hint = page.get_by_role("button", name="Copy value").get_attribute("title")
        said = int(re.search(r"After (\d+) seconds it is removed from the clipboard", hint).group(1))
        page.get_by_role("button", name="Copy value").click()
        expect(page.locator("#value-status")).to_contain_text(f"Copied. The clipboard is cleared after {said} seconds")
        self.assertEqual(page.evaluate("navigator.clipboard.readText()"), SECRET + "store.example.com")
        # It was copied without being shown.
        self.expect_no_value(page)
        page.clock.run_for((said - 2) * 1000)
        self.assertEqual(page.evaluate("navigator.clipboard.readText()"), SECRET + "store.example.com")
        page.clock.run_for(3000)
        expect(page.locator("#value-status")).to_have_text("The clipboard was cleared.")
        self.assertEqual(page.evaluate("navigator.clipboard.readText()"), "")

    def test_a_clipboard_that_could_not_be_cleared_is_cleared_when_the_page_is_used_next(self):
        page = self.open_item("store.example.com")
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.stop_clock(page)
        page.evaluate(GUARDED_CLIPBOARD)
        page.get_by_role("button", name="Copy value").click()
        status = page.locator("#value-status")
        expect(status).to_contain_text("Copied.")
        page.evaluate("window.isRefused = true")
        page.clock.run_for(31_000)
        expect(status).to_contain_text("does not let this page clear the clipboard yet")
        page.keyboard.press("Shift")
        self.assertEqual(page.evaluate("navigator.clipboard.readText()"), SECRET + "store.example.com")
        page.evaluate("window.isRefused = false")
        page.keyboard.press("Shift")
        expect(status).to_have_text("The clipboard was cleared.")
        self.assertEqual(page.evaluate("navigator.clipboard.readText()"), "")

    def test_a_text_that_is_no_secret_is_not_cleared_in_place_of_a_value_before_it(self):
        page = self.open_item("store.example.com")
        page.context.grant_permissions(["clipboard-write"])
        page.evaluate(GUARDED_CLIPBOARD)
        page.get_by_role("button", name="Copy value").click()
        expect(page.locator("#value-status")).to_contain_text("Copied.")
        page.get_by_role("button", name="Copy account").click()
        expect(page.get_by_role("status").filter(has_text=re.compile("^Copied.$"))).to_be_visible()
        page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide'))")
        self.assertEqual(page.evaluate("window.written"), [SECRET + "store.example.com", "jane"])

    def test_a_seed_is_added_and_its_code_shown_copied_and_drawn(self):
        page = self.make("codes.example.com")
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        expect(page.get_by_role("button", name="Show code")).to_have_count(0)
        page.get_by_role("link", name="Edit", exact=True).click()
        page.get_by_label("Seed of one-time codes").fill("no seed!")
        self.allow("status 422 of POST")
        page.get_by_role("button", name="Save changes").click()
        expect(page.get_by_role("main")).to_contain_text("not Base32")
        page.get_by_label("Seed of one-time codes").fill("JBSW Y3DP EHPK 3PXP")
        page.get_by_role("button", name="Save changes").click()
        # The page that is left has the same heading.
        expect(page.get_by_role("button", name="Show code")).to_be_visible()
        self.assertNotIn("JBSWY3DP", page.content())
        page.get_by_role("button", name="Show code").click()
        expect(page.locator("#code")).to_have_text(re.compile(r"^\d{3} \d{3}$"))
        code = self.vault.laptop.coffer("otp", "codes.example.com", "jane", "--app", MAIL)
        shown = page.locator("#code").inner_text().replace(" ", "")
        page.keyboard.press("o")
        expect(page.locator("#code-status")).to_contain_text("Copied.")
        copied = page.evaluate("navigator.clipboard.readText()")
        # The period can end between two of them.
        self.assertTrue(code in (shown, copied) or shown == copied)
        page.get_by_role("button", name="Hide code").click()
        expect(page.locator("#code")).to_have_text("••• •••")
        page.get_by_role("button", name="Show QR code").click()
        expect(page.get_by_role("dialog", name="Seed of the one-time codes").locator("path")).to_be_visible()
        self.expect_accessible(page)
        page.get_by_role("button", name="Close").click()
        expect(page.get_by_role("dialog")).to_have_count(0)

    def test_the_account_is_copied_as_it_is(self):
        page = self.open_item("store.example.com")
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.get_by_role("button", name="Copy account").click()
        expect(page.get_by_role("status").filter(has_text="Copied.")).to_be_visible()
        self.assertEqual(page.evaluate("navigator.clipboard.readText()"), "jane")

    def test_a_value_of_several_lines_is_shown_as_it_is(self):
        page = self.open_item("note", SHARED)
        page.get_by_role("button", name="Show value").click()
        expect(page.locator("#value")).to_contain_text("second line")
        self.assertEqual(page.locator("#value").evaluate("output => output.textContent"),
                         f"{SECRET}note\nsecond line\n")

    def test_an_item_is_edited(self):
        page = self.make("edit.example.com")
        page.get_by_role("link", name="Edit", exact=True).click()
        self.expect_accessible(page)
        self.expect_no_value(page)
        page.get_by_label("Label").fill("A new label")
        page.get_by_label("Comment").fill("First line\nsecond line")
        page.get_by_role("button", name="Save changes").click()
        expect(page.get_by_role("main")).to_contain_text("A new label")
        expect(page.get_by_role("main")).to_contain_text("second line")
        # The value was not touched.
        self.assertEqual(self.value("edit.example.com"), SECRET + "edit.example.com")
        page.get_by_role("link", name="Edit", exact=True).click()
        page.get_by_label("New value").fill("another value")
        page.get_by_role("button", name="Save changes").click()
        expect(page.get_by_role("button", name="Show value")).to_be_visible()
        self.assertEqual(self.value("edit.example.com"), "another value")

    def test_an_edit_does_not_overwrite_a_newer_change(self):
        page = self.make("race.example.com")
        page.get_by_role("link", name="Edit", exact=True).click()
        page.get_by_label("Label").fill("From the page")
        page.get_by_label("New value").fill("typed\nhere")
        self.vault.laptop.coffer("set", "race.example.com", "jane", "--label", "Theirs", "--app", MAIL,
                                 input="from another program")
        self.allow("status 409 of POST")
        page.get_by_role("button", name="Save changes").click()
        expect(page.get_by_role("main")).to_contain_text(re.compile("changed", re.I))
        self.assertEqual(self.value("race.example.com"), "from another program")
        # What was typed is still there, beside what is stored now, and can be saved.
        expect(page.get_by_label("Label")).to_have_value("From the page")
        expect(page.get_by_label("New value")).to_have_value("typed\nhere")
        expect(page.get_by_text("stored now: Theirs")).to_be_visible()
        self.expect_looks(page, "item-edit-stale")
        page.get_by_role("button", name="Save changes").click()
        self.expect_heading(page, "From the page")
        self.assertEqual(self.value("race.example.com"), "typed\nhere")

    def test_a_stored_value_that_was_only_loaded_does_not_replace_a_newer_one_after_a_conflict(self):
        page = self.make("loaded.example.com")
        page.get_by_role("link", name="Edit", exact=True).click()
        page.get_by_role("button", name="Load the stored value").click()
        field = page.get_by_label("New value")
        expect(field).to_have_value(SECRET + "loaded.example.com")
        page.get_by_label("Label").fill("From the page")
        # An attempt that fails forgets nothing of what was loaded.
        page.get_by_label("Length").fill("1")
        self.allow("status 4.. of POST")
        page.get_by_role("button", name="Generate").click()
        expect(page.locator("#new-value-status")).to_contain_text("characters")
        page.get_by_label("Length").fill("20")
        self.vault.set("loaded.example.com", value="from another machine")
        page.get_by_role("button", name="Save changes").click()
        expect(page.get_by_role("main")).to_contain_text("The item was not saved.")
        expect(page.get_by_label("Label")).to_have_value("From the page")
        expect(field).to_have_value("")
        page.get_by_role("button", name="Save changes").click()
        self.expect_heading(page, "From the page")
        self.assertEqual(self.value("loaded.example.com"), "from another machine")

    def test_a_seed_is_kept_after_a_conflict_and_saved(self):
        page = self.make("kept-seed.example.com")
        page.get_by_role("link", name="Edit", exact=True).click()
        page.get_by_label("Seed of one-time codes").fill("JBSWY3DPEHPK3PXP")
        self.vault.set("kept-seed.example.com", value="from another program")
        self.allow("status 409 of POST")
        page.get_by_role("button", name="Save changes").click()
        expect(page.get_by_role("main")).to_contain_text("What you have typed is still here.")
        expect(page.get_by_text("Enter the seed of one-time codes again.")).to_have_count(0)
        expect(page.get_by_label("Seed of one-time codes")).to_have_value("JBSWY3DPEHPK3PXP")
        page.get_by_role("button", name="Save changes").click()
        expect(page.get_by_role("button", name="Show code")).to_be_visible()

    def test_a_form_whose_item_is_gone_keeps_what_was_typed(self):
        page = self.make("gone.example.com")
        page.get_by_role("link", name="Edit", exact=True).click()
        page.get_by_label("New value").fill("typed")
        self.vault.laptop.coffer("delete", "gone.example.com", "jane", "--app", MAIL)
        self.allow("status 404 of POST")
        page.get_by_role("button", name="Save changes").click()
        expect(page.get_by_role("status").first).to_contain_text("This does not exist")
        expect(page.get_by_label("New value")).to_have_value("typed")
        self.expect_accessible(page)

    def test_a_stored_value_of_several_lines_is_loaded_and_edited(self):
        page = self.make("lines.example.com", value="first\nsecond\n")
        page.get_by_role("link", name="Edit", exact=True).click()
        page.get_by_role("button", name="Load the stored value").click()
        field = page.get_by_label("New value")
        expect(field).to_have_value("first\nsecond\n")
        # Saved as it was loaded, nothing is written.
        page.get_by_role("button", name="Save changes").click()
        self.expect_heading(page, re.compile("^lines"))
        expect(page.get_by_role("region", name="History").get_by_role("listitem")).to_have_count(1)
        page.get_by_role("link", name="Edit", exact=True).click()
        page.get_by_role("button", name="Load the stored value").click()
        expect(field).to_have_value("first\nsecond\n")
        field.press("ControlOrMeta+End")
        field.press_sequentially("third")
        page.get_by_role("button", name="Save changes").click()
        self.expect_heading(page, re.compile("^lines"))
        self.assertEqual(self.value("lines.example.com"), "first\nsecond\nthird")

    def test_an_item_is_renamed_to_a_name_that_is_free(self):
        self.vault.set("taken.example.com")
        page = self.make("rename.example.com")
        page.get_by_role("link", name="Edit", exact=True).click()
        page.get_by_label("Service").fill("taken.example.com")
        self.allow("status 4.. of POST")
        page.get_by_role("button", name="Save changes").click()
        expect(page.get_by_role("main")).to_contain_text(re.compile("exists|already", re.I))
        page.get_by_label("Service").fill("renamed.example.com")
        page.get_by_role("button", name="Save changes").click()
        self.expect_heading(page, "renamed.example.com")
        self.assertEqual(self.value("renamed.example.com"), SECRET + "rename.example.com")

    def test_an_item_is_moved(self):
        page = self.make("move.example.com")
        page.get_by_role("link", name="Move", exact=True).click()
        self.expect_accessible(page)
        self.group_choice(page).select_option(value=self.vault.group(SHARED))
        page.get_by_role("button", name="Move item").click()
        expect(page.get_by_role("main")).to_contain_text(SHARED)
        self.assertIn(SHARED, self.vault.laptop.coffer("list", "move.example.com", "--app", MAIL))

    def test_an_item_is_deleted_and_the_deletion_undone(self):
        page = self.make("delete.example.com")
        page.get_by_role("link", name="Delete", exact=True).click()
        expect(page.get_by_role("main")).to_contain_text("delete.example.com")
        self.expect_accessible(page)
        self.assertEqual(self.value("delete.example.com"), SECRET + "delete.example.com")
        page.get_by_role("button", name="Delete item").click()
        expect(page.get_by_role("button", name="Undo")).to_be_visible()
        with self.assertRaises(RuntimeError):
            self.value("delete.example.com")
        page.get_by_role("button", name="Undo").click()
        expect(page.get_by_role("status").filter(has_text=re.compile("undone|restored|back", re.I)).first
               ).to_be_visible()
        self.assertEqual(self.value("delete.example.com"), SECRET + "delete.example.com")

    def test_a_history_shows_who_where_and_when_and_restores(self):
        self.vault.set("versions.example.com", value="first value")
        page = self.make("versions.example.com", value="second value")
        self.vault.laptop.coffer("set", "versions.example.com", "jane", "--label", "A label", "--app", MAIL,
                                 input="third value")
        page.reload()
        page.get_by_role("link", name="Show changes").click()
        self.assertEqual(page.content().count("third value") + page.content().count("first value"), 0)
        expect(page.get_by_role("main")).to_contain_text("on laptop")
        page.get_by_role("button", name="Restore this version").last.click()
        expect(page.get_by_role("button", name="Show value")).to_be_visible()
        self.assertEqual(self.value("versions.example.com"), "first value")

    def test_a_difference_between_versions_names_the_attributes(self):
        self.vault.set("difference.example.com")
        self.vault.laptop.coffer("set", "difference.example.com", "jane", "--label", "Old label", "--app", MAIL,
                                 input="old")
        page = self.make("difference.example.com", value="old")
        self.vault.laptop.coffer("set", "difference.example.com", "jane", "--label", "New label", "--app", MAIL,
                                 input="new")
        page.get_by_role("link", name="Show changes").click()
        self.expect_looks(page, "item-changes")
        main = page.get_by_role("main")
        expect(main).to_contain_text("Old label")
        expect(main).to_contain_text("New label")

    def test_a_deleted_item_is_found_and_restored(self):
        page = self.make("revive.example.com")
        address = page.url
        self.vault.laptop.coffer("delete", "revive.example.com", "jane", "--app", MAIL)
        self.allow("status 404 of GET")
        page.goto(address)
        self.expect_accessible(page)
        expect(page.get_by_role("main")).to_contain_text(re.compile("deleted", re.I))
        page.get_by_role("button", name="Restore this version").first.click()
        self.expect_heading(page, "revive.example.com")
        self.assertEqual(self.value("revive.example.com"), SECRET + "revive.example.com")

    def test_a_certificate_shows_its_chain_and_validity(self):
        page = self.open_item("server.example.com", item_class="cert")
        main = page.get_by_role("main")
        for text in ("Example Issuing", "Example Root", "server.example.com", "SHA-256"):
            expect(main).to_contain_text(text)
        # The chain leads to the issuer.
        main.get_by_role("link", name="Example Issuing").first.click()
        self.expect_heading(page, "Example Issuing")
        page = self.open_item("expired.example.com", item_class="cert")
        expect(page.get_by_role("main")).to_contain_text(re.compile("expired", re.I))
        page = self.open_item("ending.example.com", item_class="cert")
        expect(page.get_by_role("main")).to_contain_text(re.compile("in 8 days|in 9 days"))

    def test_a_key_shows_kind_size_and_use(self):
        page = self.open_item("Backup key", item_class="keys")
        main = page.get_by_role("main")
        for text in ("AES", "256", "ncrypt"):
            expect(main).to_contain_text(text)

    def test_an_identity_joins_certificate_and_key(self):
        page = self.open_item("server.example.com", item_class="idnt")
        self.expect_heading(page, re.compile("server.example.com"))
        self.expect_accessible(page)
        expect(page.get_by_role("main")).to_contain_text("Example Issuing")


class Conflict(InspectorTestCase):
    def test_versions_in_conflict_are_shown_side_by_side_and_one_is_chosen(self):
        page = self.open("/conflicts")
        page.get_by_role("region", name="settle.example.com").get_by_role("link", name="Open item").click()
        self.expect_heading(page, "settle.example.com")
        versions = page.get_by_role("article", name=re.compile("^Version"))
        expect(versions).to_have_count(2)
        self.expect_no_value(page)
        # The words of the terminal.
        terminal = self.vault.laptop.coffer("conflicts", "--json", "--app", MAIL)
        conflict = next(item for item in json.loads(terminal) if item["service"] == "settle.example.com")
        for version, row in enumerate(conflict["versions"]):
            expect(versions.nth(version)).to_contain_text(row["version"][:12])
            expect(versions.nth(version)).to_contain_text(re.compile(r"Written by\s*" + MAIL))
            expect(versions.nth(version)).to_contain_text(re.compile(r"Changed\s*" + ", ".join(row["changed"])))
            self.assertEqual(row["changed"], ["value"])
        expect(page.get_by_text("The values differ; the attributes are the same.")).to_be_visible()
        self.expect_looks(page, "conflict")
        for version, machine in ((0, "desktop"), (1, "laptop")):
            expect(versions.nth(version)).to_contain_text(machine)
            versions.nth(version).get_by_role("button", name="Show value").click()
            expect(versions.nth(version).get_by_label("Value", exact=True)).to_have_text(
                f"{SECRET}settle.example.com of the {machine}")
            versions.nth(version).get_by_role("button", name="Hide value").click()
        self.expect_no_value(page)
        boxes = [versions.nth(version).bounding_box() for version in (0, 1)]
        self.assertEqual(boxes[0]["y"], boxes[1]["y"])
        versions.nth(1).get_by_role("button", name="Keep this version").click()
        expect(page.get_by_role("button", name="Keep this version")).to_have_count(0)
        value = self.vault.laptop.coffer("get", "settle.example.com", "jane", "--app", MAIL)
        self.assertEqual(value, f"{SECRET}settle.example.com of the laptop")
        page.goto("/conflicts")
        expect(page.get_by_role("region", name="conflict.example.com", exact=True)).to_be_visible()
        expect(page.get_by_role("region", name="settle.example.com")).to_have_count(0)

    def test_forms_of_an_item_in_conflict_say_that_they_end_the_conflict(self):
        page = self.open_item("conflict.example.com")
        address = page.url
        for link in ("Edit", "Move"):
            page.get_by_role("link", name=link, exact=True).first.click()
            expect(page.get_by_role("status").filter(has_text="This ends the conflict")).to_be_visible()
            self.expect_accessible(page)
            page.goto(address)
        page = self.open_item("store.example.com")
        page.get_by_role("link", name="Edit", exact=True).first.click()
        expect(page.get_by_role("button", name="Save changes")).to_be_visible()
        expect(page.get_by_text("This ends the conflict")).to_have_count(0)
