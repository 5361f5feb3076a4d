"""What clients store is in the vault, and on its other machines."""

import json

from client_test_case import ClientTestCase, only_coffer
from service import Coffer


@only_coffer
class Sync(ClientTestCase):
    def test_what_is_stored_is_listed_by_coffer_without_its_secret(self):
        service = self.new_service().start()
        client = self.client(service)
        client.create(client.open_plain(), "Läbel of it", self.attributes(user="jane"), b"secret of the desktop")
        listed = service.coffer("list", "--json")
        self.assertIn("Läbel of it", str(json.loads(listed)))
        self.assertNotIn("secret of the desktop", listed)

    def test_what_is_stored_is_found_on_another_machine_by_the_same_lookup_and_changed_there(self):
        first = self.new_service().start()
        remote = first.folder / "remote.git"
        first.succeed("git", "init", "--bare", "--quiet", remote)
        store = ["secret-tool", "store", "--label=Shared", "app", self.id(), "user", "jané"]
        lookup = ["secret-tool", "lookup", "app", self.id(), "user", "jané"]
        first.succeed(*store, input="pässword".encode())
        first.coffer("remote", "set", remote)
        first.coffer("sync")

        second: Coffer = self.new_service(has_vault=False)
        second.join(first, remote)
        second.start()
        self.assertEqual(second.succeed(*lookup), "pässword".encode())
        second.succeed(*store, input=b"changed")
        second.coffer("sync")
        first.coffer("sync")
        self.assertEqual(first.succeed(*lookup), b"changed")
        first.succeed("secret-tool", "clear", "app", self.id())
        first.coffer("sync")
        second.coffer("sync")
        self.assertEqual(second.run(*lookup).returncode, 1)
