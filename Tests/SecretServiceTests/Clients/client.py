"""A client that says exactly what a test wants, over one connection to a session bus."""

import os
import time

from jeepney import DBusAddress, HeaderFields, MessageType, new_method_call
from jeepney.bus_messages import MatchRule, message_bus
from jeepney.io.blocking import open_dbus_connection
from secretstorage.dhcrypto import Session
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

NAME = "org.freedesktop.secrets"
ROOT = "/org/freedesktop/secrets"
DEFAULT = ROOT + "/aliases/default"
NONE = "/"
SERVICE = "org.freedesktop.Secret.Service"
COLLECTION = "org.freedesktop.Secret.Collection"
ITEM = "org.freedesktop.Secret.Item"
SESSION = "org.freedesktop.Secret.Session"
PROMPT = "org.freedesktop.Secret.Prompt"
PROPERTIES = "org.freedesktop.DBus.Properties"
DH = "dh-ietf1024-sha256-aes128-cbc-pkcs7"

# In seconds. Only bounds a failure.
TIMEOUT = 120


class Refused(Exception):
    """An answer that is an error, with its name."""

    def __init__(self, name: str, text: str):
        super().__init__(f"{name}: {text}")
        self.name = name
        self.text = text


class Client:
    """Calls return the only value of an answer, or a tuple of several."""

    def __init__(self, address: str):
        self.connection = open_dbus_connection(address, auth_timeout=TIMEOUT)
        self.signals = []
        self.answers = {}

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def close(self):
        self.connection.close()

    @property
    def unique_name(self) -> str:
        return self.connection.unique_name

    def send(self, path: str, interface: str, method: str, signature: str | None = None, *body):
        """Sends a call without waiting for its answer, and returns its number."""
        message = new_method_call(DBusAddress(path, NAME, interface), method, signature, body)
        serial = next(self.connection.outgoing_serial)
        self.connection.send(message, serial=serial)
        return serial

    def receive(self, seconds: float = TIMEOUT):
        return self.connection.receive(timeout=seconds)

    def answer(self, serial: int, seconds: float = TIMEOUT):
        """Waits for the answer to a call. Keeps what else arrives before it."""
        deadline = time.monotonic() + seconds
        while serial not in self.answers:
            self.keep(self.receive(deadline - time.monotonic()))
        message = self.answers.pop(serial)
        if message.header.message_type == MessageType.error:
            text = message.body[0] if message.body and isinstance(message.body[0], str) else ""
            raise Refused(message.header.fields.get(HeaderFields.error_name), text)
        return message.body[0] if len(message.body) == 1 else message.body

    def call(self, path: str, interface: str, method: str, signature: str | None = None, *body):
        return self.answer(self.send(path, interface, method, signature, *body))

    def keep(self, message):
        fields = message.header.fields
        if message.header.message_type in (MessageType.method_return, MessageType.error):
            self.answers[fields[HeaderFields.reply_serial]] = message
            return
        # The bus sends signals of its own.
        if fields.get(HeaderFields.interface) != "org.freedesktop.DBus":
            self.signals.append((fields.get(HeaderFields.path), fields.get(HeaderFields.member), message.body))

    def watch(self):
        """Asks the bus for the signals of the service, which may send them only to those that have called it."""
        self.call(ROOT, SERVICE, "ReadAlias", "s", "default")
        for interface in (SERVICE, COLLECTION, PROMPT, PROPERTIES):
            self.connection.send_and_get_reply(
                message_bus.AddMatch(MatchRule(type="signal", sender=NAME, interface=interface)), timeout=TIMEOUT)

    def signal(self, name: str, path: str | None = None):
        """Waits for a signal of this name, and returns its arguments; earlier ones of the name are used up first."""
        deadline = time.monotonic() + TIMEOUT
        while True:
            for index, (origin, signal, body) in enumerate(self.signals):
                if signal == name and path in (None, origin):
                    del self.signals[index]
                    return body
            self.keep(self.receive(deadline - time.monotonic()))

    def owner(self) -> str | None:
        """The unique name of the service; None if nobody has its name."""
        reply = self.connection.send_and_get_reply(message_bus.GetNameOwner(NAME), timeout=TIMEOUT)
        return None if reply.header.message_type == MessageType.error else reply.body[0]

    # Calls of the specification.

    def open_plain(self) -> str:
        return self.call(ROOT, SERVICE, "OpenSession", "sv", "plain", ("s", ""))[1]

    def open_encrypted(self) -> Session:
        session = Session()
        key = session.my_public_key.to_bytes(128, "big")
        output, session.object_path = self.call(ROOT, SERVICE, "OpenSession", "sv", DH, ("ay", key))
        session.set_server_public_key(int.from_bytes(output[1], "big"))
        return session

    def property(self, path: str, interface: str, name: str):
        return self.call(path, PROPERTIES, "Get", "ss", interface, name)[1]

    def set_property(self, path: str, interface: str, name: str, signature: str, value):
        self.call(path, PROPERTIES, "Set", "ssv", interface, name, (signature, value))

    def create(self, session: str, label: str, attributes: dict[str, str], secret: bytes, replace: bool = True,
               collection: str = DEFAULT, content_type: str = "text/plain", parameters: bytes = b"") -> tuple[str, str]:
        """Returns the paths of the item and of the prompt."""
        return self.call(collection, COLLECTION, "CreateItem", "a{sv}(oayays)b", properties(label, attributes),
                         (session, parameters, secret, content_type), replace)

    def search(self, attributes: dict[str, str]) -> tuple[list[str], list[str]]:
        """Returns the unlocked and the locked items."""
        return self.call(ROOT, SERVICE, "SearchItems", "a{ss}", attributes)

    def secret(self, item: str, session: str) -> bytes:
        return self.call(item, ITEM, "GetSecret", "o", session)[2]

    def encrypted_secret(self, item: str, session: Session) -> bytes:
        path, iv, value, _ = self.call(item, ITEM, "GetSecret", "o", session.object_path)
        padded = decrypted(session, iv, value)
        return padded[:-padded[-1]]

    def lookup(self, attributes: dict[str, str], session: str) -> bytes | None:
        found = self.search(attributes)[0]
        return self.secret(found[0], session) if found else None

    def delete(self, item: str) -> str:
        return self.call(item, ITEM, "Delete")

    def lock(self, *paths: str) -> tuple[list[str], str]:
        return self.call(ROOT, SERVICE, "Lock", "ao", list(paths))

    def unlock(self, *paths: str) -> tuple[list[str], str]:
        return self.call(ROOT, SERVICE, "Unlock", "ao", list(paths))

    def prompt(self, path: str) -> tuple[bool, object]:
        """Shows a prompt, and waits for its end. Returns whether it was dismissed, and its result."""
        self.call(path, PROMPT, "Prompt", "s", "")
        dismissed, (_, result) = self.signal("Completed", path)
        return dismissed, result


def properties(label: str, attributes: dict[str, str]) -> dict:
    return {ITEM + ".Label": ("s", label), ITEM + ".Attributes": ("a{ss}", attributes)}


def encrypted(session: Session, secret: bytes) -> tuple[bytes, bytes]:
    """Returns the parameters and the value of a secret in an encrypted session."""
    iv = os.urandom(16)
    padding = 16 - len(secret) % 16
    encryptor = Cipher(algorithms.AES(session.aes_key), modes.CBC(iv)).encryptor()
    return iv, encryptor.update(secret + bytes([padding]) * padding) + encryptor.finalize()


def decrypted(session: Session, iv: bytes, value: bytes) -> bytes:
    """Returns what a session makes of the value of a secret, with the padding."""
    decryptor = Cipher(algorithms.AES(session.aes_key), modes.CBC(iv)).decryptor()
    return decryptor.update(value) + decryptor.finalize()
