import contextlib
import os
import re
import subprocess

from playwright.sync_api import Page, expect

from inspector_test_case import InspectorTestCase


class Sync(InspectorTestCase):
    @contextlib.contextmanager
    def held_push(self):
        """Lets the remote wait in the middle of each push. Yields a function that lets it go on."""
        hook, release = self.vault.remote / "hooks/pre-receive", self.vault.folder / "release"
        release.unlink(missing_ok=True)
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\nwhile [ ! -e '{release}' ]; do sleep 0.05; done\n")
        hook.chmod(0o755)
        try:
            yield release.touch
        finally:
            release.touch()
            hook.unlink()

    def phases(self, page: Page):
        return page.get_by_role("list", name="Phases of the sync").get_by_role("listitem")

    def test_a_sync_shows_its_progress_and_result(self):
        self.vault.set("for-sync.example.com")
        page = self.open("/sync")
        expect(page.get_by_role("main")).to_contain_text(re.compile("[1-9][0-9]* change"))
        page.get_by_role("button", name="Sync now").click()
        expect(page.get_by_role("status").filter(has_text="The sync is complete").first).to_be_visible()
        expect(page.get_by_role("log")).to_contain_text("sent:")
        self.expect_accessible(page)
        self.expect_fits(page)
        for words in ("Sent", "Conflicts", "Retries", "Bytes", "Time"):
            expect(page.locator("#result dt", has_text=words)).to_be_visible()
        # The state beside it is that after the sync.
        expect(page.get_by_role("region", name="State")).to_contain_text("0 changes")
        self.vault.desktop.coffer("sync")
        self.assertIn("jane", self.vault.desktop.coffer("list", "for-sync.example.com"))

    def test_the_bar_follows_the_numbers_of_the_sync(self):
        page = self.open("/sync")
        steps = [{"isRunning": True, "isCancelled": False, "lines": [], "message": "A sync is running.",
                  "phases": [], "repetition": "It has begun again 2 times.", "done": done, "total": total}
                 for done, total in [(0, 0), (12, 48)]]
        answers = iter(steps)
        page.route("**/sync/progress", lambda route: route.fulfill(json=next(answers, steps[-1])))
        page.route("**/sync/start", lambda route: route.fulfill(json=steps[0]))
        page.get_by_role("button", name="Sync now").click()
        bar = page.get_by_role("progressbar", name="Progress of the sync")
        expect(bar).to_have_attribute("max", "48")
        self.assertEqual(bar.evaluate("bar => [bar.value, bar.position]"), [12, 0.25])
        expect(page.get_by_text("It has begun again 2 times.")).to_be_visible()

    def test_a_sync_is_shown_live_phase_by_phase_with_its_numbers_until_its_result(self):
        self.vault.set("live-of-the-other.example.com", machine=self.vault.desktop)
        self.vault.desktop.coffer("sync")
        self.vault.set("live.example.com")
        page = self.open("/sync")
        with self.held_push() as go_on:
            page.get_by_role("button", name="Sync now").click()
            phases = self.phases(page)
            expect(phases.nth(3)).to_have_text(re.compile("^Sending.*now$"))
            expect(phases.nth(0)).to_have_text(re.compile("^Asking the remote.*done$"))
            expect(phases.nth(1)).to_have_text(re.compile(r"^Receiving (\d+) of \1 objects, .*B.*done$"))
            expect(phases.nth(2)).to_have_text(re.compile(r"^Importing ([1-9]\d*) of \1 files of other machines.*done$"))
            expect(page.get_by_role("status").filter(has_text="it sends the changes of this machine")).to_be_visible()
            expect(page.get_by_role("progressbar", name="Progress of the sync")).to_be_visible()
            expect(page.get_by_role("button", name="Sync now")).to_be_disabled()
            # The page of somebody who comes later shows the same.
            expect(self.phases(self.open("/sync", javascript=False)).nth(3)).to_have_text(re.compile("^Sending.*now$"))
            self.expect_looks(page, "sync-live")
            go_on()
            expect(page.get_by_role("status").filter(has_text="The sync is complete").first).to_be_visible()
        expect(phases.nth(3)).to_have_text(re.compile(r"^Sending, .*B.*done$"))
        result = page.locator("#result")
        for fact in (r"Received\s*[1-9]\d* item change", r"Sent\s*[1-9]\d* item change", r"Conflicts\s*\d+ items?",
                     r"Retries\s*0", r"Bytes\s*[\d.]+ k?B received, [\d.]+ k?B sent", r"Time\s*[\d.]+ second"):
            expect(result).to_contain_text(re.compile(fact))
        expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
        self.expect_looks(page, "sync-result")

    def test_a_sync_is_cancelled_and_the_next_one_continues(self):
        self.vault.set("cancelled.example.com")
        page = self.open("/sync")
        with self.held_push():
            page.get_by_role("button", name="Sync now").click()
            expect(self.phases(page).nth(3)).to_have_text(re.compile("^Sending.*now$"))
            page.get_by_role("button", name="Cancel").click()
            expect(page.get_by_role("status").filter(has_text="The sync was cancelled.")).to_be_visible()
            expect(self.phases(page).nth(3)).to_have_text(re.compile("^Sending.*stopped here$"))
            expect(page.locator("#result")).to_contain_text("What has arrived is kept.")
            self.expect_accessible(page)
        page.get_by_role("button", name="Sync now").click()
        expect(page.get_by_role("status").filter(has_text="The sync is complete").first).to_be_visible()
        self.vault.desktop.coffer("sync")
        self.assertIn("jane", self.vault.desktop.coffer("list", "cancelled.example.com"))

    def test_a_sync_that_fails_says_why_and_what_to_do(self):
        away = self.vault.remote.with_name("away.git")
        page = self.open("/sync")
        self.vault.remote.rename(away)
        try:
            page.get_by_role("button", name="Sync now").click()
            expect(page.get_by_role("status").filter(has_text=re.compile("fail|not", re.I)).first).to_be_visible()
            result = page.locator("#result")
            expect(result).to_contain_text("remote.git")
            with self.assertRaises(RuntimeError) as terminal:
                self.vault.laptop.coffer("sync")
            # The words of the terminal, with the recovery suggestion as a sentence of its own.
            message, advice = str(terminal.exception).split("coffer: ", 1)[1].strip().split("; ", 1)
            for words in (message, advice):
                expect(result).to_contain_text(words, ignore_case=True)
            # The health says so until a sync succeeds, also on the overview.
            state = page.get_by_role("region", name="State")
            expect(state).to_contain_text(re.compile(r"Sync fails\s*1 time since"))
            page.goto("/")
            expect(page.get_by_role("region", name="Needs attention")).to_contain_text("The last sync has failed")
            page.goto("/sync")
            self.expect_looks(page, "sync-failed")
        finally:
            away.rename(self.vault.remote)
        page.get_by_role("button", name="Sync now").click()
        expect(page.get_by_role("status").filter(has_text="The sync is complete").first).to_be_visible()
        expect(state).not_to_contain_text("Sync fails")

    def test_problems_are_unread_until_a_page_has_listed_them(self):
        self.vault.set("lost.example.com")
        self.vault.laptop.coffer("sync")
        self.lose_segment()
        # As a sync in the background.
        with self.assertRaisesRegex(RuntimeError, "exit code 6"):
            self.vault.laptop.run("coffer-sync", "sync", "--leave-unread")
        page = self.open("/")
        expect(page.get_by_role("region", name="Needs attention")).to_contain_text("A sync has found a problem")
        page.goto("/sync")
        state = page.get_by_role("region", name="State")
        expect(state).to_contain_text("1 unread problem")
        page.get_by_role("button", name="Sync now").click()
        expect(page.locator("#result")).to_contain_text(re.compile(r"has lost segments/.* \(found by an earlier sync, at"))
        expect(state).not_to_contain_text("unread")
        page.goto("/")
        expect(page.get_by_role("main")).not_to_contain_text("A sync has found a problem")
        # The page that lists the first loss has not shown the second one.
        self.lose_segment()
        with self.assertRaisesRegex(RuntimeError, "exit code 6"):
            self.vault.laptop.run("coffer-sync", "sync", "--leave-unread")
        for _ in range(2):
            page.goto("/sync")
            expect(state).to_contain_text("1 unread problem")
        # The other tests have the same vault.
        with self.assertRaisesRegex(RuntimeError, "exit code 6"):
            self.vault.laptop.coffer("sync")

    def lose_segment(self):
        """Removes the last segment from the remote."""
        script = """
            path=$(git ls-tree -r --name-only vault-1 segments | tail -n 1)
            git read-tree vault-1
            git rm --quiet --cached "$path"
            commit=$(git -c user.name=host -c user.email=host@localhost commit-tree -p vault-1 -m x "$(git write-tree)")
            git update-ref refs/heads/vault-1 "$commit"
            """
        environment = os.environ | {"GIT_DIR": str(self.vault.remote), "GIT_INDEX_FILE": str(self.vault.folder / "index")}
        subprocess.run(["sh", "-ec", script], check=True, env=environment)

    def test_the_state_names_the_epochs_and_the_last_signs_of_life_of_other_machines(self):
        self.vault.set("before-compact.example.com", machine=self.vault.desktop)
        self.vault.desktop.coffer("sync")
        page = self.open("/sync")
        epoch = page.get_by_role("region", name="Epoch 1")
        expect(epoch).to_contain_text(re.compile(r"Begun\s*\d{4}-.* by laptop"))
        expect(epoch).to_contain_text(re.compile(r"Size\s*[\d.]+ (kB|MB)\s*Begun"))
        expect(epoch).to_contain_text("An admin’s machine begins it in a sync when this size exceeds 8.4 MB and about four times")
        self.vault.laptop.coffer("compact")
        page.reload()
        epoch = page.get_by_role("region", name="Epoch 2")
        expect(epoch).to_contain_text(re.compile(r"Size\s*[\d.]+ (kB|bytes) since its snapshot of [\d.]+ (kB|MB)"))
        rows = epoch.get_by_role("row")
        expect(rows).to_have_count(3)
        expect(rows.nth(1)).to_have_text(re.compile(r"2\s*Current\s*\d{4}-.* by laptop"))
        expect(rows.nth(2)).to_have_text(re.compile(r"1\s*\d{4}-.* by laptop"))
        signs = page.get_by_role("region", name="Last signs of life")
        expect(signs.get_by_role("row").nth(1)).to_contain_text("<b>desktop</b> & \"co\"")
        expect(signs.get_by_role("row").nth(1)).to_contain_text(re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d \(.+\)"))
        self.expect_looks(page, "sync-epochs")

    def test_items_of_another_machine_appear(self):
        self.vault.set("from-desktop.example.com", machine=self.vault.desktop)
        self.vault.desktop.coffer("sync")
        page = self.open("/sync")
        page.get_by_role("button", name="Sync now").click()
        expect(page.get_by_role("status").filter(has_text="The sync is complete").first).to_be_visible()
        page.goto("/items?q=from-desktop")
        expect(self.items(page)).to_have_count(1)
