"""A name that another program owns already."""

import signal

from client_test_case import ClientTestCase, only_coffer
from service import wait_until


@only_coffer
class SingleService(ClientTestCase):
    def start_second(self):
        return self.service.run(self.service.program("coffer-secret-service"))

    def test_a_second_service_names_the_first_one_and_ends_with_9(self):
        result = self.start_second()
        self.assertEqual(
            (result.returncode, result.stdout, result.stderr.decode()),
            (9, b"", f"coffer-secret-service: it runs already as process {self.service.process.pid}; "
             "replace it with: coffer-secret-service --replace\n"))
        self.assertFalse(self.service.ended())

    def test_a_service_beside_another_program_names_the_program_and_leaves_it_alone(self):
        service = self.new_service()
        other = service.launch(["gnome-keyring-daemon", "--foreground", "--components=secrets"])
        self.addCleanup(other.wait)
        self.addCleanup(other.kill)
        client = self.client(service)
        wait_until("gnome-keyring owns the name", client.owner)
        for arguments in [], ["--replace"]:
            result = service.run(service.program("coffer-secret-service"), *arguments)
            self.assertEqual((result.returncode, result.stdout), (9, b""))
            self.assertRegex(
                result.stderr.decode(),
                rf"^coffer-secret-service: /\S*/gnome-keyring-daemon \(process {other.pid}\) is the secret service of this "
                r"session; switch with: coffer secret-service install, .*\n$")
        self.assertIsNone(other.poll())
        self.assertIsNotNone(client.owner())

    def test_replace_ends_the_first_instance_and_serves_its_items(self):
        service = self.new_service().start()
        client = self.client(service)
        client.create(client.open_plain(), "kept", self.attributes(), b"secret")
        first, name = service.process, client.owner()
        service.process = service.launch([service.program("coffer-secret-service"), "--replace"])
        self.assertEqual(first.wait(60), 0)
        wait_until("the second instance owns the name", lambda: client.owner() not in (None, name))
        self.assertEqual(client.lookup(self.attributes(), client.open_plain()), b"secret")

    def test_sigterm_ends_the_service_at_once_with_0(self):
        service = self.new_service().start()
        client = self.client(service)
        client.open_plain()
        service.process.send_signal(signal.SIGTERM)
        self.assertEqual(service.process.wait(60), 0)
        self.assertIsNone(client.owner())
        self.assertEqual(service.errors(), "")

    def test_without_a_session_bus_the_service_says_so_and_ends_with_1(self):
        result = self.service.run(
            self.service.program("coffer-secret-service"),
            environment={"DBUS_SESSION_BUS_ADDRESS": f"unix:path={self.service.folder}/nowhere"})
        self.assertEqual((result.returncode, result.stdout), (1, b""))
        self.assertRegex(result.stderr.decode(), "^coffer-secret-service: there is no session bus; .*\n$")
