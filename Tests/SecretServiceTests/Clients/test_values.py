"""Secrets and attributes of any content, in plain and in encrypted sessions."""

import os

from client import ITEM, Refused, encrypted
from client_test_case import ClientTestCase, only_coffer

SECRETS = {
    "empty": b"",
    "a newline": b"one\ntwo\n",
    "a NUL": b"a\0b\0",
    "no UTF-8": bytes(range(256)),
    "one block of AES": b"0123456789abcdef",
    "a megabyte": os.urandom(1 << 20),
}


class Values(ClientTestCase):
    def test_every_secret_comes_back_byte_for_byte_in_both_kinds_of_session(self):
        client = self.client()
        plain, session = client.open_plain(), client.open_encrypted()
        for number, (name, secret) in enumerate(SECRETS.items()):
            with self.subTest(name):
                first, _ = client.create(plain, name, self.attributes(number=str(number), by="plain"), secret)
                iv, value = encrypted(session, secret)
                second, _ = client.create(
                    session.object_path, name, self.attributes(number=str(number), by="encrypted"), value, parameters=iv)
                for item in first, second:
                    self.assertTrue(client.secret(item, plain) == secret)
                    self.assertTrue(client.encrypted_secret(item, session) == secret)

    def test_a_secret_is_replaced_by_an_empty_one_and_by_a_longer_one(self):
        client = self.client()
        plain = client.open_plain()
        item, _ = client.create(plain, "changing", self.attributes(), b"first")
        for secret in b"", b"a longer one", b"x":
            client.call(item, ITEM, "SetSecret", "(oayays)", (plain, b"", secret, "text/plain"))
            self.assertEqual(client.secret(item, plain), secret)

    @only_coffer
    def test_the_type_of_a_secret_comes_back(self):
        client = self.client()
        plain = client.open_plain()
        item, _ = client.create(plain, "typed", self.attributes(), b"{}", content_type="application/json")
        self.assertEqual(client.call(item, ITEM, "GetSecret", "o", plain)[3], "application/json")

    def test_attributes_with_any_name_and_value_are_found_and_come_back(self):
        client = self.client()
        plain = client.open_plain()
        odd = {
            "empty value": "", "näme": "wörth €", "emoji 🔑": "🔐", "line\nbreak": "a\nb",
            "quote'\"\\": "'; DROP TABLE item; --", "%": "%", "_": "_", "a.b/c:d": "x=y&z", "xdg:schema": "org.example.Odd",
            "service": "s", "account": "a", "long " + "n" * 500: "v" * 5000,
        }
        item, _ = client.create(plain, "odd", self.attributes(**odd), b"secret")
        self.assertEqual(dict(client.property(item, ITEM, "Attributes")), self.attributes(**odd))
        for name, value in odd.items():
            with self.subTest(name[:20]):
                self.assertEqual(client.search(self.attributes(**{name: value})), ([item], []))
                self.assertEqual(client.search(self.attributes(**{name: value + "x"})), ([], []))

    def test_a_wildcard_in_a_search_is_a_character_like_others(self):
        client = self.client()
        client.create(client.open_plain(), "plain", self.attributes(user="jane"), b"secret")
        for pattern in "%", "_ane", "*", "j?ne", "JANE", "jane ":
            self.assertEqual(client.search(self.attributes(user=pattern)), ([], []), pattern)

    def test_an_item_with_sixty_attributes_is_found_by_each(self):
        client = self.client()
        many = {f"name {number}": f"value {number}" for number in range(60)}
        item, _ = client.create(client.open_plain(), "many", self.attributes(**many), b"secret")
        self.assertEqual(dict(client.property(item, ITEM, "Attributes")), self.attributes(**many))
        self.assertEqual(client.search(self.attributes(**many)), ([item], []))
        for name, value in list(many.items())[::7]:
            self.assertEqual(client.search(self.attributes(**{name: value})), ([item], []))

    def test_a_search_finds_the_items_that_have_all_attributes_and_maybe_more(self):
        client = self.client()
        plain = client.open_plain()
        jane, _ = client.create(plain, "1", self.attributes(user="jane", kind="a"), b"1")
        joe, _ = client.create(plain, "2", self.attributes(user="joe", kind="a"), b"2")
        bare, _ = client.create(plain, "3", self.attributes(), b"3", replace=False)
        self.assertEqual(sorted(client.search(self.attributes())[0]), sorted([jane, joe, bare]))
        self.assertEqual(sorted(client.search(self.attributes(kind="a"))[0]), sorted([jane, joe]))
        self.assertEqual(client.search(self.attributes(kind="a", user="joe"))[0], [joe])

    # gnome-keyring replaces any item that has these attributes and maybe more.
    @only_coffer
    def test_replace_changes_the_item_with_the_same_attributes_only(self):
        client = self.client()
        plain = client.open_plain()
        first, _ = client.create(plain, "1", self.attributes(user="jane"), b"1")
        wider, _ = client.create(plain, "2", self.attributes(user="jane", more="x"), b"2")
        again, _ = client.create(plain, "3", self.attributes(user="jane"), b"3", replace=True)
        self.assertEqual((again, client.secret(first, plain), client.secret(wider, plain)), (first, b"3", b"2"))
        other, _ = client.create(plain, "4", self.attributes(user="jane"), b"4", replace=False)
        self.assertNotEqual(other, first)
        self.assertEqual((client.secret(first, plain), client.secret(other, plain)), (b"3", b"4"))

    def test_an_item_that_is_deleted_is_gone_for_every_call(self):
        client = self.client()
        plain = client.open_plain()
        item, _ = client.create(plain, "short-lived", self.attributes(), b"secret")
        self.assertEqual(client.delete(item), "/")
        self.assertEqual(client.search(self.attributes()), ([], []))
        for call in (lambda: client.secret(item, plain), lambda: client.property(item, ITEM, "Label")):
            with self.assertRaises(Refused):
                call()
