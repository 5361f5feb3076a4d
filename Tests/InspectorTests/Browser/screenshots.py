"""Makes the screenshots of the documentation: the inspector with the vault of the demo, after its two machines have synced.

    screenshots.py --programs FOLDER [--pictures FOLDER] [--texts FILE]

Writes what the pages in the pictures say into a file of their own. A test makes both again and compares them.
"""

import argparse
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from playwright.sync_api import Page, expect, sync_playwright

import browser
from inspector import Inspector
from machine import Machine

ROOT = pathlib.Path(__file__).resolve().parents[3]
PICTURES = ROOT / "Sources/Core/Coffer/Coffer.docc"
TEXTS = pathlib.Path(__file__).resolve().parent / "screenshots.json"
# Name, path, heading and colour scheme.
PAGES = [("inspector-overview", "/", "Overview", "light"), ("inspector-access", "/access", "Who reads what", "dark")]
LIMIT = 200_000


def make_vault(programs: pathlib.Path, folder: pathlib.Path) -> Machine:
    """Makes a vault like that of Scripts/demo, with a passphrase, some more items of its apps, and a conflict."""
    laptop, desktop = Machine(programs, folder / "laptop", "correct horse"), Machine(programs, folder / "desktop")
    remote, key = folder / "vault.git", folder / "vault-key"
    subprocess.run(["git", "init", "--quiet", "--bare", str(remote)], check=True)
    laptop.coffer("init", "--name", "laptop", "--passphrase-file", laptop.passphrase_file, "--vault-key-file", key)
    for app in ("PhotoFree", "PhotoPro"):
        laptop.coffer("app", "add", ROOT / f"Entitlements/{app}.entitlements")
    laptop.run("PhotoFree")
    laptop.run("PhotoPro", "buy")
    for service, account in [("api.example.com", "jane"), ("api.example.com", "john"), ("print.example.com", "jane")]:
        laptop.coffer("set", service, account, "--app", "com.example.photo.pro", input="s3cret")
    laptop.coffer("remote", "set", remote)
    laptop.coffer("sync")
    desktop.coffer("clone", "--name", "desktop", "--no-passphrase", "--vault-key-file", key, remote)
    for machine in (laptop, desktop, laptop):
        machine.coffer("set", "api.example.com", "jane", "--app", "com.example.photo.pro", input=str(machine.home))
    for machine in (laptop, desktop, laptop):
        machine.coffer("sync")
    return laptop


def texts(page: Page) -> list[str]:
    """Returns what the page says to a screen reader, without what differs from vault to vault."""
    text = page.locator("body").aria_snapshot()
    for pattern, name in [
        (r"\b[A-Z2-7]{10}\b", "TEAM"), (r"\b[0-9a-f]{12,}\b", "ID"), (r"\b[a-z]{5}(-[a-z]{5}){5}\b", "PHRASE"),
        (r"\d{4}-\d\d-\d\d( |T)\d\d:\d\d(:\d\d)?( UTC|Z)?", "TIME"), (r"/\S*/(laptop|vault\.git)\b", r"/\1"),
        (r"(\d+|an?) (second|minute)s? ago|just now", "TIME AGO"),
    ]:
        text = re.sub(pattern, name, text)
    return text.split("\n")


def make(programs: pathlib.Path, pictures: pathlib.Path, file: pathlib.Path):
    with tempfile.TemporaryDirectory(prefix="coffer-") as folder, sync_playwright() as playwright:
        inspector = Inspector(make_vault(programs, pathlib.Path(folder)))
        try:
            made = {}
            chromium = browser.launch(playwright)
            context = browser.new_context(
                chromium, viewport={"width": 1280, "height": 800}, base_url=inspector.origin)
            page = context.new_page()
            page.goto(inspector.address)
            for name, path, heading, scheme in PAGES:
                expect(page.get_by_role("heading", level=1, name="Overview")).to_be_visible()
                page.emulate_media(color_scheme=scheme)
                page.goto(path)
                expect(page.get_by_role("heading", level=1, name=heading)).to_be_visible()
                picture = page.screenshot(path=pictures / f"{name}.png")
                if len(picture) > LIMIT:
                    raise RuntimeError(f"{name}.png has {len(picture)} bytes, more than {LIMIT}")
                made[name] = {"sha256": hashlib.sha256(picture).hexdigest(), "texts": texts(page)}
                page.goto("/")
            chromium.close()
        finally:
            inspector.end()
    file.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=pathlib.Path, required=True, help="the folder of the programs")
    parser.add_argument("--pictures", type=pathlib.Path, default=PICTURES, help="the folder of the pictures")
    parser.add_argument("--texts", type=pathlib.Path, default=TEXTS, help="the file of the pages' texts")
    arguments = parser.parse_args()
    arguments.pictures.mkdir(parents=True, exist_ok=True)
    make(arguments.programs.resolve(), arguments.pictures, arguments.texts)
