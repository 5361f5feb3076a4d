"""A hostile app in a sandbox: sends to the broker what no app sends. Prints for each attack what the broker has done."""

import json
import os
import select
import socket
import struct
import sys
import time

import dbus


def opened() -> socket.socket:
    broker = dbus.SessionBus(private=True).get_object("org.coffer.Vault1", "/org/coffer/Vault1", introspect=False)
    descriptor = broker.Open(dbus_interface="org.coffer.Vault1").take()
    return socket.socket(fileno=descriptor)


def is_closed(end: socket.socket, seconds: float = 30) -> bool:
    """Whether the broker closes the socket without an answer."""
    end.settimeout(seconds)
    try:
        return end.recv(1) == b""
    except ConnectionError:
        return True
    except TimeoutError:
        return False


def message(request: object, value: bytes | None = None) -> bytes:
    text = json.dumps(request).encode()
    return struct.pack("<II", len(text), 0 if value is None else len(value) + 1) + text + (value or b"")


def garbage() -> bool:
    end = opened()
    end.sendall(os.urandom(4096))
    return is_closed(end)


def no_request() -> bool:
    ends = []
    for request in [[], {}, {"kind": "become-root"}, {"kind": 7}, "read", None]:
        end = opened()
        end.sendall(message(request))
        ends.append(is_closed(end))
    return all(ends)


def deep() -> bool:
    end = opened()
    text = b"[" * 200_000
    end.sendall(struct.pack("<II", len(text), 0) + text)
    return is_closed(end)


def too_long() -> bool:
    """The lengths alone are enough to be closed: the broker waits for no byte of it."""
    ends = []
    for lengths in [(1 << 32) - 1, 0], [(2 << 20) + 1, 0], [2, (1 << 32) - 1]:
        end = opened()
        end.sendall(struct.pack("<II", *lengths))
        ends.append(is_closed(end, 5))
    return all(ends)


def unfinished() -> bool:
    end = opened()
    end.sendall(message({"kind": "status"})[:11])
    return is_closed(end)


def deaf() -> bool:
    """Asks and reads nothing, until the broker does not wait for it any more."""
    end = opened()
    end.settimeout(40)
    request = message({"kind": "status"})
    start = time.monotonic()
    try:
        while time.monotonic() - start < 40:
            end.sendall(request)
    except OSError as error:
        return not isinstance(error, TimeoutError)
    return False


def many() -> bool:
    """Takes all connections of one app, and gets no more. They are free again when they are closed."""
    for _ in range(100):
        ends, name = [], None
        try:
            while len(ends) <= 16:
                ends.append(opened())
        except dbus.DBusException as error:
            name = error.get_dbus_name()
        for end in ends:
            end.close()
        if name != "org.freedesktop.DBus.Error.LimitsExceeded":
            return False
        if len(ends) == 16:
            break
        # The broker still has a connection of an attack before.
        time.sleep(0.2)
    else:
        return False
    for _ in range(100):
        try:
            opened().close()
            return True
        except dbus.DBusException:
            time.sleep(0.1)
    return False


def lies() -> bool:
    """Says that it is another app, in each way that a request has."""
    end = opened()
    # A search for generic passwords without attributes.
    search = {"itemClass": 0x67656E70, "attributes": (b"CfAt\x01" + bytes(4)).hex(), "synchronizable": {"any": {}},
              "group": "com.example.photo.purchases"}
    end.sendall(message({"kind": "read", "search": search, "application": "com.example.photo.pro"}))
    end.settimeout(30)
    return b"notEntitled" in end.recv(65536)


def answer(end: socket.socket) -> dict:
    """Waits for the answer to a request. Ends this program if the broker has ended."""
    def receive(count: int) -> bytes:
        data = b""
        while len(data) < count:
            part = end.recv(count - len(data))
            if not part:
                sys.exit("the broker has ended")
            data += part
        return data

    length, value_length = struct.unpack("<II", receive(8))
    text = receive(length)
    receive(max(value_length - 1, 0))
    return json.loads(text)


def guess() -> None:
    """Guesses the passphrase on twelve connections at once, until the broker ends. Prints when it has begun, and then
    what each answer is and when it has come."""
    request = message({"kind": "unlock"}, b"guessed")
    print("begun", time.monotonic(), flush=True)
    ends = []
    for _ in range(12):
        end = opened()
        end.setblocking(True)
        end.sendall(request)
        ends.append(end)
    while True:
        for end in select.select(ends, [], [])[0]:
            found = answer(end)
            print(found["error"]["code"] if "error" in found else "unlocked", time.monotonic(), flush=True)
            end.sendall(request)


def unlock() -> str:
    """Unlocks the vault with the passphrase on standard input. Returns when it has asked, when the answer has come, and
    whether the vault is unlocked."""
    end = opened()
    end.setblocking(True)
    # The first request of a connection opens the vault.
    end.sendall(message({"kind": "status"}))
    answer(end)
    asked = time.monotonic()
    end.sendall(message({"kind": "unlock"}, sys.stdin.buffer.read()))
    found = answer(end)
    return f"{asked} {time.monotonic()} {'error' not in found}"


for name in sys.argv[1:]:
    print(name, globals()[name](), flush=True)
