"""The Python package, on the vault that the environment names, as PhotoPro."""

import datetime
import gc
import pathlib
import threading
import unittest
import weakref

import coffer

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLIST = (ROOT / "Entitlements/PhotoPro.entitlements").read_bytes()
SERVICE = "python.example.com"


class Vaults(unittest.TestCase):
    def setUp(self):
        self.vault = coffer.open(PLIST)
        self.addCleanup(self.vault.close)

    def test_values_are_kept_exactly(self):
        values = [b"", b"nul \0 nul", "é".encode(), b"x" * 100_000, bytearray(b"changed later"), memoryview(b"view")]
        for value in values:
            self.vault.write(SERVICE, "exact", value)
            with self.vault.read(SERVICE, "exact") as secret:
                self.assertEqual(bytes(secret), bytes(value))
                self.assertEqual(len(secret), len(value))

    def test_a_wiped_value_is_gone_and_no_text_shows_one(self):
        self.vault.write(SERVICE, "wiped", b"the-secret")
        with self.vault.read(SERVICE, "wiped") as secret:
            self.assertEqual(secret.text(), "the-secret")
            self.assertNotIn("the-secret", repr(secret))
        with self.assertRaises(ValueError):
            secret.view()
        secret.wipe()

    def test_a_view_of_a_temporary_keeps_its_bytes(self):
        value = b"kept" * 1000
        self.vault.write(SERVICE, "viewed", value)
        view = self.vault.read(SERVICE, "viewed").view()
        gc.collect()
        # A freed value is wiped, and its memory is taken again.
        others = [self.vault.read(SERVICE, "viewed") for _ in range(10)]
        for secret in others:
            secret.wipe()
        self.assertEqual(bytes(view), value)
        owner = weakref.ref(view.obj._owner)
        del view
        gc.collect()
        self.assertIsNone(owner())

    def test_items_are_found_with_their_names(self):
        self.vault.write(SERVICE, "jane", b"1", label="Jane's", group="com.example.photo.purchases")
        [item] = self.vault.find(SERVICE, "jane")
        self.assertEqual((item.service, item.account, item.label), (SERVICE, "jane", "Jane's"))
        self.assertTrue(item.group.endswith(".com.example.photo.purchases"))
        self.assertTrue(item.writer_app.endswith(".com.example.photo.pro"))
        self.assertEqual(item.writer_machine, "laptop")
        self.assertGreater(item.modified.year, 2020)
        self.assertEqual(self.vault.find(SERVICE, "jane", group="com.example.photo.pro"), [])

    def test_a_time_that_python_does_not_have_becomes_the_last_or_the_first_one(self):
        class Row(coffer._vault._Row):
            def number(self, field):
                return field

        times = [Row(None, 0).time(number) for number in [2**63 - 1, -(2**63), 0]]
        self.assertEqual([time.year for time in times], [9999, 1, 1970])
        self.assertTrue(all(time.tzinfo is datetime.timezone.utc for time in times))

    def test_versions_have_their_values(self):
        for value in [b"old", b"new"]:
            self.vault.write(SERVICE, "versions", value)
        self.vault.delete(SERVICE, "versions")
        versions = self.vault.versions(SERVICE, "versions")
        self.assertEqual([v.value and bytes(v.value) for v in versions], [None, b"new", b"old"])

    def test_errors_say_what_to_do(self):
        with self.assertRaises(coffer.NotFoundError):
            self.vault.read(SERVICE, "missing")
        with self.assertRaises(KeyError):
            self.vault.delete(SERVICE, "missing")
        with self.assertRaises(coffer.NotEntitledError) as raised:
            self.vault.write(SERVICE, "x", b"", group="no.such.group")
        self.assertEqual(raised.exception.status, coffer.Status.NOT_ENTITLED)
        self.assertTrue(raised.exception.suggestion)
        self.assertIn(raised.exception.suggestion, str(raised.exception))
        with self.assertRaises(coffer.Error):
            coffer.open(b"no plist")

    def test_a_transaction_is_undone_by_an_exception(self):
        def fail():
            self.vault.write(SERVICE, "undone", b"1")
            raise RuntimeError("the body failed")

        with self.assertRaisesRegex(RuntimeError, "the body failed"):
            self.vault.transaction(fail)
        self.assertEqual(self.vault.find(SERVICE, "undone"), [])
        self.assertEqual(self.vault.transaction(lambda: self.vault.write(SERVICE, "done", b"1") or 7), 7)
        self.assertEqual(len(self.vault.find(SERVICE, "done")), 1)

    def test_a_watch_wakes_for_another_vault_object_and_ends_with_the_vault(self):
        with self.vault.watch() as watch:
            self.assertFalse(watch.wait(0))
            with coffer.open(PLIST) as other:
                other.write(SERVICE, "watched", b"1")
            self.assertTrue(watch.wait(20))
            self.vault.close()
            while watch.wait(20):
                pass

    def test_threads_share_a_vault(self):
        def work(name):
            for _ in range(5):
                self.vault.write(SERVICE, name, name.encode())
                self.assertEqual(bytes(self.vault.read(SERVICE, name)), name.encode())
            done.append(name)

        done = []
        threads = [threading.Thread(target=work, args=(f"thread-{n}",)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(done), 4)

    def test_the_state_of_the_app_is_told(self):
        self.assertEqual([group.is_writable for group in self.vault.groups], [True, True])
        # An interpreter cannot be installed for one app: without an owner's passphrase, nothing is enforced.
        self.assertEqual(self.vault.enforcement, coffer.Enforcement.POLICY)
        self.assertEqual(len(self.vault.receipt_buyer), 32)
        self.assertFalse(self.vault.has_receipt("store.example.com", "nothing"))
        with self.assertRaises(coffer.Error):
            self.vault.redeem("no receipt", "store.example.com", "photo-pro")
        self.vault.lock()
        self.assertTrue(self.vault.is_locked)
        with self.assertRaises(coffer.LockedError):
            self.vault.read(SERVICE, "x")
        self.vault.unlock()
        self.assertFalse(self.vault.is_locked)

    def test_a_closed_vault_refuses_calls(self):
        self.vault.close()
        with self.assertRaises(ValueError):
            self.vault.find()


if __name__ == "__main__":
    unittest.main()
