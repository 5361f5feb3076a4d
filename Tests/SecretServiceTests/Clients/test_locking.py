"""A vault with a passphrase, whose key the agent keeps until it is locked."""

import time

from client import COLLECTION, DEFAULT, ITEM, ROOT, SERVICE, Refused
from client_test_case import ClientTestCase, only_coffer

IS_LOCKED = "org.freedesktop.Secret.Error.IsLocked"


@only_coffer
class Locking(ClientTestCase):
    def unlocked_service(self):
        """A service with one item, which was stored while the vault was unlocked."""
        service = self.new_service(passphrase="correct horse").start_agent()
        service.unlock()
        service.start()
        client = self.client(service)
        session = client.open_plain()
        item, prompt = client.create(session, "kept", self.attributes(), b"secret")
        self.assertEqual(prompt, "/")
        return service, client, session, item

    def expect_locked(self, call):
        with self.assertRaises(Refused) as caught:
            call()
        self.assertEqual(caught.exception.name, IS_LOCKED, caught.exception.text)

    def expect_kept(self, client, item):
        """A locked collection shows its items as locked ones, and gives no secret."""
        self.assertEqual(client.search(self.attributes()), ([], [item]))
        self.assertEqual(client.call(DEFAULT, COLLECTION, "SearchItems", "a{ss}", self.attributes()), [item])
        self.assertEqual(client.property(DEFAULT, COLLECTION, "Items"), [item])
        self.assertTrue(client.property(DEFAULT, COLLECTION, "Locked"))
        self.assertTrue(client.property(item, ITEM, "Locked"))
        session = client.open_plain()
        self.expect_locked(lambda: client.secret(item, session))
        self.assertEqual(dict(client.call(ROOT, SERVICE, "GetSecrets", "aoo", [item], session)), {})
        self.expect_locked(lambda: client.call(item, ITEM, "SetSecret", "(oayays)", (session, b"", b"x", "text/plain")))
        self.expect_locked(lambda: client.create(session, "x", self.attributes(user="new"), b"x"))

    def test_a_vault_that_the_agent_locks_shows_locked_items_and_gives_no_secret(self):
        service, client, session, item = self.unlocked_service()
        self.assertFalse(client.property(DEFAULT, COLLECTION, "Locked"))
        service.coffer("lock")
        self.expect_kept(client, item)
        service.unlock()
        self.assertEqual(client.search(self.attributes()), ([item], []))
        self.assertEqual(client.secret(item, session), b"secret")

    def test_the_method_lock_locks_the_collection_and_tells_it(self):
        service, client, session, item = self.unlocked_service()
        client.watch()
        locked, prompt = client.lock(DEFAULT)
        self.assertEqual((len(locked), prompt), (1, "/"))
        self.expect_kept(client, item)
        service.unlock()
        self.assertEqual(client.secret(item, session), b"secret")

    def test_a_service_that_starts_with_a_locked_vault_shows_what_was_stored_before(self):
        service, _, _, item = self.unlocked_service()
        service.coffer("lock")
        service.kill()
        service.start()
        client = self.client(service)
        self.expect_kept(client, item)
        service.unlock()
        self.assertEqual(client.lookup(self.attributes(), client.open_plain()), b"secret")

    def test_unlock_without_a_desktop_is_dismissed_at_once(self):
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

    def test_unlock_after_a_prompt_that_is_answered_gives_the_secret(self):
        pinentry = self.folder() / "pinentry"
        pinentry.write_text(
            "#!/bin/sh\necho OK\nwhile read -r word rest; do\n"
            "  case $word in GETPIN) echo 'D correct horse'; echo OK ;; BYE) echo OK; exit ;; *) echo OK ;; esac\ndone\n")
        pinentry.chmod(0o755)
        service, client, session, item = self.unlocked_service()
        service.coffer("lock")
        service.end_agent()
        service.kill()
        service.variables["COFFER_TEST_PINENTRY"] = str(pinentry)
        service.start_agent().start()
        client.watch()
        unlocked, prompt = client.unlock(DEFAULT)
        self.assertEqual(unlocked, [])
        dismissed, opened = client.prompt(prompt)
        self.assertFalse(dismissed)
        self.assertEqual(len(opened), 1)
        self.assertEqual(client.search(self.attributes()), ([item], []))
        self.assertEqual(client.lookup(self.attributes(), client.open_plain()), b"secret")

    def test_a_prompt_of_another_client_is_neither_shown_nor_dismissed(self):
        service, client, _, _ = self.unlocked_service()
        service.coffer("lock")
        _, prompt = client.unlock(DEFAULT)
        attacker = self.client(service)
        for method, arguments in ("Prompt", ("s", "")), ("Dismiss", ()):
            with self.assertRaises(Refused) as caught:
                attacker.call(prompt, "org.freedesktop.Secret.Prompt", method, *arguments)
            self.assertEqual(caught.exception.name, "org.freedesktop.Secret.Error.NoSuchObject")
        client.watch()
        client.call(prompt, "org.freedesktop.Secret.Prompt", "Dismiss")
        self.assertEqual(client.signal("Completed", prompt)[0], True)

    def test_a_flood_of_prompts_ends_at_a_limit_of_its_client(self):
        service, client, _, _ = self.unlocked_service()
        service.coffer("lock")
        attacker = self.client(service)
        with self.assertRaises(Refused) as caught:
            for _ in range(10_000):
                attacker.unlock(DEFAULT)
        self.assertEqual(caught.exception.name, "org.freedesktop.DBus.Error.LimitsExceeded")
        self.assertNotEqual(client.unlock(DEFAULT)[1], "/")

    def test_secret_tool_locks_the_collection_and_finds_nothing_until_it_is_unlocked(self):
        service, client, _, _ = self.unlocked_service()
        name = client.call(ROOT, SERVICE, "ReadAlias", "s", "default").rsplit("/", 1)[-1]
        lookup = ["secret-tool", "lookup", "test", self.id()]
        self.assertEqual(service.succeed(*lookup), b"secret")
        service.succeed("secret-tool", "lock", f"--collection={name}")
        result = service.run(*lookup)
        self.assertEqual((result.returncode, result.stdout), (1, b""))
        service.unlock()
        self.assertEqual(service.succeed(*lookup), b"secret")


@only_coffer
class WithoutPassphrase(ClientTestCase):
    def test_a_vault_without_a_passphrase_stays_usable_after_lock(self):
        service = self.new_service().start()
        client = self.client(service)
        session = client.open_plain()
        item, _ = client.create(session, "open", self.attributes(), b"secret")
        client.lock(DEFAULT)
        unlocked, prompt = client.unlock(DEFAULT)
        self.assertEqual((len(unlocked), prompt), (1, "/"))
        self.assertEqual(client.secret(item, session), b"secret")
