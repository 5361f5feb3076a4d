"""A vault with seven groups whose names have 80 characters: what is visible without scrolling, where names break."""

import pathlib
import tempfile

from playwright.sync_api import expect

from inspector import Inspector
from inspector_test_case import InspectorTestCase
from machine import Machine

SHORT, NORMAL, PHONE = {"width": 1280, "height": 720}, {"width": 1280, "height": 900}, {"width": 390, "height": 844}


def long_name(word: str) -> str:
    """Returns a name of 80 characters with dots."""
    return f"com.example.{word}.photography.collection.subscription.purchases.{'x' * 80}"[:80]


GROUPS = [long_name(word) for word in ("one", "two", "three", "four", "five", "six", "seven")]

# Those of some names that break within a word of ordinary length, which a break after a dot would keep whole.
BROKEN_WORDS = """names => [...document.querySelectorAll("main bdi")].filter(element => {
  if (!names.includes(element.textContent) || element.getClientRects().length < 2) return false;
  const range = document.createRange(), nodes = [...element.childNodes].filter(node => node.nodeType === 3);
  // Each text node is a part between dots.
  return nodes.some(node => {
    range.selectNodeContents(node);
    const tops = new Set([...range.getClientRects()].map(box => Math.round(box.top)));
    return tops.size > 1 && node.data.length < 16;
  });
}).map(element => element.outerHTML)"""


class LongNames(InspectorTestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="coffer-long-")
        folder = pathlib.Path(cls.folder.name)
        cls.machine = machine = Machine(cls.suite.programs, folder / "laptop")
        machine.coffer("init", "--name", "m" * 80, "--no-passphrase", "--vault-key-file", folder / "vault-key")
        for group in GROUPS:
            machine.coffer("app", "add", machine.plist(group, [group]))
        cls.service = "service.example.com." + "s" * 60
        for _ in range(2):
            machine.coffer("set", cls.service, "a" * 80, "--app", GROUPS[0], input="v")
        cls.inspector = Inspector(machine)
        cls.session = None

    @classmethod
    def tearDownClass(cls):
        cls.inspector.end()
        cls.folder.cleanup()

    def show(self, path: str = "/", **options):
        if self.session is None:
            page = self.open(inspector=self.inspector)
            type(self).session = page.context.storage_state()
            page.context.close()
        page = self.outside(self.inspector, storage_state=self.session, **options)
        page.goto(path)
        return page

    def paths(self) -> dict[str, str]:
        page = self.show("/items")
        item = self.items(page).get_by_role("link").first.get_attribute("href").split("?")[0]
        page.goto("/apps")
        app = page.get_by_role("main").get_by_role("link", name=GROUPS[0]).first.get_attribute("href")
        page.goto("/machines")
        machine = page.get_by_role("main").get_by_role("region").get_by_role("link").first.get_attribute("href")
        page.context.close()
        return {
            "overview": "/", "items": "/items", "group": app.replace("apps", "groups"), "item": item,
            "item-edit": f"{item}/edit", "item-history": f"{item}/history", "item-move": f"{item}/move",
            "item-delete": f"{item}/delete", "new": "/items/new", "new-key": "/items/new?class=keys",
            "import": "/import", "apps": "/apps", "app": app, "app-removal": f"{app}/remove",
            "machines": "/machines", "machine": machine, "access": "/access", "log": "/log", "sync": "/sync", "pair": "/pair",
            "passphrase": "/passphrase", "certificates": "/certificates", "keys": "/keys", "deleted": "/deleted",
            "conflicts": "/conflicts", "health": "/health",
        }

    def test_every_page_fits_with_long_names_in_each_window(self):
        paths = self.paths()
        page = self.show()
        for name, path in paths.items():
            page.goto(path)
            for size in (SHORT, NORMAL, PHONE):
                page.set_viewport_size(size)
                for scheme in ("light", "dark"):
                    page.emulate_media(color_scheme=scheme)
                    with self.subTest(name, size=size, scheme=scheme):
                        self.expect_fits(page)
                        self.assertEqual(page.evaluate(BROKEN_WORDS, GROUPS), [], path)
                        if size != NORMAL:
                            self.expect_accessible(page)
                        self.picture(page, f"long-{name}-{size['width']}x{size['height']}-{scheme}")

    def test_the_menu_shows_its_lock_and_the_section_access_without_scrolling(self):
        for size in (SHORT, NORMAL):
            page = self.show(viewport=size)
            menu = page.get_by_role("navigation", name="Vault")
            for name in ("Apps", "Machines", "Who reads what", "Membership log", "Sync"):
                expect(menu.get_by_role("link", name=name)).to_be_in_viewport(ratio=1)
            expect(menu.get_by_role("button", name="Lock and end")).to_be_in_viewport(ratio=1)
            if size == NORMAL:
                for group in GROUPS:
                    expect(menu.get_by_role("link", name=group)).to_be_in_viewport(ratio=1)
            page.context.close()

    def test_the_groups_are_named_with_the_numbers_of_their_items(self):
        page = self.show()
        groups = page.get_by_role("region", name="Groups").get_by_role("listitem")
        expect(groups).to_have_count(len(GROUPS))
        group = groups.filter(has=page.get_by_role("link", name=GROUPS[0]))
        expect(group).to_contain_text("1 item")

    def test_the_heading_of_a_removal_has_the_whole_name(self):
        page = self.show(self.paths()["app-removal"])
        self.expect_heading(page, f"Remove {GROUPS[0]} from the vault?")
        expect(page.get_by_role("region", name="What this does")).to_contain_text("Items that could be read")
        other = self.paths()["app-removal"].replace(GROUPS[0], GROUPS[6])
        page.goto(other)
        self.assertNotIn("0; their values", page.get_by_role("main").inner_text())
