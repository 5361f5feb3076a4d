"""What a service could lose sight of: a vault that is replaced, damaged items, large records, and what a lock hides.

A program that finds nothing makes a new password, so an item that is not found is as bad as one that is lost."""

import contextlib
import sqlite3

from client import COLLECTION, DEFAULT, ITEM, PROPERTIES, PROMPT, Refused
from client_test_case import only_coffer
from service import Coffer
from test_locking import PASSPHRASE, LockingTestCase

BUS = "org.freedesktop.DBus.Error."


@only_coffer
class LostSight(LockingTestCase):
    def test_a_vault_that_was_cloned_again_shows_what_it_has_now(self):
        first: Coffer = self.new_service().start()
        remote = first.folder / "remote.git"
        first.succeed("git", "init", "--bare", "--quiet", remote)
        writer = self.client(first)
        session = writer.open_plain()
        writer.create(session, "early", self.attributes(item="early"), b"early")
        first.coffer("remote", "set", remote)
        first.coffer("sync")

        second: Coffer = self.new_service(has_vault=False)
        second.join(first, remote)
        second.start()
        reader = self.client(second)
        plain = reader.open_plain()
        self.assertEqual(reader.lookup(self.attributes(item="early"), plain), b"early")
        # Its store gets more rows than that of the next clone has.
        for number in range(60):
            reader.create(plain, "unsynced", self.attributes(item="unsynced"), str(number).encode())
        writer.create(session, "late", self.attributes(item="late"), b"late")
        first.coffer("sync")
        # The other clone takes its place at once, so that no call meets an absent vault meanwhile.
        other: Coffer = self.new_service(has_vault=False)
        other.join(first, remote, name="replaced")
        (second.folder / "home").rename(second.folder / "former")
        (other.folder / "home").rename(second.folder / "home")

        self.assertEqual(reader.lookup(self.attributes(item="late"), plain), b"late")
        self.assertEqual(reader.lookup(self.attributes(item="early"), plain), b"early")
        self.assertIsNone(reader.lookup(self.attributes(item="unsynced"), plain))
        # And what is stored is in the new clone.
        reader.create(plain, "after", self.attributes(item="after"), b"after")
        second.coffer("sync")
        first.coffer("sync")
        self.assertEqual(writer.lookup(self.attributes(item="after"), session), b"after")

    def damage(self, service: Coffer):
        """Changes the stored attributes of the last item, as a failing disk does."""
        with contextlib.closing(sqlite3.connect(service.folder / "home/vaults/default/store.sqlite")) as store, store:
            (row, attributes), = store.execute("SELECT id, attributes FROM record ORDER BY id DESC LIMIT 1").fetchall()
            damaged = attributes[:-1] + bytes([attributes[-1] ^ 1])
            store.execute("UPDATE record SET attributes = ? WHERE id = ?", [damaged, row])

    def test_a_damaged_item_is_an_error_and_not_an_absent_item(self):
        service: Coffer = self.new_service().start()
        client = self.client(service)
        session = client.open_plain()
        client.create(session, "whole", self.attributes(item="whole"), b"whole")
        client.create(session, "damaged", self.attributes(item="damaged"), b"damaged")
        service.kill()
        self.damage(service)
        service.start()
        client = self.client(service)
        session = client.open_plain()
        # The other item is of use.
        self.assertEqual(client.lookup(self.attributes(item="whole"), session), b"whole")
        for call in (
            lambda: client.search(self.attributes(item="damaged")),
            lambda: client.call(DEFAULT, COLLECTION, "SearchItems", "a{ss}", self.attributes(item="damaged")),
            lambda: client.create(session, "new", self.attributes(item="damaged"), b"new", replace=True),
        ):
            with self.assertRaises(Refused) as caught:
                call()
            self.assertEqual(caught.exception.name, BUS + "Failed", caught.exception.text)

    def locked_service(self, *items: str):
        """A service with items that are locked, and a dialog in which the passphrase is entered."""
        service: Coffer = self.new_service(passphrase=PASSPHRASE)
        service.register_locked()
        service.variables["COFFER_TEST_PINENTRY"] = str(self.pinentry(PASSPHRASE))
        service.start_agent().unlock()
        service.start()
        client = self.client(service)
        session = client.open_plain()
        for item in items:
            client.create(session, item, self.attributes(item=item), item.encode())
        service.coffer("lock")
        client.watch()
        return service, client, session

    def test_what_a_locked_search_has_found_is_deleted_only_if_it_is_one_item(self):
        service, client, session = self.locked_service("first", "second")
        _, (several,) = client.search(self.attributes())
        prompt = client.delete(several)
        self.assertNotEqual(prompt, "/")
        self.assertTrue(client.prompt(prompt)[0])
        self.assertEqual(len(client.search(self.attributes())[0]), 2)
        service.coffer("lock")
        _, (one,) = client.search(self.attributes(item="first"))
        prompt = client.delete(one)
        self.assertFalse(client.prompt(prompt)[0])
        self.assertEqual(client.search(self.attributes(item="first")), ([], []))
        self.assertEqual(client.lookup(self.attributes(), session), b"second")

    def test_the_list_of_items_is_not_empty_while_it_is_locked_and_is_told_when_it_is_unlocked(self):
        service, client, _ = self.locked_service("first", "second")
        path = client.call("/org/freedesktop/secrets", "org.freedesktop.Secret.Service", "ReadAlias", "s", "default")
        found = dict(client.call(path, PROPERTIES, "GetAll", "s", COLLECTION))
        self.assertEqual(found["Locked"], ("b", True))
        self.assertNotIn("Items", found)
        _, prompt = client.unlock(path)
        client.call(prompt, PROMPT, "Prompt", "s", "")
        told = {}
        while not {"Items", "Locked"} <= told.keys():
            interface, changed, _ = client.signal("PropertiesChanged", path)
            self.assertEqual(interface, COLLECTION)
            told |= {name: value for name, (_, value) in dict(changed).items()}
        self.assertEqual((len(told["Items"]), told["Locked"]), (2, False))

    def test_attributes_that_are_accepted_are_found_again_whatever_is_in_them(self):
        service: Coffer = self.new_service().start()
        with service.client() as client:
            session = client.open_plain()
            accepted = []
            for size in 100, 1_000, 8_000:
                for count in 10, 63:
                    attributes = {f"name {number}": "\x01" * size for number in range(count)}
                    try:
                        client.create(session, "large", attributes, f"{size} {count}".encode())
                    except Refused as refused:
                        self.assertIn(refused.name, [BUS + "LimitsExceeded", BUS + "InvalidArgs"], refused.text)
                    else:
                        accepted.append((attributes, f"{size} {count}".encode()))
        self.assertGreaterEqual(len(accepted), 3)
        service.kill()
        service.start()
        client = self.client(service)
        session = client.open_plain()
        for attributes, secret in accepted:
            found, _ = client.search(attributes)
            self.assertEqual(client.secret(found[0], session), secret)
            self.assertEqual(dict(client.property(found[0], ITEM, "Attributes")), attributes)
