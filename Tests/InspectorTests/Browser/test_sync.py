import re

from playwright.sync_api import expect

from inspector_test_case import InspectorTestCase


class Sync(InspectorTestCase):
    def test_a_sync_shows_its_progress_and_result(self):
        self.vault.set("for-sync.example.com")
        page = self.open("/sync")
        expect(page.get_by_role("main")).to_contain_text(re.compile("[1-9][0-9]* change"))
        page.get_by_role("button", name="Sync now").click()
        expect(page.get_by_role("status").filter(has_text="The sync is complete").first).to_be_visible()
        expect(page.get_by_role("log")).to_contain_text("sent:")
        self.expect_accessible(page)
        self.expect_fits(page)
        # The state beside it is that after the sync.
        expect(page.get_by_role("region", name="State")).to_contain_text("0 changes")
        self.vault.desktop.coffer("sync")
        self.assertIn("jane", self.vault.desktop.coffer("list", "for-sync.example.com"))

    def test_the_bar_follows_the_numbers_of_the_sync(self):
        page = self.open("/sync")
        steps = [{"isRunning": True, "lines": [], "message": "A sync is running.", "done": done, "total": total}
                 for done, total in [(0, 0), (12, 48)]]
        answers = iter(steps)
        page.route("**/sync/progress", lambda route: route.fulfill(json=next(answers, steps[-1])))
        page.route("**/sync/start", lambda route: route.fulfill(json=steps[0]))
        page.get_by_role("button", name="Sync now").click()
        bar = page.get_by_role("progressbar", name="Progress of the sync")
        expect(bar).to_have_attribute("max", "48")
        self.assertEqual(bar.evaluate("bar => [bar.value, bar.position]"), [12, 0.25])

    def test_a_sync_that_fails_says_why_and_what_to_do(self):
        away = self.vault.remote.with_name("away.git")
        page = self.open("/sync")
        self.vault.remote.rename(away)
        try:
            page.get_by_role("button", name="Sync now").click()
            expect(page.get_by_role("status").filter(has_text=re.compile("fail|not", re.I)).first).to_be_visible()
            expect(page.get_by_role("main")).to_contain_text("remote.git")
        finally:
            away.rename(self.vault.remote)

    def test_items_of_another_machine_appear(self):
        self.vault.set("from-desktop.example.com", machine=self.vault.desktop)
        self.vault.desktop.coffer("sync")
        page = self.open("/sync")
        page.get_by_role("button", name="Sync now").click()
        expect(page.get_by_role("status").filter(has_text="The sync is complete").first).to_be_visible()
        page.goto("/items?q=from-desktop")
        expect(self.items(page)).to_have_count(1)
