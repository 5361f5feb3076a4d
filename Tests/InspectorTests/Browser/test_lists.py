import re

from playwright.sync_api import expect

from inspector_test_case import InspectorTestCase
from vault_under_test import ARCHIVE, ARCHIVED, MAIL, SHARED


# Holds back the answer to the search for `account-1` until `release()`, also if the page has aborted the request.
HOLDING_FETCH = """() => {
  const fetchAtOnce = window.fetch, held = [];
  window.fetch = (address, options) => !/[?]q=account-1(&|$)/.test(address) ? fetchAtOnce(address, options)
    : new Promise(resolve => held.push(() => resolve(fetchAtOnce(address, {...options, signal: undefined}))));
  window.release = () => held.map(answer => answer()).length;
}"""

# Holds back answers for a path until `release()`, which returns their number when the page has had time to show them.
HOLDING_ITEM = """path => {
  const fetchAtOnce = window.fetch, held = [];
  window.fetch = (address, options) => !String(address).includes(path) ? fetchAtOnce(address, options)
    : new Promise(resolve => held.push(() => resolve(fetchAtOnce(address, options))));
  window.release = async () => {
    const count = held.splice(0).map(answer => answer()).length;
    await fetchAtOnce(path + location.search).then(answer => answer.text());
    await new Promise(resolve => setTimeout(resolve, 500));
    return count;
  };
}"""


class Lists(InspectorTestCase):
    def list(self, query: str = "", group: str = MAIL, **options):
        return self.open(f"/groups/{self.vault.group(group)}{query}", **options)

    def test_a_list_has_items_of_every_class(self):
        page = self.list()
        for name in ("store.example.com", "Mail of Jane", "Example Root", "Backup key"):
            expect(self.items(page).get_by_role("link", name=name)).to_have_count(1)
        # The certificate and the key of the server.
        expect(self.items(page).get_by_role("link", name="server.example.com")).to_have_count(2)

    def test_a_class_is_chosen(self):
        page = self.list()
        self.open_filter(page)
        for choice, code, present, absent in [
            ("Generic passwords", "genp", "store.example.com", "Mail of Jane"),
            ("Internet passwords", "inet", "Mail of Jane", "store.example.com"),
            ("Certificates", "cert", "Example Root", "Backup key"),
            ("Keys", "keys", "Backup key", "Example Root"),
            ("Identities", "idnt", "server.example.com", "Example Root"),
        ]:
            page.get_by_label("Class").select_option(label=choice)
            expect(self.items(page).get_by_role("link", name=absent)).to_have_count(0)
            expect(self.items(page).get_by_role("link", name=present)).to_have_count(1)
            expect(page).to_have_url(re.compile(f"class={code}"))

    def test_a_search_answers_while_a_person_types(self):
        page = self.list(group=ARCHIVE)
        documents = []
        page.on("request", lambda request: documents.append(request.url) if request.is_navigation_request() else None)
        page.get_by_role("searchbox", name="Search", exact=True).press_sequentially("account-117", delay=20)
        expect(self.items(page)).to_have_count(1)
        expect(self.items(page).first).to_contain_text("account-117")
        # Only the list was asked for. The address can be shared and reloaded.
        self.assertEqual(documents, [])
        expect(page).to_have_url(re.compile("q=account-117"))
        page.reload()
        expect(self.items(page)).to_have_count(1)
        expect(page.get_by_role("searchbox", name="Search", exact=True)).to_have_value("account-117")

    def test_the_number_of_found_items_is_announced(self):
        page = self.list(group=ARCHIVE)
        search = page.get_by_role("searchbox", name="Search", exact=True)
        search.fill("account-11")
        status = page.get_by_role("status").filter(has_text="item")
        # account-11 and account-110 to account-119.
        expect(status.first).to_contain_text("11 items")
        search.fill("no such item")
        expect(page.get_by_role("status").filter(has_text=re.compile("^No items")).first).to_be_attached()
        expect(page.get_by_text("No item matches")).to_be_visible()
        search.fill("")
        expect(self.items(page)).to_have_count(50)

    def test_the_latest_search_wins_when_answers_overtake(self):
        page = self.list(group=ARCHIVE)
        page.evaluate(HOLDING_FETCH)
        search = page.get_by_role("searchbox", name="Search", exact=True)
        search.fill("account-1")
        expect(page.locator("#items")).to_have_attribute("aria-busy", "true")
        search.fill("account-117")
        expect(self.items(page)).to_have_count(1)
        self.assertEqual(page.evaluate("release()"), 1)
        page.wait_for_load_state("networkidle")
        expect(self.items(page)).to_have_count(1)

    def test_a_list_is_sorted_by_a_choice_and_by_its_headings(self):
        page = self.list("?class=genp")
        self.open_filter(page)
        for choice, order, is_reversed in (("Name, A to Z", "name", False), ("Name, Z to A", "-name", True)):
            page.get_by_label("Sort by").select_option(label=choice)
            expect(page).to_have_url(re.compile(f"sort={order}$"))
            titles = self.titles(page)
            self.assertEqual(titles, sorted(titles, key=str.casefold, reverse=is_reversed))
        # Elsewhere, a click closes the choices.
        page.get_by_role("heading", level=1).click()
        for name, order in (("Modified", "descending"), ("Modified", "ascending"), ("Name", "ascending")):
            heading = page.get_by_role("columnheader", name=name)
            heading.get_by_role("link").click()
            expect(heading).to_have_attribute("aria-sort", order)
        self.assertEqual(self.titles(page), sorted(titles, key=str.casefold))

    def test_a_list_is_paged(self):
        page = self.list(group=ARCHIVE)
        expect(self.items(page)).to_have_count(50)
        expect(page.locator("#items")).to_contain_text(f"of {ARCHIVED} items")
        seen = self.items(page).all_inner_texts()
        for number, count in ((2, 50), (3, ARCHIVED - 100)):
            page.get_by_role("link", name="Next").click()
            expect(page).to_have_url(re.compile(f"page={number}"))
            expect(self.items(page)).to_have_count(count)
            seen += self.items(page).all_inner_texts()
        # Every item is on one page.
        accounts = [re.search(r"account-\d+", text).group() for text in seen]
        self.assertEqual(len(set(accounts)), ARCHIVED)
        expect(page.get_by_role("link", name="Next")).to_have_count(0)
        page.get_by_role("link", name="Previous").click()
        expect(page).to_have_url(re.compile("page=2"))

    def test_conflicts_and_expiring_items_are_filtered(self):
        page = self.list()
        self.open_filter(page)
        page.get_by_label("Show").select_option(label="With a conflict")
        expect(self.items(page).get_by_role("link", name="conflict.example.com")).to_have_count(1)
        expect(self.items(page).get_by_role("link", name="store.example.com")).to_have_count(0)
        page.get_by_label("Show").select_option(label="Expiring or expired")
        expect(self.items(page).get_by_role("link", name="ending.example.com")).to_have_count(1)
        expect(self.items(page).get_by_role("link", name="expired.example.com")).to_have_count(1)
        expect(self.items(page)).to_have_count(2)

    def test_the_palette_finds_items_pages_and_actions_from_every_page(self):
        page = self.open("/apps")
        page.get_by_role("link", name="Search Ctrl K").click()
        field = page.get_by_role("combobox", name="Go to")
        options = page.locator("#palette-list").get_by_role("option")
        expect(options.filter(has_text="Overview")).to_be_visible()
        self.expect_accessible(page)
        field.fill("multi-line")
        expect(options).to_have_count(1)
        field.press("Enter")
        self.expect_heading(page, "note")
        page.keyboard.press("Control+k")
        field.fill("certif")
        expect(options.filter(has_text="Import certificates")).to_be_visible()
        options.filter(has_text=re.compile("^Certificates")).click()
        self.expect_heading(page, "Certificates")
        page.keyboard.press("Control+k")
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)

    def test_an_item_opens_beside_its_list_and_the_back_button_closes_it(self):
        page = self.list()
        documents = []
        page.on("request", lambda request: documents.append(request.url) if request.is_navigation_request() else None)
        for name in ("store.example.com", "history.example.com"):
            self.items(page).get_by_role("link", name=name).click()
            self.expect_heading(page, name)
            expect(self.items(page).get_by_role("link", name=name)).to_have_attribute("aria-current", "page")
            expect(page).to_have_title(f"{name} – Coffer")
        self.expect_accessible(page)
        self.assertEqual(documents, [])
        page.go_back()
        self.expect_heading(page, "store.example.com")
        page.reload()
        self.expect_heading(page, "store.example.com")
        expect(self.items(page).get_by_role("link", name="store.example.com")).to_have_attribute("aria-current", "page")
        page.go_back()
        expect(page.get_by_text("No item is chosen")).to_be_visible()
        expect(page).to_have_url(re.compile("/groups/"))

    def test_an_answer_that_is_late_does_not_replace_the_item_that_was_chosen_since(self):
        for number in range(3):
            self.vault.set(f"turn{number}.example.com")
        page = self.list("?q=turn")
        links = self.items(page).get_by_role("link")
        for number in range(2):
            links.nth(number).click()
            self.expect_heading(page, f"turn{number}.example.com")
        # Back asks for the first item, whose answer is held back until another one is shown.
        paths = [link.evaluate("link => link.pathname") for link in links.all()]
        page.evaluate(HOLDING_ITEM, paths[0])
        page.go_back()
        expect(page).to_have_url(re.compile(re.escape(paths[0])))
        links.nth(2).click()
        self.expect_heading(page, "turn2.example.com")
        self.assertEqual(page.evaluate("window.release()"), 1)
        self.expect_heading(page, "turn2.example.com")
        expect(page).to_have_url(re.compile(re.escape(paths[2])))
        # Back and Forward: the answer comes when the item that is shown is the right one again.
        page.go_back()
        expect(page).to_have_url(re.compile(re.escape(paths[0])))
        page.go_forward()
        expect(page).to_have_url(re.compile(re.escape(paths[2])))
        self.assertEqual(page.evaluate("window.release()"), 1)
        self.expect_heading(page, "turn2.example.com")

    def test_nothing_of_a_row_is_outside_of_the_window_and_its_name_has_most_of_it(self):
        page = self.list(width={"width": 1280, "height": 900})
        row = self.items(page).first.bounding_box()
        self.assertLessEqual(row["height"], 41)
        heading = page.get_by_role("columnheader", name="Name").bounding_box()
        self.assertGreaterEqual(heading["width"], 0.45 * row["width"])
        expect(page.get_by_role("columnheader", name="Modified")).to_be_in_viewport(ratio=1)
        page.set_viewport_size({"width": 390, "height": 844})
        self.assertLessEqual(self.items(page).first.bounding_box()["y"], 220)

    def test_selected_items_are_deleted_and_moved_together(self):
        for number in range(4):
            self.vault.set(f"selected{number}.example.com")
        page = self.list("?q=selected")
        boxes = page.get_by_role("checkbox")
        boxes.nth(0).check()
        boxes.nth(2).click(modifiers=["Shift"])
        page.get_by_role("button", name="Move", exact=True).click()
        self.expect_heading(page, "Move 3 items?")
        self.expect_accessible(page)
        self.group_choice(page).select_option(value=self.vault.group(SHARED))
        page.get_by_role("button", name="Move 3 items").click()
        expect(page.get_by_text("3 items were moved to this group.")).to_be_visible()
        page = self.list("?q=selected", group=SHARED)
        expect(self.items(page)).to_have_count(3)
        page.get_by_role("checkbox").nth(1).check()
        page.get_by_role("button", name="Delete", exact=True).click()
        page.get_by_role("button", name="Delete item").click()
        expect(self.items(page)).to_have_count(2)
        # Undone, the search is as it was.
        page.get_by_role("button", name="Undo").click()
        expect(page).to_have_url(re.compile("q=selected"))
        expect(self.items(page)).to_have_count(3)

    def test_keys_act_on_a_row(self):
        self.vault.set("row.example.com", value="value of the row")
        page = self.list("?q=row.example")
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.keyboard.press("j")
        page.keyboard.press("o")
        expect(page.get_by_role("status").filter(has_text="no one-time codes")).to_be_visible()
        page.keyboard.press("c")
        expect(page.get_by_role("status").filter(has_text="Copied.")).to_be_visible()
        self.assertEqual(page.evaluate("navigator.clipboard.readText()"), "value of the row")
        page.keyboard.press("x")
        expect(page.get_by_role("checkbox")).to_be_checked()
        page.keyboard.press("Delete")
        self.expect_heading(page, "Delete row.example.com?")
        expect(page).to_have_url(re.compile("/selection"))
        page.keyboard.press("g")
        page.keyboard.press("i")
        self.expect_heading(page, "All items")

    def test_a_page_beyond_the_list_shows_the_last_one(self):
        page = self.list(group=ARCHIVE)
        page.goto(f"/groups/{self.vault.group(ARCHIVE)}?page=50000")
        expect(self.items(page).first).to_be_visible()

    def test_a_filter_that_no_list_has_is_named(self):
        self.allow("status 400 of GET")
        page = self.list(group=ARCHIVE)
        for query, name in (("page=0", "page"), ("page=-1", "page"), ("page=99999999999999999999", "page"),
                            ("class=none", "class"), ("sort=none", "sort")):
            page.goto(f"/groups/{self.vault.group(ARCHIVE)}?{query}")
            self.expect_heading(page, "This address is not complete or not correct")
            expect(page.get_by_role("main")).to_contain_text(f"The filter “{name}” has a value that no list has.")
            self.expect_accessible(page)
