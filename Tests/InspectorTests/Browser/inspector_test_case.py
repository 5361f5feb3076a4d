"""What the tests share: one vault, one inspector, one browser, and pages that report what no page may do."""

import pathlib
import re
import tempfile
import unittest

import axe_playwright_python
from playwright.sync_api import BrowserContext, Locator, Page, expect, sync_playwright

import browser
from inspector import Inspector
from vault_under_test import MAIL, SECRET, VaultUnderTest

WIDE, NARROW = {"width": 1440, "height": 900}, {"width": 360, "height": 740}
AXE = (pathlib.Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()


# Elements that reach beyond their card, unless something between scrolls or clips them.
OVERFLOWING = """() => [...document.querySelectorAll("main section *, main article *, main form *")].filter(element => {
  const card = element.parentElement.closest("section, article, form"), box = element.getBoundingClientRect();
  if (!card || box.width < 2 || box.right <= card.getBoundingClientRect().right + 1) return false;
  for (let outer = element.parentElement; outer; outer = outer.parentElement) {
    if (getComputedStyle(outer).overflowX !== "visible") return false;
    if (outer === card) return true;
  }
  return false;
}).map(element => element.outerHTML.slice(0, 120))"""

# Records what is written to the clipboard, which is refused while `isRefused` is set, as in a window without the focus.
GUARDED_CLIPBOARD = """() => {
  const write = navigator.clipboard.writeText.bind(navigator.clipboard);
  window.written = [];
  navigator.clipboard.writeText = (text) => {
    if (window.isRefused) return Promise.reject(new DOMException("no focus", "NotAllowedError"));
    window.written.push(text);
    return write(text);
  };
}"""


class Suite:
    """What is made once for all tests."""

    def __init__(self, programs: pathlib.Path, pictures: pathlib.Path, takes_pictures: bool):
        self.programs = programs
        # The folder of the pictures, and whether pages are photographed whose test has not failed.
        self.pictures = pictures
        self.takes_pictures = takes_pictures
        # Deleted with this object, also if something cannot be started.
        self.folder = tempfile.TemporaryDirectory(prefix="coffer-browser-")
        self.vault = VaultUnderTest(programs, pathlib.Path(self.folder.name))
        self.playwright = sync_playwright().start()
        self.browser = browser.launch(self.playwright)
        self.inspector = Inspector(self.vault.laptop)
        # The token in the address is used up by the first context; the others have its cookies.
        context = browser.new_context(self.browser)
        enter(context.new_page(), self.inspector)
        self.session = context.storage_state()
        context.close()

    def end(self):
        self.browser.close()
        self.playwright.stop()
        self.inspector.end()
        self.folder.cleanup()


def enter(page: Page, inspector: Inspector):
    """Opens the address that the inspector printed, and waits for the overview."""
    page.goto(inspector.address)
    expect(page.get_by_role("heading", level=1, name="Overview")).to_be_visible()


class InspectorTestCase(unittest.TestCase):
    suite: Suite

    def setUp(self):
        self.contexts: list[BrowserContext] = []
        self.pages: list[Page] = []
        # What a page did that no page may do.
        self.faults: list[str] = []
        self.allowed: list[str] = []

    def tearDown(self):
        for page in self.pages:
            if self.has_failed() and not page.is_closed():
                name = f"failed-{self._testMethodName}-{self.pages.index(page)}.png"
                page.screenshot(path=self.suite.pictures / name)
        for context in self.contexts:
            context.close()
        faults = [fault for fault in self.faults if not any(re.search(pattern, fault) for pattern in self.allowed)]
        self.assertEqual(faults, [], "a page did what no page may do")

    def has_failed(self) -> bool:
        result = self._outcome.result
        return any(test is self for test, _ in result.failures + result.errors)

    @property
    def vault(self) -> VaultUnderTest:
        return self.suite.vault

    @property
    def origin(self) -> str:
        return self.suite.inspector.origin

    def open(self, path: str = "/", width: dict = WIDE, scheme: str = "light", javascript: bool = True,
             inspector: Inspector | None = None) -> Page:
        """Opens a page of the inspector in a new context. With another inspector than that of the suite, enters it."""
        page = self.outside(
            inspector or self.suite.inspector, storage_state=None if inspector else self.suite.session, viewport=width,
            color_scheme=scheme, java_script_enabled=javascript)
        if inspector:
            enter(page, inspector)
        if not inspector or path != "/":
            page.goto(path)
        return page

    def outside(self, inspector: Inspector | None = None, **options) -> Page:
        """Opens an empty page in a new context, which has no session unless the options give it one."""
        origin = (inspector or self.suite.inspector).origin
        context = browser.new_context(
            self.suite.browser, **{"viewport": WIDE, "base_url": origin, "reduced_motion": "reduce"} | options)
        self.contexts.append(context)
        return self.watch(context, origin)

    def watch(self, context: BrowserContext, origin: str) -> Page:
        """Opens an empty page that records its faults."""

        def request(route):
            if route.request.url.startswith((origin + "/", "data:", "blob:")):
                route.continue_()
            else:
                self.faults.append(f"request to {route.request.url}")
                route.abort()

        def answer(response):
            if response.status >= 400:
                self.faults.append(f"status {response.status} of {response.request.method} {response.url}")

        def message(message):
            # Failed requests are recorded by their answers.
            if message.type in ("error", "warning") and "Failed to load resource" not in message.text:
                self.faults.append(f"console: {message.text}")

        def dialog(dialog):
            self.faults.append(f"dialog: {dialog.message}")
            dialog.dismiss()

        context.route("**/*", request)
        context.on("response", answer)
        context.on("console", message)
        context.on("weberror", lambda error: self.faults.append(f"error: {error.error}"))
        context.on("dialog", dialog)
        page = context.new_page()
        self.pages.append(page)
        return page

    def allow(self, pattern: str):
        """Permits faults that match, for example the status 404 of a test's own request."""
        self.allowed.append(pattern)

    def picture(self, page: Page, name: str):
        """Takes a picture for people, if they asked for pictures."""
        if self.suite.takes_pictures:
            page.screenshot(path=self.suite.pictures / f"{name}.png", full_page=True)

    def items(self, page: Page) -> Locator:
        """Returns the rows of a list of items, without the row of its headings."""
        return page.locator("#items tbody").get_by_role("row")

    def open_filter(self, page: Page):
        """Shows the choices of class, state and order of a list."""
        page.locator(".filter > summary").click()

    def group_choice(self, page: Page) -> Locator:
        """Returns the selection of a group in a form."""
        return page.get_by_role("combobox", name=re.compile("^(Group|To group|New group)"))

    def titles(self, page: Page) -> list[str]:
        """Returns the names of the items of a list, in their order."""
        return self.items(page).get_by_role("link").all_inner_texts()

    def open_item(self, search: str, group: str = MAIL, item_class: str = "genp", **options) -> Page:
        """Finds an item of a group by its service, server or label, and opens its page."""
        page = self.open(f"/groups/{self.vault.group(group)}?class={item_class}&q={search}", **options)
        self.items(page).filter(has_text=search).get_by_role("link").first.click()
        expect(page).to_have_url(re.compile(f"/items/{item_class}/"))
        return page

    # Expectations

    def expect_looks(self, page: Page, name: str):
        """Looks at a page in both colour schemes and from 360 px to 4K."""
        for width, scheme in [(WIDE, "light"), (NARROW, "dark"), (WIDE, "dark"), (NARROW, "light")]:
            page.set_viewport_size(width)
            page.emulate_media(color_scheme=scheme)
            self.expect_fits(page)
            if width == WIDE or scheme == "dark":
                self.expect_accessible(page)
            if (width == WIDE) == (scheme == "light"):
                self.picture(page, f"{name}-{width['width']}-{scheme}")
        page.set_viewport_size({"width": 3840, "height": 2160})
        self.expect_fits(page)
        page.set_viewport_size(WIDE)

    def expect_heading(self, page: Page, name: str | re.Pattern):
        """Waits for a page by its heading, and for its script."""
        expect(page.get_by_role("heading", level=1, name=name)).to_be_visible()
        page.wait_for_load_state()

    def expect_accessible(self, page: Page):
        """Fails for each violation of accessibility that axe finds."""
        page.wait_for_load_state()
        if not page.evaluate("'axe' in window"):
            page.evaluate(AXE)
        result = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        found = [f"{violation['id']}: {violation['help']}: {node['html'][:160]} {node['failureSummary']}"
                 for violation in result["violations"] for node in violation["nodes"][:3]]
        self.assertEqual(found, [], page.url)

    def expect_fits(self, page: Page):
        """Fails if the page is wider than the window, or something wider than the card that contains it."""
        # A page that answers a form has its texts before its styles.
        page.wait_for_load_state()
        width, window = page.evaluate("[document.scrollingElement.scrollWidth, innerWidth]")
        self.assertLessEqual(width, window, f"{page.url} scrolls horizontally")
        self.assertEqual(page.evaluate(OVERFLOWING), [], f"{page.url} at {window} px")

    def expect_no_value(self, page: Page):
        """Fails if a value is anywhere in the page: in its source, its fields or its address."""
        texts = page.evaluate(
            "[location.href, document.documentElement.outerHTML, "
            "...[...document.querySelectorAll('input, textarea')].map(field => field.value)]")
        for text in texts:
            self.assertNotIn(SECRET, text)
