import pathlib
import re
import tempfile

from playwright.sync_api import expect

from inspector import Inspector
from inspector_test_case import InspectorTestCase
from machine import Machine

OLD, NEW = "the old passphrase", "the new and longer passphrase"


class Passphrase(InspectorTestCase):
    def test_the_passphrase_is_changed_and_unlocks_the_vault(self):
        folder = tempfile.TemporaryDirectory(prefix="coffer-passphrase-")
        self.addCleanup(folder.cleanup)
        machine = Machine(self.suite.programs, pathlib.Path(folder.name) / "laptop", OLD)
        machine.coffer("init", "--name", "laptop", "--passphrase-file", machine.passphrase_file, "--vault-key-file",
                       machine.home / "vault-key")
        inspector = Inspector(machine)
        self.addCleanup(inspector.end)
        page = self.open(inspector=inspector)
        page.get_by_role("link", name="Change passphrase").click()
        self.expect_heading(page, "Change passphrase")
        self.expect_looks(page, "passphrase")
        self.allow("status 42[23]")
        for current, new, repeated, words in [
            ("wrong", NEW, NEW, re.compile("Wrong passphrase")), (OLD, NEW, "another", re.compile("differ")),
        ]:
            page.get_by_label("Current passphrase").fill(current)
            page.get_by_label("New passphrase", exact=True).fill(new)
            page.get_by_label("New passphrase, once more").fill(repeated)
            page.get_by_role("button", name="Change passphrase").click()
            expect(page.get_by_role("status").first).to_contain_text(words)
            self.expect_accessible(page)
        page.get_by_label("Current passphrase").fill(OLD)
        page.get_by_label("New passphrase", exact=True).fill(NEW)
        page.get_by_label("New passphrase, once more").fill(NEW)
        page.get_by_role("button", name="Change passphrase").click()
        expect(page.get_by_role("status").first).to_contain_text("The passphrase of this machine was changed.")
        inspector.lock()
        expect(page.get_by_label("Passphrase", exact=True)).to_be_visible()
        page.get_by_label("Passphrase", exact=True).fill(NEW)
        page.get_by_role("button", name="Unlock").click()
        self.expect_heading(page, "Overview")
        machine.passphrase_file.write_text(NEW)
        machine.coffer("passphrase", "change", "--new-passphrase-file", machine.passphrase_file)
