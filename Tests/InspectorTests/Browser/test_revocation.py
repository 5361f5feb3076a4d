"""What was removed from the vault, what is to be replaced then, and what is refused: in a vault of its own."""

import pathlib
import re
import subprocess
import tempfile

from playwright.sync_api import expect

from inspector import Inspector
from inspector_test_case import InspectorTestCase
from machine import Machine
from test_hostile_names import FOREIGN_ELEMENTS, REORDERED_TEXTS
from vault_under_test import MAIL, PASSPHRASE, RIGHT_TO_LEFT, SECRET, SHARED

NOTES, GAME = "com.example.notes", "com.example.game"
DESKTOP = "<b>desktop</b> & \"co\""
CLOSED, REASON = "closed.example.com", "<b>The account</b> is closed " + "w" * 100
HOSTILE = f"<img src=x onerror=alert(1)>{RIGHT_TO_LEFT}"


class Revocation(InspectorTestCase):
    """The desktop was removed. On the tablet, the mail app wrote into a group without hearing that it had lost it."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="coffer-revocation-")
        folder = pathlib.Path(cls.folder.name)
        cls.laptop = laptop = Machine(cls.suite.programs, folder / "laptop", PASSPHRASE)
        remote, key = folder / "remote.git", folder / "vault-key"
        subprocess.run(["git", "init", "--quiet", "--bare", str(remote)], check=True)
        laptop.coffer("init", "--name", "laptop", "--passphrase-file", laptop.passphrase_file, "--vault-key-file", key)
        for app in (MAIL, NOTES, GAME):
            laptop.coffer("app", "add", laptop.plist(app, [app, SHARED]))
        for service in ("store.example.com", HOSTILE, CLOSED, "first.example.com", "second.example.com",
                        "third.example.com", "fourth.example.com"):
            laptop.coffer("set", service, "jane", "--app", MAIL, input=SECRET + service)
        laptop.coffer("remote", "set", remote)
        laptop.coffer("sync")
        desktop = Machine(cls.suite.programs, folder / "desktop")
        desktop.coffer("clone", "--name", DESKTOP, "--no-passphrase", "--vault-key-file", key, remote)
        cls.tablet = tablet = Machine(cls.suite.programs, folder / "tablet")
        tablet.coffer("clone", "--name", "tablet", "--no-passphrase", "--vault-key-file", key, remote)
        laptop.coffer("sync")
        for service in ("late.example.com", "plain.example.com", HOSTILE):
            tablet.coffer("set", service, "jane", "--app", MAIL, "--group", SHARED, input=SECRET + service)
        laptop.coffer("app", "add", "--yes", laptop.plist(MAIL, [MAIL]))
        try:
            tablet.coffer("sync")
        except RuntimeError as error:
            # It syncs, and names the refused versions.
            if "exit code 6" not in str(error):
                raise
        laptop.coffer("sync")
        laptop.coffer("device", "revoke", DESKTOP, "--vault-key-file", key, "--yes")
        laptop.coffer("app", "remove", GAME, "--yes")
        laptop.coffer("rotate", "dismiss", CLOSED, "jane", "--group", MAIL, "--reason", REASON)
        cls.inspectors = {machine: Inspector(machine) for machine in (laptop, tablet)}
        # The token in an address is used up by the first page.
        cls.sessions = {}

    @classmethod
    def tearDownClass(cls):
        for inspector in cls.inspectors.values():
            inspector.end()
        cls.folder.cleanup()

    def show(self, path: str = "/", on: Machine | None = None, **options):
        """Opens a page of this vault, on the laptop unless another machine is given."""
        machine = on or self.laptop
        inspector = self.inspectors[machine]
        if machine not in self.sessions:
            page = self.open(inspector=inspector)
            self.sessions[machine] = page.context.storage_state()
            page.context.close()
        page = self.outside(inspector, storage_state=self.sessions[machine], **options)
        page.goto(path)
        return page

    def check(self, path: str, heading: str | re.Pattern, name: str, *texts: str, on: Machine | None = None):
        page = self.show(path, on)
        self.expect_heading(page, heading)
        expect(page).to_have_title(re.compile(" – Coffer$"))
        for text in texts:
            expect(page.get_by_role("main")).to_contain_text(text)
        self.expect_no_value(page)
        self.assertEqual(page.evaluate(FOREIGN_ELEMENTS), [])
        self.assertEqual(page.evaluate(REORDERED_TEXTS), [])
        self.expect_looks(page, name)
        return page

    def team(self, name: str) -> str:
        return f"{re.search(r'[A-Z2-7]{10}', self.laptop.coffer('status')).group()}.{name}"

    def test_the_overview_leads_to_what_is_to_be_replaced_and_what_is_refused(self):
        page = self.show("/", self.tablet)
        menu = page.get_by_role("navigation", name="Vault")
        expect(menu.get_by_role("link", name="Refused versions")).to_contain_text(re.compile("[0-9]"))
        page.get_by_role("link", name=re.compile("^Review [0-9]+: ")).click()
        self.expect_heading(page, "Refused versions")
        page = self.check("/", "Overview", "revocation-overview", "could be read by somebody who was removed")
        page.get_by_role("link", name=re.compile("^Replace [0-9]+: [0-9]+ items? to replace$")).click()
        self.expect_heading(page, "Items to replace")
        menu = page.get_by_role("navigation", name="Vault")
        expect(menu.get_by_role("link", name="Items to replace")).to_have_attribute("aria-current", "page")
        expect(menu.get_by_role("link", name="Refused versions")).to_be_visible()

    def test_machines_that_were_taken_out_say_when_and_by_whom(self):
        page = self.check("/machines", "Machines", "machines-removed", "Removed from the vault", "by the vault key")
        page.get_by_role("region", name="Removed from the vault").get_by_role("link", name="desktop").click()
        self.expect_heading(page, DESKTOP)
        self.check(page.url, DESKTOP, "machine-removed", "This machine was removed from the vault on", "by the vault key")
        expect(page.get_by_role("link", name="Remove from the vault")).to_have_count(0)

    def test_this_machine_says_that_it_cannot_take_itself_out(self):
        page = self.show("/machines")
        page.get_by_role("region", name="laptop").get_by_role("link", name="laptop").click()
        self.expect_heading(page, "laptop")
        self.check(page.url, "laptop", "machine-own", "A machine cannot remove itself", "What its keys open")

    def test_apps_that_were_taken_out_are_listed(self):
        page = self.check("/apps", "Apps", "apps-removed", MAIL, "Removed from the vault", GAME)
        self.allow("status 404 of GET")
        page.goto(f"/apps/{self.team(GAME)}")
        self.expect_heading(page, "This app was removed from the vault")
        expect(page.get_by_role("main")).to_contain_text("by the owner on laptop")

    def test_an_item_is_replaced_and_leaves_the_list(self):
        page = self.check("/replace", "Items to replace", "replace", "store.example.com", "<img src=x onerror=alert(1)>",
                          "entry")
        page.get_by_role("link", name="Replace store.example.com").click()
        self.expect_heading(page, "Edit")
        page.get_by_label("New value").fill(SECRET + "replaced")
        page.get_by_role("button", name="Save changes").click()
        expect(page.get_by_role("status").first).to_contain_text("The item was saved.")
        page.goto("/replace")
        expect(page.get_by_role("link", name="Replace store.example.com")).to_have_count(0)
        expect(page.get_by_role("row").filter(has_text="img src")).to_have_count(1)

    def test_a_dismissed_item_says_why_and_leads_to_its_entry_of_the_log(self):
        for javascript in (True, False):
            page = self.show("/replace", java_script_enabled=javascript)
            dismissed = page.get_by_role("region", name="Dismissed")
            dismissed.get_by_text("whose value stays as it is").click()
            expect(dismissed.get_by_role("row").filter(has_text=CLOSED)).to_contain_text(REASON)
            expect(dismissed).to_contain_text("by the owner on laptop")
            expect(page.get_by_role("link", name=f"Replace {CLOSED}")).to_have_count(0)
            dismissed.get_by_role("link", name=re.compile("^entry [0-9]+ of the log$")).click()
            self.expect_heading(page, "Membership log")
            entry = page.get_by_role("main").get_by_role("listitem").first
            expect(entry).to_contain_text("The owner on laptop dismissed 1 item from the list of what to replace")
            expect(entry).to_contain_text(REASON)
            entry.get_by_text(re.compile("^Entry [0-9]+")).click()
            expect(entry).to_contain_text("Signed by")
            if javascript:
                self.expect_looks(page, "log-dismissal")
            entry.get_by_role("link", name="the owner on laptop").click()
            self.expect_heading(page, "laptop")

    def test_selected_items_are_dismissed_with_a_reason_without_scripts_too(self):
        for javascript, service in ((True, "first.example.com"), (False, "second.example.com")):
            page = self.show("/replace", java_script_enabled=javascript)
            form = page.get_by_role("group", name="Dismiss the selected items")
            expect(form).to_be_hidden()
            page.get_by_label(f"Select {service}").check()
            expect(form).to_be_visible()
            form.get_by_label("Reason").fill("The account is closed")
            form.get_by_label("Passphrase of this machine").fill("wrong")
            self.allow("status 422 of POST")
            form.get_by_role("button", name="Dismiss").click()
            expect(page.get_by_role("main")).to_contain_text("Nothing was dismissed.")
            # What was selected and typed is kept, but no passphrase.
            expect(page.get_by_label(f"Select {service}")).to_be_checked()
            expect(form.get_by_label("Reason")).to_have_value("The account is closed")
            if javascript:
                self.expect_looks(page, "replace-selection")
            form.get_by_label("Passphrase of this machine").fill(PASSPHRASE)
            form.get_by_role("button", name="Dismiss").click()
            expect(page.get_by_role("status").first).to_contain_text("1 item is dismissed.")
            expect(page.get_by_label(f"Select {service}")).to_have_count(0)

    def test_items_of_a_list_that_are_checked_are_dismissed_if_they_are_to_be_replaced(self):
        for javascript, service in ((True, "third.example.com"), (False, "fourth.example.com")):
            page = self.show("/items?q=example.com", java_script_enabled=javascript)
            page.get_by_label(f"Select {service}").check()
            page.get_by_role("button", name="Dismiss").click()
            self.expect_heading(page, f"Dismiss {service}?")
            if javascript:
                self.expect_looks(page, "selection-dismissal")
            page.get_by_label("Reason").fill("The account is closed")
            page.get_by_label("Passphrase of this machine").fill("wrong")
            self.allow("status 422 of POST")
            page.get_by_role("button", name="Dismiss").click()
            # The page of what to replace says why, with the item selected.
            expect(page.get_by_role("main")).to_contain_text("Nothing was dismissed.")
            expect(page.get_by_label(f"Select {service}")).to_be_checked()
            page.get_by_label("Passphrase of this machine").fill(PASSPHRASE)
            page.get_by_role("button", name="Dismiss").click()
            expect(page.get_by_role("status").first).to_contain_text("1 item is dismissed.")
            # A second time, there is nothing to dismiss.
            page.goto("/items?q=example.com")
            page.get_by_label(f"Select {service}").check()
            page.get_by_role("button", name="Dismiss").click()
            self.expect_heading(page, "Nothing to dismiss")

    def test_a_machine_that_has_not_confirmed_a_removal_says_so(self):
        page = self.show("/")
        expect(page.get_by_role("main")).to_contain_text("The machine tablet has not synced since somebody was removed")
        page.goto("/machines")
        page.get_by_role("region", name="tablet").get_by_role("link", name="tablet").click()
        self.expect_heading(page, "tablet")
        self.check(page.url, "tablet", "machine-unconfirmed", "Has not confirmed a removal", "no: not that of",
                   "Run coffer sync on it.")

    def test_a_refused_version_is_adopted(self):
        page = self.check("/refused", "Refused versions", "refused", "late.example.com", "<img src=x onerror=alert(1)>",
                          "lost the right to write it", on=self.tablet)
        card = page.get_by_role("region", name="late.example.com")
        card.get_by_role("button", name="Adopt").click()
        expect(page.get_by_role("status").first).to_contain_text("The version was adopted")
        expect(page.get_by_role("region", name="late.example.com")).to_have_count(0)
        value = self.tablet.coffer("get", "late.example.com", "jane", "--group", SHARED)
        self.assertEqual(value, SECRET + "late.example.com")

    def test_a_refused_version_is_adopted_without_scripts(self):
        page = self.show("/refused", self.tablet, java_script_enabled=False)
        page.get_by_role("region", name="plain.example.com").get_by_role("button", name="Adopt").click()
        expect(page.get_by_role("main")).to_contain_text("The version was adopted")

    def test_an_app_is_taken_out_after_its_preview(self):
        path = f"/apps/{self.team(NOTES)}"
        page = self.show(path)
        page.get_by_role("region", name="Remove from the vault").get_by_role("link").click()
        self.expect_heading(page, f"Remove {NOTES} from the vault?")
        self.check(f"{path}/remove", f"Remove {NOTES} from the vault?", "removal", "Apps that lose their rights there",
                   NOTES, SHARED)
        # The confirmation and the passphrase are required before anything is sent.
        page.get_by_role("button", name="Remove from the vault").click()
        self.expect_heading(page, f"Remove {NOTES} from the vault?")
        page.get_by_label("Passphrase of this machine").fill("wrong")
        page.get_by_label("Remove it. This cannot be undone.").check()
        self.allow("status 422 of POST")
        page.get_by_role("button", name="Remove from the vault").click()
        expect(page.get_by_role("status").first).to_contain_text("Nothing was removed from the vault.")
        self.expect_accessible(page)
        expect(page.get_by_label("Passphrase of this machine")).to_have_value("")
        page.get_by_label("Passphrase of this machine").fill(PASSPHRASE)
        page.get_by_label("Remove it. This cannot be undone.").check()
        page.get_by_role("button", name="Remove from the vault").click()
        expect(page.get_by_role("status").first).to_contain_text("It is removed from the vault.")
        expect(page.get_by_role("region", name="Removed from the vault")).to_contain_text(NOTES)
        self.assertNotIn(NOTES, self.laptop.coffer("app", "list"))

    def test_the_log_has_the_revocations_in_words(self):
        page = self.show("/log")
        main = page.get_by_role("main")
        expect(main).to_contain_text("The vault key removed the machine <b>desktop</b>")
        expect(main).to_contain_text(f"The owner on laptop removed the app {GAME} from the vault.")
        expect(main).to_contain_text("replaced the key of the access group")
        # The keys that follow a removal are one entry, which opens.
        renewals = main.get_by_text(re.compile("renewed [0-9]+ keys"))
        expect(main.get_by_text("replaced the key of the access group").first).to_be_hidden()
        renewals.first.click()
        expect(main.get_by_text("replaced the key of the access group").first).to_be_visible()
        expect(main.get_by_role("heading", level=3).first).to_have_text(re.compile("^[0-9]+ [A-Z][a-z]+ [0-9]{4}$"))
        expect(main).to_contain_text("took rights from")
        self.assertEqual(page.evaluate(FOREIGN_ELEMENTS), [])
        self.expect_fits(page)
