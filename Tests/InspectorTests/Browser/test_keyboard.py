import re

from playwright.sync_api import expect

from inspector_test_case import NARROW, InspectorTestCase
from vault_under_test import MAIL, SECRET


# In a list, the row of the link is marked.
IS_MARKED = """element => [element, element.closest("tr, li")].some(element => {
  const style = element && getComputedStyle(element);
  return style && (style.outlineStyle !== "none" || style.boxShadow !== "none");
})"""


class Keyboard(InspectorTestCase):
    def expect_focus(self, page, name: str | re.Pattern):
        """Waits until an element with this name has the focus, which must be visible."""
        focused = page.locator(":focus")
        expect(focused).to_have_accessible_name(name)
        self.assertTrue(focused.evaluate(IS_MARKED), f"the focus of {name} is not visible")

    def tab_to(self, page, name: str | re.Pattern, limit: int = 80):
        """Presses Tab until an element with this name has the focus."""
        seen = []
        for _ in range(limit):
            page.keyboard.press("Tab")
            # In one step: a script of the page can take the focus away at any moment.
            seen.append(page.evaluate("""() => {
                const focused = document.querySelector(":focus")
                return focused?.ariaLabel || focused?.labels?.[0]?.innerText || focused?.innerText || ""
            }"""))
            if re.fullmatch(name, seen[-1].strip()):
                return
        self.fail(f"{name} cannot be reached with Tab: {seen}")

    def follow(self, page):
        """Presses Enter, and waits for the page that it opens: the next key would be one for the former page."""
        with page.expect_navigation():
            page.keyboard.press("Enter")

    def test_an_item_is_found_read_edited_and_deleted_with_the_keyboard_alone(self):
        self.vault.set("keyboard.example.com")
        page = self.open()
        # From the overview to the group, by its row.
        page.keyboard.press("j")
        for _ in range(10):
            if page.locator(":focus").inner_text() == MAIL:
                break
            page.keyboard.press("j")
        page.keyboard.press("Enter")
        self.expect_heading(page, "Mail")
        page.keyboard.press("/")
        self.expect_focus(page, "Search")
        page.keyboard.type("keyboard.exa")
        expect(self.items(page)).to_have_count(1)
        page.keyboard.press("ArrowDown")
        self.expect_focus(page, re.compile("keyboard.example.com"))
        page.keyboard.press("Enter")
        self.expect_heading(page, "keyboard.example.com")
        self.tab_to(page, "Show value")
        page.keyboard.press("Enter")
        expect(page.locator("#value")).to_have_text(SECRET + "keyboard.example.com")
        # Esc hides it, and the focus is where the work was.
        page.keyboard.press("Escape")
        self.expect_no_value(page)
        self.expect_focus(page, "Show value")
        page.reload()
        self.tab_to(page, "Edit")
        self.follow(page)
        self.tab_to(page, "Label", limit=120)
        page.keyboard.type("Typed")
        self.follow(page)
        expect(page.get_by_role("main")).to_contain_text("Typed")
        self.tab_to(page, "Delete")
        self.follow(page)
        self.tab_to(page, "Delete item")
        self.follow(page)
        expect(page.get_by_role("button", name="Undo")).to_be_visible()
        with self.assertRaises(RuntimeError):
            self.vault.laptop.coffer("get", "keyboard.example.com", "jane", "--app", MAIL)
        self.tab_to(page, "Undo")
        page.keyboard.press("Enter")
        page.wait_for_load_state()
        expect(page.get_by_role("button", name="Undo")).to_have_count(0)
        self.vault.laptop.coffer("get", "keyboard.example.com", "jane", "--app", MAIL)

    def test_an_answer_to_a_search_that_is_late_leaves_the_focus_in_the_list(self):
        self.vault.set("late.example.com")
        page = self.open(f"/groups/{self.vault.group(MAIL)}?class=genp&q=late.example.co")
        held = []
        page.route("**/groups/**", lambda route: held.append(route))
        page.locator("#search").press("End")
        with page.expect_request("**q=late.example.com*"):
            page.keyboard.type("m")
        page.keyboard.press("ArrowDown")
        self.expect_focus(page, re.compile("late.example.com"))
        held[-1].continue_()
        page.wait_for_url("**q=late.example.com*")
        self.expect_focus(page, re.compile("late.example.com"))

    def stops_to(self, page, name: str | re.Pattern) -> int:
        """Returns how many keys lead to an element: Tab, and Enter where the link to the content has the focus."""
        page.reload()
        page.keyboard.press("Tab")
        self.expect_focus(page, "Skip to the content")
        page.keyboard.press("Enter")
        for stops in range(2, 40):
            page.keyboard.press("Tab")
            focused = page.locator(":focus")
            if focused.count() and re.fullmatch(name, (focused.get_attribute("aria-label") or focused.evaluate(
                    "element => element.labels?.[0]?.innerText || element.innerText")).strip()):
                return stops
        return 40

    def test_each_action_of_a_page_is_at_most_twelve_stops_away(self):
        group = f"/groups/{self.vault.group(MAIL)}"
        self.vault.set("stops.example.com")
        item = self.open_item("stops.example.com").url.split("?")[0]
        for path, names in {
            "/": ["New item", "Sync"],
            group: ["New item", "Who reads this group", "Search", "Filter", "More"],
            item: ["Edit", "Move", "Delete", "Show value", "Copy value"],
            "/certificates": ["Import certificate", "Filter"],
            "/keys": ["New key"],
            "/items/new": ["Generic password", "Internet password", "Key", "Certificate", "Service", "Account"],
            "/import": ["Choose a file, or drop it here", "Group", "Password of the file"],
            "/passphrase": ["Current passphrase", "New passphrase", "Change passphrase"],
            f"/apps/{self.vault.group(MAIL)}": ["Explain"],
            "/sync": ["Sync now"],
            f"{item}/delete": ["Delete item"], f"{item}/move": ["Group", "Move item"],
        }.items():
            page = self.open(path)
            for name in names:
                with self.subTest(path, name=name):
                    self.assertLessEqual(self.stops_to(page, re.escape(name)), 12)
            page.context.close()

    def test_an_item_is_found_from_any_page_shown_and_edited_by_keys(self):
        self.vault.set("found.example.com")
        page = self.open("/apps")
        page.keyboard.press("Control+k")
        page.keyboard.type("found.example.com")
        expect(page.get_by_role("option", selected=True)).to_contain_text("found.example.com")
        page.keyboard.press("Enter")
        self.expect_heading(page, "found.example.com")
        page.keyboard.press("v")
        expect(page.locator("#value")).to_have_text(SECRET + "found.example.com")
        page.keyboard.press("v")
        self.expect_no_value(page)
        page.keyboard.press("e")
        self.expect_heading(page, "Edit found.example.com")
        page.goto("/")
        page.keyboard.press("n")
        self.expect_heading(page, "New item")

    def test_the_first_tab_skips_to_the_content(self):
        page = self.open()
        page.keyboard.press("Tab")
        self.expect_focus(page, "Skip to the content")
        page.keyboard.press("Enter")
        expect(page.locator("#main")).to_be_focused()

    def test_keys_move_in_a_list_and_escape_goes_back(self):
        page = self.open(f"/groups/{self.vault.group(MAIL)}")
        names = self.titles(page)
        page.keyboard.press("j")
        self.expect_focus(page, re.compile(re.escape(names[0])))
        page.keyboard.press("ArrowDown")
        self.expect_focus(page, re.compile(re.escape(names[1])))
        page.keyboard.press("k")
        self.expect_focus(page, re.compile(re.escape(names[0])))
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile("/items/"))
        page.keyboard.press("Escape")
        expect(page).to_have_url(re.compile("/groups/"))

    def test_a_form_that_was_changed_is_left_after_a_question_or_by_cancel(self):
        self.vault.set("half.example.com")
        page = self.open_item("half.example.com")
        self.expect_heading(page, re.compile("^half"))
        page.keyboard.press("e")
        self.expect_heading(page, "Edit half.example.com")
        # Nothing was changed, and nothing is asked.
        page.keyboard.press("Escape")
        self.expect_heading(page, re.compile("^half"))
        page.keyboard.press("e")
        self.expect_heading(page, "Edit half.example.com")
        label = page.get_by_label("Label")
        label.press_sequentially("Typed")
        page.keyboard.press("Escape")
        # The tests dismiss each question: the page stays.
        self.allow("^dialog: ")
        for keys in (["Escape"], ["g", "i"], ["Enter"]):
            if keys == ["Enter"]:
                page.get_by_role("link", name="Apps", exact=True).focus()
            with page.expect_event("dialog"):
                for key in keys:
                    page.keyboard.press(key)
            expect(label).to_have_value("Typed")
        asked = len(self.faults)
        page.get_by_role("link", name="Cancel").click()
        self.expect_heading(page, re.compile("^half"))
        self.assertEqual(len(self.faults), asked)

    def test_a_question_mark_shows_the_keys(self):
        page = self.open()
        page.keyboard.press("?")
        expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
        self.expect_accessible(page)
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()

    def test_the_menu_of_a_narrow_window_opens_and_closes(self):
        page = self.open(width=NARROW)
        menu = page.get_by_role("navigation", name="Vault")
        expect(menu).to_be_hidden()
        page.get_by_role("button", name="Menu").press("Enter")
        expect(menu).to_be_visible()
        self.expect_accessible(page)
        self.picture(page, "menu-360-light")
        page.keyboard.press("Escape")
        expect(menu).to_be_hidden()
        page.get_by_role("button", name="Menu").press("Enter")
        menu.get_by_role("link", name="Machines").click()
        self.expect_heading(page, "Machines")
