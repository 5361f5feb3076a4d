"""The system's browser, without a window."""

import pathlib
import shutil

from playwright.sync_api import Browser, BrowserContext, Playwright, expect

# In milliseconds. Only bounds a failure: each wait ends with what it waits for.
TIMEOUT = 120_000

APPLICATIONS = [
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
]


def launch(playwright: Playwright) -> Browser:
    """Starts the browser; raises an error if none is installed. Playwright's own browsers are not used."""
    for name in ("chromium", "google-chrome", "google-chrome-stable"):
        if path := shutil.which(name):
            break
    else:
        path = next((path for path in APPLICATIONS if pathlib.Path(path).exists()), None)
    if path is None:
        raise RuntimeError("no browser is installed; run Scripts/bootstrap --with browser")
    expect.set_options(timeout=TIMEOUT)
    return playwright.chromium.launch(executable_path=path, timeout=TIMEOUT)


def new_context(browser: Browser, **options) -> BrowserContext:
    """Makes a context whose calls wait long enough for a busy machine."""
    context = browser.new_context(**options)
    context.set_default_timeout(TIMEOUT)
    return context
