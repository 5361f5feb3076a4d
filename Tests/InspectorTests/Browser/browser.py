"""The system's browser, without a window."""

import pathlib
import shutil

from playwright.sync_api import Browser, Playwright

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
    return playwright.chromium.launch(executable_path=path)
