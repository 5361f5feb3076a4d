"""The pictures of the documentation: they exist, are described, and show the pages as they are."""

import base64
import hashlib
import json
import pathlib
import re
import subprocess

import browser
import screenshots
from inspector_test_case import InspectorTestCase

# The mean difference of the brightness and colours of two pictures, of 255, over cells of 40 × 25. Other fonts change
# less than this, another layout or other colours more.
TOLERANCE = 4

DIFFERENCE = """async ([one, other]) => {
  const cells = async text => {
    const picture = await createImageBitmap(await (await fetch("data:image/png;base64," + text)).blob());
    const canvas = new OffscreenCanvas(40, 25).getContext("2d");
    canvas.imageSmoothingQuality = "high";
    canvas.drawImage(picture, 0, 0, 40, 25);
    return [picture.width, picture.height, [...canvas.getImageData(0, 0, 40, 25).data]];
  };
  const [a, b] = [await cells(one), await cells(other)];
  if (a[0] !== b[0] || a[1] !== b[1]) return 255;
  return a[2].reduce((sum, value, index) => sum + Math.abs(value - b[2][index]), 0) / a[2].length;
}"""


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

    def test_the_pictures_show_the_pages_as_they_are(self):
        folder = self.suite.pictures / "readme"
        folder.mkdir(exist_ok=True)
        result = subprocess.run(
            [screenshots.ROOT / "Scripts/screenshots", "--programs", self.suite.programs, "--into", folder],
            capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        recorded = json.loads(screenshots.TEXTS.read_text())
        made = json.loads((folder / "screenshots.json").read_text())
        self.assertEqual(list(recorded), list(made), self.ADVICE)
        page = browser.new_context(self.suite.browser).new_page()
        for name, record in recorded.items():
            with self.subTest(name):
                picture = (screenshots.PICTURES / f"{name}.png").read_bytes()
                self.assertLessEqual(len(picture), screenshots.LIMIT)
                self.assertEqual(hashlib.sha256(picture).hexdigest(), record["sha256"], self.ADVICE)
                self.assertEqual(record["texts"], made[name]["texts"], self.ADVICE)
                pair = [base64.b64encode(data).decode() for data in (picture, (folder / f"{name}.png").read_bytes())]
                self.assertLess(page.evaluate(DIFFERENCE, pair), TOLERANCE, self.ADVICE)
        page.context.close()
