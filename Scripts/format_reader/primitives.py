"""Hashes, signatures, keys and the codec: the sections of FORMAT.md with these names."""

import hashlib
import struct

from . import sodium
from .sodium import CryptoError

MIB = 1 << 20


class Refused(Exception):
    """An object was refused; the message is the code of the error."""


def need(condition, code):
    if not condition:
        raise Refused(code)


def blake(domain, message, size=32, key=b"", salt=b""):
    person = domain.encode().ljust(16, b"\0")
    return hashlib.blake2b(message, digest_size=size, key=key, salt=salt, person=person).digest()


def derive(key, context):
    return blake(context, b"", key=key, salt=struct.pack("<QQ", 1, 0))


def verify(key, domain, digest, signature):
    message = domain.encode().ljust(16, b"\0") + digest
    try:
        sodium.crypto_sign_open(signature + message, key)
    except CryptoError:
        raise Refused("badSignature")


def unseal(key, sealed, associated, code):
    try:
        need(len(sealed) >= 40, code)
        return sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(sealed[24:], associated, sealed[:24], key)
    except CryptoError:
        raise Refused(code)


def unbox(box, secret_keys):
    return sodium.crypto_box_seal_open(box, sodium.crypto_scalarmult_base(secret_keys[32:]), secret_keys[32:])


def public_keys(secret):
    return sodium.crypto_sign_seed_keypair(secret[:32])[0] + sodium.crypto_scalarmult_base(secret[32:])


def open_slot(key, commitment_, sealed, associated):
    need(blake("coffer.slot.1", associated, key=derive(key, "CfSlotCm")) == commitment_, "authenticationFailed")
    return unseal(derive(key, "CfSlotSl"), sealed, associated, "authenticationFailed")


class Reader:
    def __init__(self, data, kind=None, oldest=1, newest=1):
        self.data, self.at = data, 0
        if kind:
            need(self.take(4) == kind.encode(), "otherKind")
            self.version = self.u8()
            need(oldest <= self.version <= newest, "unsupportedVersion")

    def take(self, count):
        need(len(self.data) - self.at >= count, "truncated")
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, count, signed=False):
        return int.from_bytes(self.take(count), "big", signed=signed)

    u8, u16, u32 = (lambda self, count=count: self.number(count) for count in (1, 2, 4))

    def u64(self):
        return self.number(8)

    def i64(self):
        return self.number(8, signed=True)

    def place(self):
        place = self.number(8)
        need(place <= 2**63 - 2, "invalidValue")
        return place

    def bool(self):
        byte = self.u8()
        need(byte < 2, "invalidValue")
        return byte == 1

    def hex(self, count):
        return self.take(count).hex()

    def bytes(self, cap):
        count = self.u32()
        need(count <= cap, "tooLarge")
        return self.take(count)

    def string(self, cap=512):
        try:
            return self.bytes(cap).decode()
        except UnicodeDecodeError:
            raise Refused("invalidValue")

    def list(self, cap, read, key=None):
        count = self.u32()
        need(count <= cap, "tooLarge")
        need(count <= len(self.data) - self.at, "truncated")
        elements = [read() for _ in range(count)]
        keys = [key(element) for element in elements] if key else []
        need(all(one < other for one, other in zip(keys, keys[1:])), "invalidValue")
        return elements

    def optional(self, read):
        return read() if self.bool() else None

    def consumed(self):
        return self.data[: self.at]

    def finish(self):
        need(self.at == len(self.data), "trailingBytes")


def truth(value):
    return "true" if value else "false"


def as_data(value):
    return struct.pack(">I", len(value)) + value
