"""The tests that clients bring themselves."""

import re

from client_test_case import PACKAGES, ClientTestCase


class Suites(ClientTestCase):
    def test_the_tests_of_secretstorage_pass(self):
        tests = PACKAGES / "sources/secretstorage-3.5.0/tests/run_tests.py"
        result = self.service.run(PACKAGES / "bin/python", "-B", tests)
        report = result.stderr.decode()
        # The skipped ones require the service of a test of SecretStorage itself.
        self.assertRegex(report, r"Ran 27 tests in [0-9.]+s\n\nOK \(skipped=6\)\n$")
        self.assertEqual(report.count("only be run with the mocked server"), 6, report)
        self.assertEqual(result.returncode, 0)

    def test_the_tests_of_the_backend_of_keyring_pass(self):
        folder = PACKAGES / "sources/keyring-25.7.0"
        result = self.service.run(
            PACKAGES / "bin/python", "-B", "-m", "pytest", "-v", "-p", "no:cacheprovider", "--color", "no",
            "--override-ini", "addopts=", folder / "tests/backends/test_SecretService.py")
        report = result.stdout.decode()
        self.assertRegex(report, r"=+ 16 passed in [0-9.]+s =+\n$")
        self.assertFalse(re.search(r"skipped|xfailed", report), report)
        self.assertEqual(result.returncode, 0)
