"""Several clients at once."""

import threading

from client import ITEM
from client_test_case import ClientTestCase

CLIENTS = 8
ITEMS = 25


class Crowds(ClientTestCase):
    def test_eight_clients_that_write_and_read_at_once_lose_and_mix_up_nothing(self):
        failures = []

        def work(number: int):
            try:
                with self.service.client() as client:
                    plain = client.open_plain()
                    for item in range(ITEMS):
                        attributes = self.attributes(client=str(number), item=str(item))
                        client.create(plain, f"{number}/{item}", attributes, f"secret {number} {item}".encode())
                        found = client.lookup(attributes, plain)
                        if found != f"secret {number} {item}".encode():
                            failures.append(f"client {number} found {found} as item {item}")
            except Exception as error:
                failures.append(f"client {number}: {error!r}")

        threads = [threading.Thread(target=work, args=[number]) for number in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        client = self.client()
        plain = client.open_plain()
        self.assertEqual(len(set(client.search(self.attributes())[0])), CLIENTS * ITEMS)
        for number in range(CLIENTS):
            for item in range(ITEMS):
                attributes = self.attributes(client=str(number), item=str(item))
                self.assertEqual(client.lookup(attributes, plain), f"secret {number} {item}".encode())

    def test_eight_clients_that_replace_one_item_leave_one_item_with_the_secret_of_one_of_them(self):
        failures = []

        def work(number: int):
            try:
                with self.service.client() as client:
                    plain = client.open_plain()
                    for _ in range(10):
                        client.create(plain, "shared", self.attributes(), f"of {number}".encode())
            except Exception as error:
                failures.append(f"client {number}: {error!r}")

        threads = [threading.Thread(target=work, args=[number]) for number in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        client = self.client()
        found, locked = client.search(self.attributes())
        self.assertEqual((len(found), locked), (1, []))
        self.assertRegex(client.secret(found[0], client.open_plain()), rb"^of [0-7]$")

    def test_a_client_with_a_hundred_calls_under_way_gets_each_answer_once(self):
        client = self.client()
        plain = client.open_plain()
        for number in range(10):
            client.create(plain, str(number), self.attributes(number=str(number)), str(number).encode())
        items = [client.search(self.attributes(number=str(number)))[0][0] for number in range(10)]
        serials = [(number, client.send(items[number], ITEM, "GetSecret", "o", plain))
                   for _ in range(10) for number in range(10)]
        for number, serial in serials:
            self.assertEqual(client.answer(serial)[2], str(number).encode())
