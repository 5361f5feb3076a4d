"""Collections whose keys a passphrase protects, and that the agent keeps until they are locked."""

import pathlib
import time

from client import COLLECTION, DEFAULT, ITEM, PROMPT, ROOT, SERVICE, Refused
from client_test_case import ClientTestCase, only_coffer
from service import Coffer

IS_LOCKED = "org.freedesktop.Secret.Error.IsLocked"
PASSPHRASE = "correct horse"


class LockingTestCase(ClientTestCase):
    def pinentry(self, answer: str) -> pathlib.Path:
        """A dialog in which somebody enters an answer, and which notes each question."""
        folder = self.folder()
        program = folder / "pinentry"
        program.write_text(
            "#!/bin/sh\necho OK\nwhile read -r word rest; do\n"
            f"  echo \"$word $rest\" >>'{folder}/questions'\n"
            f"  case $word in GETPIN) echo 'D {answer}'; echo OK ;; BYE) echo OK; exit ;; *) echo OK ;; esac\ndone\n")
        program.chmod(0o755)
        return program

    def expect_locked(self, call):
        with self.assertRaises(Refused) as caught:
            call()
        self.assertEqual(caught.exception.name, IS_LOCKED, caught.exception.text)

    def expect_kept(self, client, item) -> str:
        """A locked collection says that it has items, and gives no secret. Returns the path of what a search finds."""
        unlocked, locked = client.search(self.attributes())
        self.assertEqual((unlocked, len(locked)), ([], 1))
        (own,) = client.call(DEFAULT, COLLECTION, "SearchItems", "a{ss}", self.attributes())
        self.assertTrue(client.property(DEFAULT, COLLECTION, "Locked"))
        for path in locked[0], own:
            self.assertTrue(client.property(path, ITEM, "Locked"))
        # No empty list.
        self.expect_locked(lambda: client.property(DEFAULT, COLLECTION, "Items"))
        session = client.open_plain()
        for path in locked[0], own, item:
            self.expect_locked(lambda: client.secret(path, session))
            self.expect_locked(lambda: client.call(path, ITEM, "SetSecret", "(oayays)", (session, b"", b"x", "text/plain")))
        self.assertEqual(dict(client.call(ROOT, SERVICE, "GetSecrets", "aoo", [item, locked[0]], session)), {})
        self.expect_locked(lambda: client.create(session, "x", self.attributes(user="new"), b"x"))
        return locked[0]


@only_coffer
class Locking(LockingTestCase):
    """The programs of the desktop are an app that was registered with --locked."""

    def unlocked_service(self):
        """A service with one item, which was stored while the agent had the keys."""
        service: Coffer = self.new_service(passphrase=PASSPHRASE)
        service.register_locked()
        service.start_agent().unlock()
        service.start()
        client = self.client(service)
        session = client.open_plain()
        item, prompt = client.create(session, "kept", self.attributes(), b"secret")
        self.assertEqual(prompt, "/")
        return service, client, session, item

    def test_coffer_lock_and_coffer_unlock_lock_and_unlock_the_collection(self):
        service, client, session, item = self.unlocked_service()
        self.assertFalse(client.property(DEFAULT, COLLECTION, "Locked"))
        service.coffer("lock")
        found = self.expect_kept(client, item)
        service.unlock()
        self.assertEqual(client.search(self.attributes()), ([item], []))
        # The path that the locked search has found leads to the item now.
        for path in item, found:
            self.assertEqual(client.secret(path, session), b"secret")

    def test_a_search_of_a_locked_collection_stands_for_items_of_that_collection_only(self):
        service, client, session, item = self.unlocked_service()
        label = {"org.freedesktop.Secret.Collection.Label": ("s", "other")}
        other, _ = client.call(ROOT, SERVICE, "CreateCollection", "a{sv}s", label, "")
        twin, _ = client.create(session, "twin", self.attributes(), b"twin", collection=other)
        service.coffer("lock")
        (of_default,) = client.call(DEFAULT, COLLECTION, "SearchItems", "a{ss}", self.attributes())
        (of_other,) = client.call(other, COLLECTION, "SearchItems", "a{ss}", self.attributes())
        (of_all,) = client.search(self.attributes())[1]
        service.unlock()
        self.assertEqual(client.unlock(of_default, of_other), ([item, twin], "/"))
        self.assertEqual(client.unlock(of_all), ([item, twin], "/"))
        self.assertEqual(client.secret(of_default, session), b"secret")
        self.assertEqual(client.secret(of_other, session), b"twin")
        client.call(of_other, ITEM, "SetSecret", "(oayays)", (session, b"", b"changed", "text/plain"))
        self.assertEqual(client.secret(twin, session), b"changed")
        client.delete(of_other)
        self.assertEqual(client.search(self.attributes()), ([item], []))
        self.assertEqual(client.secret(item, session), b"secret")
        with self.assertRaises(Refused) as caught:
            client.secret(of_other, session)
        self.assertEqual(caught.exception.name, "org.freedesktop.Secret.Error.NoSuchObject")

    def test_the_method_lock_locks_until_the_method_unlock(self):
        service, client, session, item = self.unlocked_service()
        self.assertEqual(client.lock(DEFAULT), ([DEFAULT], "/"))
        self.expect_kept(client, item)
        # The agent has the keys, so nobody is asked.
        self.assertEqual(client.unlock(DEFAULT), ([DEFAULT], "/"))
        self.assertEqual(client.search(self.attributes()), ([item], []))
        self.assertEqual(client.secret(item, session), b"secret")

    def test_a_service_that_starts_with_locked_keys_knows_that_there_may_be_items(self):
        service, _, _, item = self.unlocked_service()
        service.coffer("lock")
        service.kill()
        service.start()
        client = self.client(service)
        self.expect_kept(client, item)
        service.unlock()
        self.assertEqual(client.lookup(self.attributes(), client.open_plain()), b"secret")

    def test_unlock_without_a_dialog_is_dismissed_at_once(self):
        service, client, _, item = self.unlocked_service()
        service.coffer("lock")
        client.watch()
        started = time.monotonic()
        unlocked, prompt = client.unlock(DEFAULT)
        self.assertEqual(unlocked, [])
        self.assertNotEqual(prompt, "/")
        self.assertEqual(client.prompt(prompt), (True, []))
        self.assertLess(time.monotonic() - started, 30)
        self.expect_kept(client, item)

    def test_an_answered_prompt_unlocks_what_a_search_has_found(self):
        service, client, session, item = self.unlocked_service()
        service.coffer("lock")
        service.kill()
        dialog = self.pinentry(PASSPHRASE)
        service.variables["COFFER_TEST_PINENTRY"] = str(dialog)
        service.start()
        client.watch()
        _, (found,) = client.search(self.attributes())
        unlocked, prompt = client.unlock(found)
        self.assertEqual(unlocked, [])
        self.assertEqual(client.prompt(prompt), (False, [item]))
        session = client.open_plain()
        self.assertEqual(client.search(self.attributes()), ([item], []))
        self.assertEqual(client.secret(item, session), b"secret")
        self.assertIn("wants to use its passwords", (dialog.parent / "questions").read_text())
        self.assertNotIn("secret", (dialog.parent / "questions").read_text().replace("coffer-secret-service", ""))

    def test_a_collection_that_a_program_makes_while_all_are_locked_is_the_one_that_it_made_before(self):
        service, client, _, _ = self.unlocked_service()
        label = {"org.freedesktop.Secret.Collection.Label": ("s", "awsvault")}
        made, _ = client.call(ROOT, SERVICE, "CreateCollection", "a{sv}s", label, "")
        service.coffer("lock")
        # It cannot be seen in the list, and answers under its path.
        self.assertTrue(client.property(made, COLLECTION, "Locked"))
        service.kill()
        service.variables["COFFER_TEST_PINENTRY"] = str(self.pinentry(PASSPHRASE))
        service.start()
        client.watch()
        found, prompt = client.call(ROOT, SERVICE, "CreateCollection", "a{sv}s", label, "")
        self.assertEqual(found, "/")
        self.assertEqual(client.prompt(prompt), (False, made))

    def test_wrong_passphrases_dismiss_the_prompt(self):
        service, client, _, item = self.unlocked_service()
        service.coffer("lock")
        service.kill()
        dialog = self.pinentry("wrong")
        service.variables["COFFER_TEST_PINENTRY"] = str(dialog)
        service.start()
        client.watch()
        _, prompt = client.unlock(DEFAULT)
        self.assertEqual(client.prompt(prompt), (True, []))
        self.assertEqual((dialog.parent / "questions").read_text().count("GETPIN"), 3)
        self.expect_kept(client, item)

    def test_a_prompt_of_another_client_is_neither_shown_nor_dismissed(self):
        service, client, _, _ = self.unlocked_service()
        service.coffer("lock")
        client.watch()
        _, prompt = client.unlock(DEFAULT)
        attacker = self.client(service)
        for method, arguments in ("Prompt", ("s", "")), ("Dismiss", ()):
            with self.assertRaises(Refused) as caught:
                attacker.call(prompt, PROMPT, method, *arguments)
            self.assertEqual(caught.exception.name, "org.freedesktop.Secret.Error.NoSuchObject")
        client.call(prompt, PROMPT, "Dismiss")
        self.assertTrue(client.signal("Completed", prompt)[0])

    def test_a_flood_of_prompts_ends_at_a_limit_of_its_client(self):
        service, client, _, _ = self.unlocked_service()
        service.coffer("lock")
        attacker = self.client(service)
        with self.assertRaises(Refused) as caught:
            for _ in range(10_000):
                attacker.unlock(DEFAULT)
        self.assertEqual(caught.exception.name, "org.freedesktop.DBus.Error.LimitsExceeded")
        self.assertNotEqual(client.unlock(DEFAULT)[1], "/")

    def test_secret_tool_finds_nothing_while_the_collection_is_locked_and_the_secret_afterwards(self):
        service, client, _, _ = self.unlocked_service()
        name = client.call(ROOT, SERVICE, "ReadAlias", "s", "default").rsplit("/", 1)[-1]
        lookup = ["secret-tool", "lookup", "test", self.id()]
        self.assertEqual(service.succeed(*lookup), b"secret")
        # It crashes after it has locked the collection (libsecret 0.20.5), whatever the service is.
        service.run("secret-tool", "lock", f"--collection={name}")
        self.assertTrue(client.property(DEFAULT, COLLECTION, "Locked"))
        service.coffer("lock")
        result = service.run(*lookup)
        self.assertEqual((result.returncode, result.stdout), (1, b""))
        # secret-tool asks for an unlock itself, for which nobody has to be asked now.
        service.unlock()
        self.assertEqual(service.succeed(*lookup), b"secret")

    def test_no_store_of_secret_tool_replaces_what_a_locked_collection_has(self):
        service, client, session, item = self.unlocked_service()
        service.coffer("lock")
        store = ["secret-tool", "store", "--label=other", "test", self.id()]
        self.assertNotEqual(service.run(*store, input=b"other").returncode, 0)
        service.unlock()
        self.assertEqual(client.search(self.attributes()), ([item], []))
        self.assertEqual(client.secret(item, session), b"secret")
        service.succeed(*store, input=b"other")
        self.assertEqual(service.succeed("secret-tool", "lookup", "test", self.id()), b"other")


@only_coffer
class Registration(LockingTestCase):
    """A vault with a passphrase in which nothing of the desktop is registered yet."""

    def test_the_first_store_asks_for_the_passphrase_once_and_later_ones_for_nothing(self):
        service: Coffer = self.new_service(passphrase=PASSPHRASE)
        dialog = self.pinentry(PASSPHRASE)
        service.variables["COFFER_TEST_PINENTRY"] = str(dialog)
        service.start()
        service.succeed("secret-tool", "store", "--label=first", "test", self.id(), input=b"secret")
        service.succeed("secret-tool", "store", "--label=second", "test", self.id(), "user", "joe", input=b"other")
        self.assertEqual(service.succeed("secret-tool", "lookup", "test", self.id(), "user", "joe"), b"other")
        self.assertEqual((dialog.parent / "questions").read_text().count("GETPIN"), 1)

    def test_coffer_lock_locks_keys_that_no_agent_keeps(self):
        service: Coffer = self.new_service(passphrase=PASSPHRASE)
        dialog = self.pinentry(PASSPHRASE)
        service.variables["COFFER_TEST_PINENTRY"] = str(dialog)
        service.start()
        service.succeed("secret-tool", "store", "--label=kept", "test", self.id(), input=b"secret")
        client = self.client(service)
        (item,), _ = client.search(self.attributes())
        self.assertEqual(service.coffer("lock"), "Locked the Secret Service.")
        self.expect_kept(client, item)
        self.assertIn('"secretServiceKeyCount" : 0', service.coffer("lock", "--json"))

    def test_without_a_dialog_the_first_store_fails_and_a_lookup_finds_nothing(self):
        service: Coffer = self.new_service(passphrase=PASSPHRASE)
        service.start()
        self.assertEqual(service.run("secret-tool", "lookup", "test", self.id()).returncode, 1)
        self.assertNotEqual(
            service.run("secret-tool", "store", "--label=first", "test", self.id(), input=b"secret").returncode, 0)

    def test_what_a_client_locks_without_an_own_passphrase_is_unlocked_without_one(self):
        service = self.new_service().start()
        client = self.client(service)
        session = client.open_plain()
        item, _ = client.create(session, "open", self.attributes(), b"secret")
        self.assertEqual(client.lock(DEFAULT), ([DEFAULT], "/"))
        self.expect_kept(client, item)
        self.assertEqual(client.unlock(DEFAULT), ([DEFAULT], "/"))
        self.assertEqual(client.secret(item, session), b"secret")

    def test_a_passphrase_that_is_set_later_locks_the_collection_of_a_service_that_runs(self):
        service: Coffer = self.new_service().start()
        client = self.client(service)
        session = client.open_plain()
        item, _ = client.create(session, "kept", self.attributes(), b"secret")
        self.assertEqual(client.secret(item, session), b"secret")
        service.passphrase_file.touch(mode=0o600)
        service.passphrase_file.write_text(PASSPHRASE)
        said = service.coffer("passphrase", "set", "--new-passphrase-file", service.passphrase_file)
        self.assertIn("coffer.desktop", said)
        self.expect_kept(client, item)
        service.start_agent().unlock()
        self.assertEqual(client.secret(item, session), b"secret")
