"""secret-tool, the program of libsecret."""

import re

from client_test_case import ClientTestCase, only_coffer

DATE = re.compile(rb"\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\b")


class SecretTool(ClientTestCase):
    def tool(self, *arguments: str, input: bytes = b"", service=None) -> tuple[int, bytes, bytes]:
        """Returns the exit code, the output, and the messages."""
        result = (service or self.service).run("secret-tool", *arguments, input=input)
        return result.returncode, result.stdout, result.stderr

    def store(self, label: str, secret: bytes, *attributes: str, service=None):
        self.assertEqual(
            self.tool("store", f"--label={label}", *attributes, input=secret, service=service), (0, b"", b""))

    def test_what_store_has_written_is_printed_by_lookup_byte_for_byte(self):
        self.store("My läbel", "pässword\n".encode(), "app", self.id(), "user", "jané")
        self.store("Other", b"second", "app", self.id(), "user", "joe")
        self.assertEqual(self.tool("lookup", "app", self.id(), "user", "jané"), (0, "pässword\n".encode(), b""))
        self.assertEqual(self.tool("lookup", "user", "joe", "app", self.id()), (0, b"second", b""))

    def test_store_with_the_same_attributes_replaces_the_secret_and_the_label(self):
        attributes = ["app", self.id(), "user", "jane"]
        self.store("First", b"one", *attributes)
        self.store("Second", b"two", *attributes)
        code, output, _ = self.tool("search", "--all", *attributes)
        self.assertEqual((code, output.count(b"label = ")), (0, 1), output)
        self.assertIn(b"label = Second\nsecret = two\n", output)

    def test_lookup_of_what_is_missing_prints_nothing_and_exits_with_1(self):
        self.assertEqual(self.tool("lookup", "app", self.id(), "user", "none"), (1, b"", b""))

    def test_search_prints_label_secret_dates_and_attributes(self):
        self.store("Läbel", b"first", "app", self.id(), "user", "jane")
        self.store("Other", b"second", "app", self.id(), "user", "joe")
        code, output, messages = self.tool("search", "app", self.id(), "user", "joe")
        lines = DATE.sub(b"DATE", output).split(b"\n")
        self.assertEqual(code, 0)
        self.assertRegex(lines[0], rb"^\[.+\]$")
        self.assertEqual(
            lines[1:], [b"label = Other", b"secret = second", b"created = DATE", b"modified = DATE", b""])
        # A name that libsecret gives each item of a schema without a name may be among them.
        attributes = set(messages.splitlines()) - {b"schema = org.freedesktop.Secret.Generic"}
        self.assertEqual(attributes, {b"attribute.app = " + self.id().encode(), b"attribute.user = joe"})
        code, output, _ = self.tool("search", "--all", "app", self.id())
        self.assertEqual((code, sorted(re.findall(rb"secret = (.*)", output))), (0, [b"first", b"second"]))

    def test_search_for_what_is_missing_prints_nothing_and_exits_with_0(self):
        self.assertEqual(self.tool("search", "--all", "app", self.id()), (0, b"", b""))

    def test_clear_deletes_all_that_match_and_nothing_else(self):
        for user in ("jane", "joe", "ann"):
            self.store(user, user.encode(), "app", self.id(), "user", user, "kind", "b" if user == "ann" else "a")
        self.assertEqual(self.tool("clear", "app", self.id(), "kind", "a"), (0, b"", b""))
        for user in ("jane", "joe"):
            self.assertEqual(self.tool("lookup", "app", self.id(), "user", user), (1, b"", b""))
        self.assertEqual(self.tool("lookup", "app", self.id(), "user", "ann"), (0, b"ann", b""))
        self.assertEqual(self.tool("clear", "app", self.id(), "kind", "a")[0], 1)

    @only_coffer
    def test_a_process_tree_that_denies_reads_stores_secrets_and_gets_none(self):
        self.store("Token", b"secret", "app", self.id(), "user", "jane")
        denied = [self.service.program("coffer"), "run", "--deny-reads", "--", "secret-tool"]
        result = self.service.run(*denied, "lookup", "app", self.id(), "user", "jane")
        self.assertEqual((result.returncode, result.stdout), (1, b""), result.stderr)
        self.assertIn(b"--deny-reads", result.stderr)
        result = self.service.run(*denied, "search", "--all", "--unlock", "app", self.id())
        self.assertNotIn(b"secret = secret", result.stdout)
        self.service.succeed(*denied, "store", "--label=New", "app", self.id(), "user", "joe", input=b"other")
        self.assertEqual(self.tool("lookup", "app", self.id(), "user", "joe"), (0, b"other", b""))
