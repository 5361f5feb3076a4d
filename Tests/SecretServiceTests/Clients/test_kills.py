"""A service that is killed, and started again."""

import signal

from client import COLLECTION, DEFAULT, Refused, properties
from client_test_case import ClientTestCase, only_coffer

# How many calls are under way at any time.
WINDOW = 64


class Kills(ClientTestCase):
    streams = 0

    def store_until_killed(self, service, kill_after: int, first: int) -> tuple[list[int], int]:
        """Stores items in a stream, and kills the service after so many are acknowledged.

        Returns the numbers of those that are acknowledged, and how many more the service had got when it was killed."""
        with service.client() as client:
            plain = client.open_plain()
            pending, acknowledged, unanswered, number = {}, [], 0, first
            killed = False
            while True:
                while len(pending) < WINDOW and not killed:
                    body = (properties(f"item {number}", self.attributes(number=str(number))),
                            (plain, b"", f"secret {number}".encode(), "text/plain"), False)
                    pending[client.send(DEFAULT, COLLECTION, "CreateItem", "a{sv}(oayays)b", *body)] = number
                    number += 1
                if not pending:
                    return acknowledged, unanswered
                serial = next(iter(pending))
                stored = pending.pop(serial)
                try:
                    item, _ = client.answer(serial)
                    self.assertNotEqual(item, "/")
                    acknowledged.append(stored)
                except Refused as error:
                    self.assertTrue(killed, error)
                    self.assertEqual(error.name, "org.freedesktop.DBus.Error.NoReply")
                    unanswered += 1
                if len(acknowledged) == kill_after and not killed:
                    self.assertEqual(service.kill(), -signal.SIGKILL)
                    killed = True

    # gnome-keyring leaves items without their secrets.
    @only_coffer
    def test_every_store_that_a_killed_service_has_acknowledged_is_there_after_its_restart(self):
        service = self.new_service()
        expected: list[int] = []
        for kill_after in 1, 5, 12, 30:
            unanswered = 0
            # A kill counts if it ended a stream. This process may have been too slow for that.
            while not unanswered:
                service.start()
                self.streams += 1
                acknowledged, unanswered = self.store_until_killed(service, kill_after, first=1000 * self.streams)
                self.assertGreaterEqual(len(acknowledged), kill_after)
                expected += acknowledged
        service.start()
        client = self.client(service)
        plain = client.open_plain()
        found, locked = client.search(self.attributes())
        self.assertEqual(locked, [])
        numbers = {}
        for item in found:
            secret = client.secret(item, plain).decode()
            numbers[int(secret.removeprefix("secret "))] = item
        self.assertEqual(len(numbers), len(found), "an item is there twice")
        # What was not acknowledged may be there as well, but whole.
        self.assertLessEqual(len(found), len(expected) + self.streams * WINDOW)
        self.assertEqual([number for number in expected if number not in numbers], [])
        for number, item in numbers.items():
            self.assertEqual(client.search(self.attributes(number=str(number))), ([item], []))

    @only_coffer
    def test_an_item_keeps_its_path_label_attributes_and_dates_over_a_restart(self):
        service = self.new_service().start()

        def seen(client):
            item = client.search(self.attributes())[0][0]
            everything = client.call(item, "org.freedesktop.DBus.Properties", "GetAll", "s", "org.freedesktop.Secret.Item")
            return item, everything, client.secret(item, client.open_plain())

        with service.client() as client:
            client.create(client.open_plain(), "Läbel", self.attributes(user="jané"), b"a\0b")
            before = seen(client)
        service.kill()
        service.start()
        with service.client() as client:
            self.assertEqual(seen(client), before)

    def test_a_client_that_stays_connected_gets_answers_from_the_service_after_its_restart(self):
        service = self.new_service().start()
        client = self.client(service)
        client.create(client.open_plain(), "kept", self.attributes(), b"secret")
        service.kill()
        with self.assertRaises(Refused) as caught:
            client.search(self.attributes())
        self.assertIn(caught.exception.name, [
            "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NoReply"])
        service.start()
        # The session has ended with the service.
        self.assertEqual(client.lookup(self.attributes(), client.open_plain()), b"secret")
