"""The pictures of the documentation: they exist, are described, and were made of pages that say the same."""

import hashlib
import json
import pathlib
import re
import subprocess

import screenshots
from inspector_test_case import InspectorTestCase

class Screenshots(InspectorTestCase):
    ADVICE = "run Scripts/screenshots and look at the pictures"

    def expect_pictures(self, page: pathlib.Path, names: list[str]):
        text = page.read_text()
        for name in names:
            path = (screenshots.PICTURES / f"{name}.png").relative_to(page.parent)
            found = re.search(rf"!\[([^\]]{{20,}})\]\({re.escape(str(path))}\)", text)
            self.assertIsNotNone(found, f"{page.name} does not show {path} with a description")

    def test_the_page_about_the_browser_shows_each_picture_with_a_description(self):
        names = list(json.loads(screenshots.TEXTS.read_text()))
        self.expect_pictures(screenshots.PICTURES / "InspectingAVault.md", names)
        self.expect_pictures(screenshots.ROOT / "README.md", names[:1])

    def test_the_pictures_are_those_of_pages_that_say_what_they_say_today(self):
        folder = self.suite.pictures / "readme"
        folder.mkdir(exist_ok=True)
        result = subprocess.run(
            [screenshots.ROOT / "Scripts/screenshots", "--programs", self.suite.programs, "--into", folder],
            capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        recorded = json.loads(screenshots.TEXTS.read_text())
        made = json.loads((folder / "screenshots.json").read_text())
        self.assertEqual(list(recorded), list(made), self.ADVICE)
        for name, record in recorded.items():
            with self.subTest(name):
                picture = (screenshots.PICTURES / f"{name}.png").read_bytes()
                self.assertLessEqual(len(picture), screenshots.LIMIT)
                self.assertEqual(hashlib.sha256(picture).hexdigest(), record["sha256"], self.ADVICE)
                self.assertEqual(record["texts"], made[name]["texts"], self.ADVICE)
