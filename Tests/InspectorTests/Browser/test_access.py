import re

from playwright.sync_api import expect

from inspector import Inspector
from inspector_test_case import InspectorTestCase
from vault_under_test import ARCHIVE, HOSTILE, MAIL, SHARED


class Access(InspectorTestCase):
    def test_cells_of_the_matrix_explain_themselves(self):
        page = self.open("/access")
        matrix = page.get_by_role("table")
        expect(matrix.get_by_role("columnheader", name=SHARED)).to_be_visible()
        matrix.get_by_role("link", name=re.compile("^com.example.archive.*read.*why", re.I)).first.click()
        expect(page).to_have_url(re.compile("/access/why"))
        self.expect_heading(page, re.compile("^Why com.example.archive can read "))
        self.expect_accessible(page)

    def test_an_app_without_the_right_is_told_where_access_ends(self):
        page = self.open(f"/apps/{self.vault.group(ARCHIVE)}")
        self.group_choice(page).select_option(label=MAIL)
        page.get_by_role("button", name="Explain").click()
        self.expect_heading(page, f"Why {ARCHIVE} cannot read {MAIL}")
        expect(page.get_by_role("main")).to_contain_text("Access ends here")
        # The same question about another group.
        self.group_choice(page).select_option(label=SHARED)
        page.get_by_role("button", name="Explain").click()
        self.expect_heading(page, re.compile("^Why com.example.archive can read "))

    def test_an_item_says_which_apps_can_read_it_and_why_not(self):
        page = self.open_item("store.example.com")
        card = page.get_by_role("region", name="Who can read it")
        card.get_by_role("combobox", name="App").select_option(label=ARCHIVE)
        card.get_by_role("button", name="Explain").click()
        self.expect_heading(page, f"Why {ARCHIVE} cannot read store.example.com in {MAIL}")
        expect(page.get_by_role("main")).to_contain_text("Access ends here")
        self.expect_accessible(page)
        # The same question about the app that wrote it.
        page.get_by_role("combobox", name="App").select_option(label=MAIL)
        page.get_by_role("button", name="Explain").click()
        self.expect_heading(page, f"Why {MAIL} can read store.example.com in {MAIL}")
        expect(page.get_by_role("main")).to_contain_text(f"{MAIL} on laptop wrote it")
        self.expect_fits(page)

    def test_an_app_lists_its_groups_rights_and_plist(self):
        page = self.open("/apps")
        row = page.get_by_role("main").get_by_role("row").filter(has_text=ARCHIVE)
        row.get_by_role("link", name="Archive").click()
        self.expect_heading(page, "Archive")
        expect(page.get_by_role("main")).to_contain_text(self.vault.group(ARCHIVE))
        shared = page.get_by_role("row").filter(has_text=SHARED)
        expect(shared).to_contain_text("Reads")
        expect(shared).not_to_contain_text("writes")
        own = page.get_by_role("row").filter(has=page.get_by_role("link", name=ARCHIVE))
        expect(own).to_contain_text("Reads and writes")
        expect(page.get_by_role("main")).to_contain_text("<key>keychain-access-groups</key>")

    def test_the_graph_is_drawn_and_has_names(self):
        page = self.open("/access")
        drawing = page.get_by_role("main").locator("svg[role=img], svg[aria-label], svg[aria-labelledby]").first
        expect(drawing).to_be_visible()
        box = drawing.bounding_box()
        self.assertGreater(box["width"], 200)
        for name in ("Mail", "Archive", "shared", "hostile"):
            expect(drawing).to_contain_text(name)
        # Styled by the style sheet: text is not black on the dark page.
        page.emulate_media(color_scheme="dark")
        colour = drawing.locator("text").first.evaluate("text => getComputedStyle(text).fill")
        self.assertNotEqual(colour, "rgb(0, 0, 0)")

    def test_the_graph_is_first_and_the_matrix_fits_with_the_machines_of_each_app_folded(self):
        page = self.open("/access", width={"width": 1280, "height": 900})
        self.assertEqual(page.get_by_role("main").get_by_role("heading", level=2).all_inner_texts(), ["Graph", "Matrix"])
        expect(page.get_by_role("rowheader", name=ARCHIVE)).to_have_count(1)
        scrolled = page.locator(".scroll").evaluate_all("all => all.filter(e => e.scrollWidth > e.clientWidth).length")
        self.assertEqual(scrolled, 0)
        row = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name=ARCHIVE))
        expect(row.get_by_text("(this machine)")).to_be_hidden()
        row.get_by_text(re.compile("^[0-9] machines?$")).click()
        expect(row.get_by_text("(this machine)")).to_be_visible()

    def test_one_group_is_shown_alone(self):
        page = self.open(f"/groups/{self.vault.group(SHARED)}")
        page.get_by_role("link", name="Who reads this group").click()
        expect(page.get_by_role("table").get_by_role("columnheader")).to_have_count(2)
        page.get_by_role("link", name="Show all groups").click()
        expect(page.get_by_role("table").get_by_role("columnheader", name=HOSTILE)).to_be_visible()

    def test_machines_say_what_their_keys_open_and_how_they_are_taken_out(self):
        for name, removal in (("laptop", False), ("<b>desktop</b> & \"co\"", True)):
            page = self.open("/machines")
            machine = page.get_by_role("region", name=name)
            expect(machine).to_contain_text("Admin")
            machine.get_by_role("link", name=name).click()
            self.expect_heading(page, name)
            expect(page.get_by_role("region", name="What its keys open")).to_contain_text(MAIL)
            self.expect_accessible(page)
            expect(page.get_by_role("link", name="Remove from the vault")).to_have_count(1 if removal else 0)
        # Only the vault key removes an admin's machine, and no page asks for it.
        page.get_by_role("link", name="Remove from the vault").click()
        self.expect_heading(page, f"Remove {name} from the vault?")
        expect(page.get_by_role("region", name="Confirm")).to_contain_text("coffer device revoke '<b>desktop</b>")
        expect(page.get_by_role("region", name="What this does")).to_contain_text(SHARED)
        expect(page.get_by_role("main").get_by_role("button")).to_have_count(0)
        self.expect_looks(page, "removal-command")

    def test_entries_of_the_log_open(self):
        page = self.open("/log")
        expect(page.get_by_role("main")).to_contain_text(HOSTILE)
        page.get_by_text(re.compile("^Entry [0-9]+")).filter(visible=True).first.click()
        expect(page.get_by_role("main")).to_contain_text("Phrase")
        self.expect_accessible(page)

    def test_the_pages_of_an_app_have_its_groups_and_look_as_the_others(self):
        inspector = Inspector(self.vault.laptop, "--app", ARCHIVE)
        try:
            page = self.open("/", inspector=inspector)
            self.expect_heading(page, "Overview")
            menu = page.get_by_role("navigation", name="Vault")
            expect(menu).to_contain_text(f"As {ARCHIVE}")
            for name in ("Machines", "Who reads what", "Membership log", "Sync"):
                expect(menu.get_by_role("link", name=name)).to_have_count(0)
            expect(menu.get_by_role("link", name=MAIL)).to_have_count(0)
            self.expect_looks(page, "app-overview")
            menu.get_by_role("link", name="This app").click()
            self.expect_heading(page, "Archive")
            self.expect_looks(page, "app-own")
            page.get_by_role("combobox", name="Group").select_option(label=SHARED)
            page.get_by_role("button", name="Explain").click()
            self.expect_heading(page, f"Why {ARCHIVE} can read {SHARED}")
            self.allow("status 403")
            page.goto("/machines")
            self.expect_heading(page, "Only the owner sees this")
            expect(page.get_by_role("main")).to_contain_text("Start it without --app: coffer inspect")
        finally:
            inspector.end()
