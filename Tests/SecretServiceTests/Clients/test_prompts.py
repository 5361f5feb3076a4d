"""Several prompts at once, and what a person and other programs do meanwhile."""

import pathlib
import time

from client import COLLECTION, DEFAULT, ITEM, PROMPT, Refused
from client_test_case import only_coffer
from service import wait_until
from test_locking import PASSPHRASE, LockingTestCase


@only_coffer
class Prompts(LockingTestCase):
    def slow_pinentry(self) -> tuple[pathlib.Path, pathlib.Path]:
        """A dialog that answers when a file exists, or ends with the test. Returns it with that file."""
        folder = self.folder()
        program, go = folder / "pinentry", folder / "go"
        program.write_text(
            "#!/bin/sh\necho OK\nwhile read -r word rest; do\n"
            f"  echo \"$word\" >>'{folder}/questions'\n"
            f"  case $word in GETPIN) while test -d '{folder}' && ! test -e '{go}'; do sleep 0.02; done;"
            f" echo 'D {PASSPHRASE}'; echo OK ;;"
            " BYE) echo OK; exit ;; *) echo OK ;; esac\ndone\n")
        program.chmod(0o755)
        return program, go

    def locked_service(self, has_agent: bool):
        """A service with a locked item, and the file for which its dialog waits."""
        service = self.new_service(passphrase=PASSPHRASE)
        service.register_locked()
        service.start_agent().unlock()
        dialog, go = self.slow_pinentry()
        service.variables["COFFER_TEST_PINENTRY"] = str(dialog)
        service.start()
        client = self.client(service)
        item, _ = client.create(client.open_plain(), "kept", self.attributes(), b"secret")
        service.coffer("lock")
        if not has_agent:
            service.end_agent()
            service.agent = None
        return service, item, go

    def show(self, client):
        """Shows a prompt, and returns its path."""
        client.watch()
        _, prompt = client.unlock(DEFAULT)
        client.call(prompt, PROMPT, "Prompt", "s", "")
        return prompt

    def test_one_answer_ends_the_prompts_of_all_programs(self):
        for has_agent in True, False:
            with self.subTest(has_agent=has_agent):
                service, item, go = self.locked_service(has_agent)
                clients = [self.client(service) for _ in range(3)]
                prompts = [self.show(client) for client in clients]
                wait_until("a dialog is shown", lambda: (go.parent / "questions").exists())
                go.touch()
                for client, prompt in zip(clients, prompts):
                    dismissed, (_, result) = client.signal("Completed", prompt)
                    self.assertEqual((dismissed, result), (False, [DEFAULT]))
                    self.assertEqual(client.lookup(self.attributes(), client.open_plain()), b"secret")

    def test_what_is_unlocked_elsewhere_ends_the_prompts_whose_dialogs_wait(self):
        service, item, go = self.locked_service(has_agent=True)
        client = self.client(service)
        prompt = self.show(client)
        wait_until("a dialog is shown", lambda: (go.parent / "questions").exists())
        service.unlock()
        # Another program's call is not kept waiting by the dialog, and finds the keys.
        other = self.client(service)
        self.assertEqual(other.search(self.attributes()), ([item], []))
        self.assertEqual(client.signal("Completed", prompt)[0], False)

    def test_calls_go_on_while_a_dialog_waits_for_its_answer(self):
        service, item, go = self.locked_service(has_agent=True)
        client = self.client(service)
        prompt = self.show(client)
        wait_until("a dialog is shown", lambda: (go.parent / "questions").exists())
        started = time.monotonic()
        other = self.client(service)
        self.assertTrue(other.property(DEFAULT, COLLECTION, "Locked"))
        session = other.open_plain()
        other.create(session, "m", self.attributes(), b"x", collection="/org/freedesktop/secrets/collection/session")
        client.call(prompt, PROMPT, "Dismiss")
        self.assertEqual(client.signal("Completed", prompt)[0], True)
        self.assertLess(time.monotonic() - started, 200)

    def test_a_vault_that_is_gone_is_an_error_and_no_new_one_is_made(self):
        service = self.new_service(passphrase=None)
        service.start()
        client = self.client(service)
        session = client.open_plain()
        item, _ = client.create(session, "kept", self.attributes(), b"secret")
        vault = service.folder / "home/vaults/default"
        vault.rename(vault.parent / "elsewhere")
        for call in (lambda: client.search(self.attributes()),
                     lambda: client.create(session, "new", self.attributes(), b"new"),
                     lambda: client.secret(item, session)):
            with self.assertRaises(Refused) as caught:
                call()
            self.assertIn("Failed", caught.exception.name)
        self.assertFalse(vault.exists())
        (vault.parent / "elsewhere").rename(vault)
        self.assertEqual(client.secret(item, session), b"secret")

    def test_a_deletion_by_a_locked_search_deletes_the_item_that_is_meant_or_none(self):
        service = self.new_service(passphrase=None)
        service.start()
        client = self.client(service)
        client.watch()
        session = client.open_plain()
        one, _ = client.create(session, "one", self.attributes(), b"1")
        client.create(session, "two", self.attributes(more="x"), b"2")
        client.create(session, "three", self.attributes(more="y"), b"3")
        client.lock(DEFAULT)
        _, (exact,) = client.search(self.attributes())
        _, (several,) = client.search({"test": self.id(), "more": "x"})
        _, (everything,) = client.search({})
        self.assertEqual(client.prompt(client.delete(everything)), (True, ""))
        self.assertEqual(len(client.search({})[0]), 3)
        self.assertEqual(client.delete(exact), "/")
        self.assertNotIn(one, client.search({})[0])
        self.assertEqual(client.delete(several), "/")
        self.assertEqual(len(client.search({})[0]), 1)

    def test_items_without_attributes_do_not_replace_each_other(self):
        client = self.client()
        session = client.open_plain()
        first, _ = client.create(session, "first", {}, b"1")
        second, _ = client.create(session, "second", {}, b"2")
        self.assertNotEqual(first, second)
        self.assertEqual((client.secret(first, session), client.secret(second, session)), (b"1", b"2"))
        for item in first, second:
            client.delete(item)

    def test_a_record_that_could_not_be_read_again_is_refused(self):
        client = self.client()
        session = client.open_plain()
        with self.assertRaises(Refused) as caught:
            client.create(session, "large", {f"a{n}": "\\\"" * 4_000 for n in range(64)}, b"x")
        self.assertIn("LimitsExceeded", caught.exception.name)
        large = self.attributes(**{f"a{n}": "\x01" * 1_000 for n in range(50)})
        item, _ = client.create(session, "escapes", large, b"x")
        self.assertEqual(dict(client.property(item, ITEM, "Attributes")), large)
        client.delete(item)
