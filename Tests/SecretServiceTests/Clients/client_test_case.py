"""What the tests of the clients share."""

import pathlib
import shutil
import tempfile
import unittest

from client import Client
from service import Coffer, GnomeKeyring, Service

# The sources of this folder, and where Scripts/bootstrap --with clients installs Python's packages.
HERE = pathlib.Path(__file__).parent
CHECKOUT = HERE.parents[2]
PACKAGES = CHECKOUT / ".build/clients"


class Suite:
    """What all tests of a process share: a folder for their files, and one running service."""

    def __init__(self, kind: str, programs: pathlib.Path | None):
        self.kind = kind
        self.programs = programs
        # Sockets are in it, and the paths of sockets are short.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="coffer-"))
        self.services: list[Service] = []
        self.count = 0
        self.service = self.new_service().start()

    def new_service(self, **options) -> Service:
        self.count += 1
        kind = Coffer if self.kind == "coffer" else GnomeKeyring
        service = kind(self.folder / f"s{self.count}", self.programs, **options)
        self.services.append(service)
        return service

    def end_services(self, first: int):
        """Ends the services that were made after the first ones."""
        while len(self.services) > first:
            self.services.pop().end()

    def end(self):
        self.end_services(0)
        shutil.rmtree(self.folder)


def only_coffer(test):
    """Marks a test of what only Coffer promises."""
    test.only_coffer = True
    return test


class ClientTestCase(unittest.TestCase):
    suite: Suite
    maxDiff = 2000

    def setUp(self):
        if self.suite.kind != "coffer" and (
                getattr(getattr(self, self._testMethodName), "only_coffer", False) or getattr(self, "only_coffer", False)):
            self.skipTest("only Coffer promises this")
        self.addCleanup(self.suite.end_services, len(self.suite.services))

    @property
    def service(self) -> Service:
        """The service that all tests share. Their items differ by the attributes of each test."""
        return self.suite.service

    def new_service(self, **options) -> Service:
        """Makes a service that ends with the test; it is not started."""
        return self.suite.new_service(**options)

    def client(self, service: Service | None = None) -> Client:
        """Returns a connection that ends with the test."""
        client = (service or self.service).client()
        self.addCleanup(client.close)
        return client

    def folder(self) -> pathlib.Path:
        """Makes a folder that is deleted after the test."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.suite.folder))
        self.addCleanup(shutil.rmtree, folder)
        return folder

    def attributes(self, **more: str) -> dict[str, str]:
        """Attributes that no other test has."""
        return {"test": self.id(), **more}
