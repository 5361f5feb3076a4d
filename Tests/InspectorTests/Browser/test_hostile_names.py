import base64
import json
import urllib.parse

from playwright.sync_api import expect

from inspector_test_case import NARROW, WIDE, InspectorTestCase
from vault_under_test import HOSTILE, HOSTILE_TEXTS, MAIL


FOREIGN_ELEMENTS = """() =>
  [...document.querySelectorAll(
    "main script, main img, main b, main iframe, [onerror], [onload], a[href^=javascript]")]
    .map(element => element.outerHTML.slice(0, 100))"""

REORDERED_TEXTS = """() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
  while (texts.nextNode()) {
    const node = texts.currentNode;
    if (!/[\\u202a-\\u202e\\u2066-\\u2069]/.test(node.data)) continue;
    if (!node.parentElement.closest("bdi, output, textarea, [dir=auto]")) found.push(node.data.slice(0, 100));
  }
  return found;
}"""


class HostileNames(InspectorTestCase):
    def expect_harmless(self, page):
        """Fails if a text became markup, ran, or reorders what is around it."""
        self.assertEqual(page.evaluate(FOREIGN_ELEMENTS), [])
        # What has controls of direction is isolated from the text around it.
        self.assertEqual(page.evaluate(REORDERED_TEXTS), [])
        for width in (NARROW, WIDE):
            page.set_viewport_size(width)
            self.expect_fits(page)

    def test_lists_show_hostile_names_as_text(self):
        page = self.open(f"/groups/{self.vault.group(HOSTILE)}")
        expect(self.items(page)).to_have_count(len(HOSTILE_TEXTS))
        self.expect_harmless(page)
        expect(page.locator("#items")).to_contain_text("<script>alert(1)</script>")
        expect(page.locator("#items")).to_contain_text("&lt;b&gt; &amp;amp;")
        # A list shows the beginning of a long text: the whole page stays small.
        self.assertLess(len(page.content()), 100_000)

    def test_pages_of_hostile_items_work(self):
        page = self.open(f"/groups/{self.vault.group(HOSTILE)}")
        for name, text in HOSTILE_TEXTS.items():
            with self.subTest(name):
                query = urllib.parse.quote(f"{name} {text}"[:12])
                page.goto(f"/groups/{self.vault.group(HOSTILE)}?q={query}")
                page.goto(self.items(page).get_by_role("link").get_attribute("href"))
                expect(page.locator(".entries")).to_contain_text(f"{name} ")
                self.expect_harmless(page)
                self.expect_accessible(page)
                page.get_by_role("button", name="Show value").click()
                expect(page.get_by_role("button", name="Hide value")).to_be_visible()
                # A value with NUL is not text for a page: it is shown as Base64. What cannot be seen has a symbol.
                shown = {
                    "nul": base64.b64encode(text.encode()).decode(), "long": text * 500,
                    "bidi": "‹U+202E›gnp.exe‹U+2066›‹U+200B›", "newline": "first\nsecond␍\n\tthird‹U+2028›fourth",
                }.get(name, text)
                self.assertEqual(page.locator("#value").evaluate("output => output.textContent"), shown)
                symbols = {"bidi": 3, "newline": 2}.get(name, 0)
                expect(page.locator("#value > mark")).to_have_count(symbols)
                self.assertEqual(page.locator("#value").evaluate("output => output.children.length"), symbols)
                note = f"Symbols stand for {symbols} characters that cannot be seen"
                expect(page.get_by_text(note)).to_have_count(1 if symbols else 0)
                for width in (NARROW, WIDE):
                    page.set_viewport_size(width)
                    self.expect_fits(page)

    def test_the_script_shows_the_same_joiners_and_tags_as_the_pages(self):
        flag, tags = "\U0001f3f4", "\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"
        astronaut = "\U0001f469\u200d\U0001f680"
        ordinary = ["می\u200cخواهم", "श्री\u200dमान", astronaut, "\U0001f469\U0001f3fd\u200d\U0001f680",
                    "\u2764\ufe0f\u200d\U0001f525", flag + tags]
        hidden = {"a\u200db": 1, "م\u200ca": 1, "م\u200c": 1, "می\u200c\u200cخ": 2, "\U0001f469\u200c\U0001f680": 1,
                  "\U0001f3fb\u200d\U0001f600": 1, "می\u202dخ": 1, "क\u200d\u202eख": 2, tags[0]: 1, flag + tags[:2]: 2,
                  flag + tags[:4] + "\U000e0078" + tags[5]: 6}
        page = self.open()
        count = """text => { const output = document.createElement("output"); showText(output, text);
                   return output.querySelectorAll("mark").length; }"""
        for text in ordinary:
            self.assertEqual(page.evaluate(count, text), 0, ascii(text))
        for text, number in hidden.items():
            self.assertEqual(page.evaluate(count, text), number, ascii(text))

    def test_a_value_with_reordering_marks_is_copied_as_it_is_stored(self):
        page = self.open_item("bidi", HOSTILE)
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.get_by_role("button", name="Show value").click()
        expect(page.locator("#value > mark").first).to_have_text("‹U+202E›")
        page.get_by_role("button", name="Copy value").click()
        expect(page.locator("#value-status")).to_contain_text("Copied.")
        self.assertEqual(page.evaluate("navigator.clipboard.readText()"), HOSTILE_TEXTS["bidi"])

    def test_forms_keep_hostile_names(self):
        names = ("image", "entity", "bidi", "nul", "newline")
        for name in names:
            with self.subTest(name):
                page = self.open_item(name, HOSTILE)
                page.get_by_role("link", name="Edit", exact=True).click()
                page.get_by_label("Comment").fill("edited")
                page.get_by_role("button", name="Save changes").click()
                expect(page.get_by_role("main")).to_contain_text("edited")
                page.context.close()
        stored = json.loads(self.vault.laptop.coffer("list", "--json", "--app", HOSTILE))
        for name in names:
            item = next(item for item in stored if item["service"].startswith(name + " "))
            self.assertEqual([item["account"], item["label"]], [HOSTILE_TEXTS[name]] * 2)

    def test_a_search_for_markup_finds_and_shows_it(self):
        page = self.open(f"/groups/{self.vault.group(HOSTILE)}")
        search = page.get_by_role("searchbox", name="Search", exact=True)
        search.fill("<script>")
        expect(self.items(page)).to_have_count(1)
        self.expect_harmless(page)
        page.reload()
        expect(search).to_have_value("<script>")
        self.expect_harmless(page)

    def test_addresses_with_markup_are_answered_safely(self):
        self.allow("status 40[034] of GET")
        page = self.open()
        for path in ["/groups/<script>alert(1)</script>", "/apps/%22%3E%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E",
                     "/items/genp/%3Cscript%3Ealert(1)%3C%2Fscript%3E", "/access/why?app=<b>x</b>&group=<b>y</b>",
                     f"/groups/{self.vault.group(MAIL)}?q=%3Cscript%3Ealert(1)%3C/script%3E&class=<b>&sort=<b>",
                     "/%00", "/groups/%E2%80%AE"]:
            with self.subTest(path):
                page.goto(path)
                self.expect_harmless(page)

    def test_the_name_of_a_machine_is_text(self):
        page = self.open()
        for path in ("/", "/machines", "/log", "/access", "/sync", f"/apps/{self.vault.group(MAIL)}"):
            page.goto(path)
            self.expect_harmless(page)
