"""How each page looks: its heading, accessibility, both colour schemes, from 360 px to 4K, and no values anywhere."""

import re

from playwright.sync_api import expect

from inspector_test_case import InspectorTestCase
from vault_under_test import ARCHIVE, HOSTILE, MAIL


class Pages(InspectorTestCase):
    def check(self, path: str, heading: str | re.Pattern, name: str, *texts: str):
        page = self.open(path)
        self.expect_heading(page, heading)
        expect(page).to_have_title(re.compile(" – Coffer$"))
        for text in texts:
            expect(page.get_by_role("main")).to_contain_text(text)
        self.expect_no_value(page)
        self.expect_looks(page, name)
        return page

    def check_item(self, search: str, name: str, *texts: str, **options):
        path = self.open_item(search, **options).url
        return self.check(path, re.compile(re.escape(search)), name, *texts)

    def test_overview(self):
        page = self.check("/", "Overview", "overview", "mail", "archive", "hostile")
        # What needs attention: conflicts, and certificates that have expired or are about to.
        for text in ("conflict", "expired.example.com", "ending.example.com"):
            expect(page.get_by_role("main")).to_contain_text(text)

    def test_all_items(self):
        self.check("/items", "All items", "items")

    def test_a_group(self):
        self.check(f"/groups/{self.vault.group(MAIL)}", "Mail", "group", MAIL, "store.example.com",
                   "imap.example.com", "server.example.com", "Backup key")

    def test_a_long_group(self):
        self.check(f"/groups/{self.vault.group(ARCHIVE)}", "Archive", "group-long", "archive.example.com")

    def test_a_group_of_hostile_names(self):
        self.check(f"/groups/{self.vault.group(HOSTILE)}", "Hostile", "group-hostile")

    def test_a_generic_password(self):
        self.check_item("store.example.com", "item-generic", "jane", "laptop")

    def test_an_internet_password(self):
        path = self.open_item("imap.example.com", item_class="inet").url
        self.check(path, "Mail of Jane", "item-internet", "jane", "imap.example.com:993/inbox", "The old account")

    def test_a_certificate(self):
        self.check_item("server.example.com", "item-certificate", "Example Issuing", "Example Root", item_class="cert")

    def test_an_expired_certificate(self):
        self.check_item("expired.example.com", "item-expired", "xpired", item_class="cert")

    def test_a_key(self):
        self.check_item("server.example.com", "item-key", "256", item_class="keys")

    def test_an_item_in_conflict(self):
        self.check_item("conflict.example.com", "item-conflict", "onflict")

    def test_an_item_with_a_history(self):
        self.check_item("history.example.com", "item-history", "laptop")

    def test_certificates(self):
        self.check("/certificates", "Certificates", "certificates", "Example Root", "Example Issuing",
                   "server.example.com", "expired.example.com", "ending.example.com")

    def test_keys(self):
        self.check("/keys", "Keys", "keys", "Backup key", "server.example.com", "256")

    def test_conflicts(self):
        self.check("/conflicts", "Conflicts", "conflicts", "conflict.example.com")

    def test_apps(self):
        self.check("/apps", "Apps", "apps", MAIL, ARCHIVE, HOSTILE)

    def test_an_app(self):
        page = self.check(f"/apps/{self.vault.group(ARCHIVE)}", re.compile("Archive"), "app", "com.example.shared",
                          "coffer-read-only-access-groups")
        expect(page.get_by_role("main")).to_contain_text("keychain-access-groups")

    def test_machines(self):
        self.check("/machines", "Machines", "machines", "laptop", "<b>desktop</b> & \"co\"")

    def test_the_membership_log(self):
        self.check("/log", "Membership log", "log", MAIL, "laptop")

    def test_who_reads_what(self):
        self.check("/access", "Who reads what", "access", "mail", "archive", "shared", "laptop")

    def test_why_an_app_cannot_read(self):
        self.check(f"/access/why?app={self.vault.group(ARCHIVE)}&group={self.vault.group(MAIL)}",
                   f"Why {ARCHIVE} cannot read {MAIL}", "why", "archive", "mail")

    def test_sync(self):
        self.check("/sync", "Sync", "sync", "remote.git")

    def test_a_page_that_does_not_exist(self):
        self.allow("status 404 of GET")
        page = self.check("/nothing", re.compile("."), "missing")
        expect(page.get_by_role("link", name="Overview").first).to_be_visible()
