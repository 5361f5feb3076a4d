"""A caller that lies. Each of its calls gets one exact error, and the service still answers others."""

import contextlib
import os
import socket
import time

from jeepney import DBusAddress, HeaderFields, MessageType, new_signal
from jeepney.low_level import Endianness, Header, Message

from client import (
    COLLECTION, DEFAULT, DH, ITEM, PROMPT, PROPERTIES, ROOT, SERVICE, SESSION, Client, Refused, decrypted, encrypted,
    properties)
from client_test_case import ClientTestCase, only_coffer

BUS = "org.freedesktop.DBus.Error."
SECRET = "org.freedesktop.Secret.Error."
INVALID = BUS + "InvalidArgs"
NO_SESSION = SECRET + "NoSession"
NO_OBJECT = SECRET + "NoSuchObject"
PRIME = int(
    "ffffffffffffffffc90fdaa22168c234c4c6628b80dc1cd129024e088a67cc74020bbea63b139b22514a08798e3404ddef9519b3cd3a431b302b0a6df2"
    "5f14374fe1356d6d51c245e485b576625e7ec6f44c42e9a637ed6b0bff5cb6f406b7edee386bfb5a899fa5ae9f24117c4b1fe649286651ece65381ffff"
    "ffffffffffff", 16)


@only_coffer
class Attacks(ClientTestCase):
    def setUp(self):
        super().setUp()
        self.victim = self.client()
        self.session = self.victim.open_plain()
        self.item, _ = self.victim.create(self.session, "victim's", self.attributes(user="victim"), b"victim's secret")
        self.addCleanup(self.expect_service)
        self.attacker = self.client()

    def expect_service(self):
        """The victim's session and item are as they were, and a new client is answered."""
        self.assertEqual(self.victim.secret(self.item, self.session), b"victim's secret")
        with self.service.client() as client:
            self.assertEqual(client.lookup(self.attributes(user="victim"), client.open_plain()), b"victim's secret")

    def expect(self, error: str, call, name: str = ""):
        with self.subTest(name):
            try:
                result = call()
            except Refused as refused:
                self.assertEqual(refused.name, error, refused.text)
                self.assertNotIn("victim", refused.text)
            else:
                self.fail(f"no error, but {result}")

    def secret_struct(self, session: str, value: bytes = b"x", parameters: bytes = b""):
        return session, parameters, value, "text/plain"

    def test_the_session_of_another_client_is_no_session(self):
        for path in (self.session, self.victim.open_encrypted().object_path, f"{ROOT}/session/999999",
                     f"{ROOT}/session/x", f"{ROOT}/session", "/", self.item, "/org/example"):
            self.expect(NO_SESSION, lambda: self.attacker.secret(self.item, path), f"GetSecret {path}")
            self.expect(NO_SESSION, lambda: self.attacker.create(path, "x", self.attributes(), b"x"), f"CreateItem {path}")
            self.expect(
                NO_SESSION,
                lambda: self.attacker.call(self.item, ITEM, "SetSecret", "(oayays)", self.secret_struct(path)),
                f"SetSecret {path}")
            self.expect(
                NO_SESSION, lambda: self.attacker.call(ROOT, SERVICE, "GetSecrets", "aoo", [self.item], path),
                f"GetSecrets {path}")
        self.assertEqual(len(self.victim.search(self.attributes())[0]), 1)

    def test_the_session_of_another_client_is_not_closed(self):
        for path in self.session, f"{ROOT}/session/999999":
            self.expect(NO_OBJECT, lambda: self.attacker.call(path, SESSION, "Close"), path)

    def test_a_session_that_was_closed_or_whose_client_has_left_is_gone(self):
        session = self.attacker.open_plain()
        self.attacker.call(session, SESSION, "Close")
        self.expect(NO_SESSION, lambda: self.attacker.secret(self.item, session))
        self.expect(NO_OBJECT, lambda: self.attacker.call(session, SESSION, "Close"))
        with self.service.client() as client:
            session = client.open_plain()
        self.expect(NO_SESSION, lambda: self.attacker.secret(self.item, session))

    def test_a_session_needs_a_known_algorithm_and_a_key_of_the_group(self):
        def open_session(algorithm, variant):
            return lambda: self.attacker.call(ROOT, SERVICE, "OpenSession", "sv", algorithm, variant)

        self.expect(BUS + "NotSupported", open_session("", ("s", "")), "no algorithm")
        self.expect(BUS + "NotSupported", open_session("dh-ietf1024-sha512", ("ay", b"x" * 128)), "unknown algorithm")
        self.expect(BUS + "NotSupported", open_session("PLAIN", ("s", "")), "capitals")
        for name, key in {
            "empty": b"", "zero": b"\0" * 128, "one": b"\0" * 127 + b"\1", "a short one": b"\1",
            "the prime less 1": (PRIME - 1).to_bytes(128, "big"), "the prime": PRIME.to_bytes(128, "big"),
            "the prime and 1": (PRIME + 1).to_bytes(129, "big"), "all ones": b"\xff" * 128, "too long": b"\x02" * 129,
            "a megabyte": b"\x02" * (1 << 20),
        }.items():
            self.expect(INVALID, open_session(DH, ("ay", key)), f"a key that is {name}")
        for name, variant in {"a text": ("s", "x" * 128), "a number": ("u", 7), "an array of texts": ("as", ["x"])}.items():
            self.expect(INVALID, open_session(DH, variant), f"a key that is {name}")

    def test_a_secret_that_was_not_encrypted_with_the_key_of_the_session_is_refused(self):
        session = self.attacker.open_encrypted()
        iv, value = encrypted(session, b"secret")
        other_session = self.victim.open_encrypted()
        other_iv, other = encrypted(other_session, b"secret of another session" * 4)
        # One in 256 values has an end by chance that another key makes a padding of: nothing tells that it is another key.
        while decrypted(session, other_iv, other)[-1] in range(1, 17):
            other_iv, other = encrypted(other_session, b"secret of another session" * 4)
        for name, (parameters, given) in {
            "no vector": (b"", value), "a short vector": (iv[:15], value), "a long vector": (iv + b"x", value),
            "a plain secret": (b"", b"secret"), "no block": (iv, b""), "half a block": (iv, value[:8]),
            "one byte more": (iv, value + b"x"), "another key": (other_iv, other),
        }.items():
            self.expect(
                INVALID,
                lambda: self.attacker.create(
                    session.object_path, "x", self.attributes(user="attacker"), given, parameters=parameters), name)
        self.assertEqual(self.victim.search(self.attributes(user="attacker")), ([], []))

    def test_a_call_with_other_arguments_than_declared_is_refused(self):
        struct = self.secret_struct(self.attacker.open_plain())
        label = {ITEM + ".Label": ("s", "x")}
        for name, path, interface, method, signature, *body in [
            ("SearchItems of a text", ROOT, SERVICE, "SearchItems", "s", "x"),
            ("SearchItems without arguments", ROOT, SERVICE, "SearchItems", None),
            ("SearchItems of numbers", ROOT, SERVICE, "SearchItems", "a{su}", {"x": 1}),
            ("SearchItems with one more", ROOT, SERVICE, "SearchItems", "a{ss}s", {}, "x"),
            ("GetSecrets of texts", ROOT, SERVICE, "GetSecrets", "aso", [self.item], self.session),
            ("Unlock of a text", ROOT, SERVICE, "Unlock", "s", DEFAULT),
            ("ReadAlias of a path", ROOT, SERVICE, "ReadAlias", "o", "/"),
            ("CreateItem without a secret", DEFAULT, COLLECTION, "CreateItem", "a{sv}b", label, True),
            ("CreateItem with a bare secret", DEFAULT, COLLECTION, "CreateItem", "a{sv}ayb", label, b"x", True),
            ("CreateItem with texts for properties", DEFAULT, COLLECTION, "CreateItem", "a{ss}(oayays)b",
             {ITEM + ".Label": "x"}, struct, True),
            ("CreateItem with a number for its label", DEFAULT, COLLECTION, "CreateItem", "a{sv}(oayays)b",
             {ITEM + ".Label": ("u", 7)}, struct, True),
            ("CreateItem with a text for its attributes", DEFAULT, COLLECTION, "CreateItem", "a{sv}(oayays)b",
             {ITEM + ".Attributes": ("s", "x")}, struct, True),
            ("CreateItem with attributes of variants", DEFAULT, COLLECTION, "CreateItem", "a{sv}(oayays)b",
             {ITEM + ".Attributes": ("a{sv}", {"x": ("s", "y")})}, struct, True),
            ("CreateItem with an attribute without a name", DEFAULT, COLLECTION, "CreateItem", "a{sv}(oayays)b",
             {ITEM + ".Attributes": ("a{ss}", {"": "x"})}, struct, True),
            ("SetSecret of a text", self.item, ITEM, "SetSecret", "s", "x"),
            ("GetSecret of a text", self.item, ITEM, "GetSecret", "s", "x"),
            ("Get of one text", self.item, PROPERTIES, "Get", "s", ITEM),
            ("Set of a bare text", self.item, PROPERTIES, "Set", "sss", ITEM, "Label", "x"),
            ("Set of a number as the label", self.item, PROPERTIES, "Set", "ssv", ITEM, "Label", ("u", 7)),
            ("Set of a text as the attributes", self.item, PROPERTIES, "Set", "ssv", ITEM, "Attributes", ("s", "x")),
        ]:
            self.expect(INVALID, lambda: self.attacker.call(path, interface, method, signature, *body), name)

    def test_what_does_not_exist_has_an_error_that_says_what(self):
        session = self.attacker.open_plain()
        for name, error, path, interface, method, signature, *body in [
            ("a method", BUS + "UnknownMethod", ROOT, SERVICE, "Frobnicate", None),
            ("an interface", BUS + "UnknownMethod", ROOT, "org.example.Interface", "Open", None),
            ("a method of another object", BUS + "UnknownMethod", ROOT, ITEM, "GetSecret", "o", session),
            ("an item", NO_OBJECT, self.item + "0", ITEM, "GetSecret", "o", session),
            ("an item of the alias", NO_OBJECT, DEFAULT + "/nothing", ITEM, "GetSecret", "o", session),
            ("a collection", NO_OBJECT, f"{ROOT}/collection/nothing", COLLECTION, "SearchItems", "a{ss}", {}),
            ("an alias", NO_OBJECT, f"{ROOT}/aliases/nothing", COLLECTION, "SearchItems", "a{ss}", {}),
            ("a prompt", NO_OBJECT, f"{ROOT}/prompt/p999999", PROMPT, "Prompt", "s", ""),
            ("a prompt to dismiss", NO_OBJECT, f"{ROOT}/prompt/p999999", PROMPT, "Dismiss", None),
            ("a path outside", NO_OBJECT, "/org/example/item", ITEM, "GetSecret", "o", session),
            ("a property", BUS + "UnknownProperty", self.item, PROPERTIES, "Get", "ss", ITEM, "Secret"),
            ("a property to set", BUS + "UnknownProperty", self.item, PROPERTIES, "Set", "ssv", ITEM, "Secret", ("s", "x")),
            ("a property that is read-only", BUS + "PropertyReadOnly", self.item, PROPERTIES, "Set", "ssv", ITEM, "Locked",
             ("b", True)),
            ("a property of the service", BUS + "PropertyReadOnly", ROOT, PROPERTIES, "Set", "ssv", SERVICE, "Collections",
             ("ao", [])),
        ]:
            self.expect(error, lambda: self.attacker.call(path, interface, method, signature, *body), name)
        self.assertEqual(self.attacker.call(ROOT, SERVICE, "ReadAlias", "s", "nothing"), "/")

    def test_what_is_too_large_is_refused_and_leaves_nothing(self):
        session = self.attacker.open_plain()
        for name, attributes, label, secret in [
            ("more than 64 attributes", {f"name {number}": "x" for number in range(64)}, "x", b"x"),
            ("ten thousand attributes", {f"name {number}": "x" for number in range(10_000)}, "x", b"x"),
            ("an attribute of 10 MB", {"x": "y" * 10_000_000}, "x", b"x"),
            ("a name of 10 MB", {"y" * 10_000_000: "x"}, "x", b"x"),
            ("a label of 10 MB", {}, "y" * 10_000_000, b"x"),
            ("a secret of 40 MB", {}, "x", b"y" * 40_000_000),
        ]:
            with self.subTest(name):
                with self.assertRaises(Refused) as caught:
                    self.attacker.create(session, label, self.attributes(user="attacker", **attributes), secret)
                self.assertIn(caught.exception.name, [BUS + "LimitsExceeded", INVALID], caught.exception.text)
                self.assertLess(len(caught.exception.text), 1000)
        self.assertEqual(self.victim.search(self.attributes(user="attacker")), ([], []))

    def test_a_flood_of_sessions_ends_at_a_limit_of_its_client(self):
        opened = []
        with self.assertRaises(Refused) as caught:
            while len(opened) < 20_000:
                opened.append(self.attacker.open_plain())
        self.assertEqual(caught.exception.name, BUS + "LimitsExceeded")
        self.expect_service()
        # A client that closes one may open one.
        self.attacker.call(opened[0], SESSION, "Close")
        self.assertNotIn(self.attacker.open_plain(), opened[1:])

    def test_a_thousand_clients_that_come_and_go_leave_no_session(self):
        for _ in range(1_000):
            with self.service.client() as client:
                client.open_plain()
        self.expect_service()

    def test_ten_thousand_calls_whose_answers_nobody_reads_delay_no_other_client(self):
        session = self.attacker.open_plain()
        # The bus keeps the answers, and the attacker leaves without them.
        for _ in range(10_000):
            self.attacker.send(self.item, ITEM, "GetSecret", "o", session)
        started = time.monotonic()
        self.expect_service()
        self.assertLess(time.monotonic() - started, 60)

    def test_a_client_that_leaves_in_the_middle_of_a_call_harms_nobody(self):
        for _ in range(50):
            client = self.service.client()
            session = client.open_plain()
            client.send(DEFAULT, COLLECTION, "CreateItem", "a{sv}(oayays)b",
                        properties("left", self.attributes(user="left")), self.secret_struct(session), True)
            client.close()
        self.expect_service()
        self.assertLessEqual(len(self.victim.search(self.attributes(user="left"))[0]), 1)

    def test_an_answer_that_nobody_awaits_is_ignored(self):
        for serial in 1, 2, 3, 1000:
            fields = {HeaderFields.destination: self.attacker.owner(), HeaderFields.reply_serial: serial}
            header = Header(Endianness.little, MessageType.method_return, 0, 1, 0, -1, fields)
            self.attacker.connection.send(Message(header, ()))
        self.expect_service()

    def test_signals_that_pretend_to_be_the_bus_are_ignored(self):
        # As if the victim had left: its session would end.
        emitter = DBusAddress("/org/freedesktop/DBus", self.attacker.owner(), "org.freedesktop.DBus")
        name = self.victim.unique_name
        self.attacker.connection.send(new_signal(emitter, "NameOwnerChanged", "sss", (name, name, "")))
        self.expect_service()

    def test_bytes_that_are_no_message_end_the_connection_of_their_sender_only(self):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(60)
            connection.connect(self.service.bus.address.removeprefix("unix:path="))
            identity = str(os.getuid()).encode().hex().encode()
            connection.sendall(b"\0AUTH EXTERNAL " + identity + b"\r\nBEGIN\r\n" + os.urandom(4096))
            with contextlib.suppress(ConnectionResetError):
                while connection.recv(4096):
                    pass
        self.expect_service()

    def test_no_call_deletes_or_creates_a_collection_without_its_owner(self):
        for path in DEFAULT, self.victim.call(ROOT, SERVICE, "ReadAlias", "s", "default"):
            with self.subTest(path):
                try:
                    prompt = self.attacker.call(path, COLLECTION, "Delete")
                except Refused as refused:
                    self.assertIn(refused.name, [BUS + "NotSupported", BUS + "AccessDenied"])
                else:
                    self.assertNotEqual(prompt, "/")
        self.expect_service()

    def test_the_service_explains_itself_to_every_caller(self):
        for path in ROOT, DEFAULT, self.item:
            text = self.attacker.call(path, "org.freedesktop.DBus.Introspectable", "Introspect")
            self.assertTrue(text.lstrip().startswith("<"), text[:100])
            self.assertIn("</node>", text)
        self.assertEqual(self.attacker.call(ROOT, "org.freedesktop.DBus.Peer", "Ping"), ())


class Contract(ClientTestCase):
    """What every service promises."""

    def test_no_lookup_finds_an_item_by_a_path_of_another_session(self):
        client: Client = self.client()
        first, second = client.open_plain(), client.open_plain()
        self.assertNotEqual(first, second)
        item, _ = client.create(first, "x", self.attributes(), b"x")
        self.assertEqual(client.secret(item, second), b"x")
