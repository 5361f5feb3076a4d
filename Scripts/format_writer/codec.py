"""The codec, signatures and envelopes of FORMAT.md, for writing; Scripts/format_reader has the other direction."""

import hashlib
import secrets
import struct
import time

from format_reader import sodium
from format_reader.primitives import as_data, blake, derive
from format_reader.transport import padded

ROOT = bytes(16)
KINDS = {"log": 1, "segment": 2, "checkpoint": 3, "chunk": 4, "list": 5, "request": 6, "answer": 7, "closing": 8}


def u8(number):
    return struct.pack(">B", number)


def u16(number):
    return struct.pack(">H", number)


def u32(number):
    return struct.pack(">I", number)


def u64(number):
    return struct.pack(">Q", number)


def i64(number):
    return struct.pack(">q", number)


def string(text):
    return as_data(text.encode())


def sequence(elements):
    """A list of encoded elements, in their order."""
    return u32(len(elements)) + b"".join(elements)


def position(place):
    """A position of the log: (number, hash)."""
    return u64(place[0]) + place[1]


def now(seconds=0):
    return time.time_ns() // 1000 + int(seconds * 1_000_000)


def signature(seed, domain, digest):
    message = domain.encode().ljust(16, b"\0") + digest
    return sodium.crypto_sign(message, sodium.crypto_sign_seed_keypair(seed)[1])[:64]


def other_signature(seed, domain, digest):
    """Another valid signature of the same message: the number that Ed25519 derives from the message is random here."""
    message = domain.encode().ljust(16, b"\0") + digest
    public = sodium.crypto_sign_seed_keypair(seed)[0]
    scalar = bytearray(hashlib.sha512(seed).digest()[:32])
    scalar[0] &= 248
    scalar[31] = scalar[31] & 127 | 64
    scalar = sodium.crypto_core_ed25519_scalar_reduce(bytes(scalar) + bytes(32))
    number = sodium.crypto_core_ed25519_scalar_reduce(secrets.token_bytes(64))
    point = sodium.crypto_scalarmult_ed25519_base_noclamp(number)
    challenge = sodium.crypto_core_ed25519_scalar_reduce(hashlib.sha512(point + public + message).digest())
    product = sodium.crypto_core_ed25519_scalar_mul(challenge, scalar)
    return point + sodium.crypto_core_ed25519_scalar_add(number, product)


def seal(key, plain, associated):
    nonce = secrets.token_bytes(24)
    return nonce + sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(plain, associated, nonce, key)


def box(public, secret):
    """Seals a secret to the X25519 half of public keys."""
    return sodium.crypto_box_seal(secret, public[32:])


def commitment(secret):
    return blake("coffer.keyhash.1", secret)


def hash_of_boxes(boxes):
    """What the statement of a transport key says of the boxes in its envelope."""
    return blake("coffer.boxes.1", sequence(boxes))


def group_keys_of(name, vault):
    """New keys of a group, and the group's identifier."""
    return blake("coffer.group.1", vault + name.encode())[:16], secrets.token_bytes(64)


def wrapped_transport_key(key, generation, previous, vault):
    """The transport key of the generation before, sealed under `key`; nothing in a first generation."""
    if generation == 1:
        return b""
    return seal(derive(key, "CfTrWrap"), previous, vault + u32(generation - 1))


def envelope(content, generation, key, object_, boxes=(), size=None, binding=b"", padding=b"\0"):
    """Seals an object.

    content: one of KINDS. size: the size of the file in bytes; the padded size that the object has, if it is None.
    padding: the byte of which the padding consists.
    """
    head = b"CfEn\x01" + u8(KINDS[content]) + u32(generation) + sequence(list(boxes))
    fixed = len(head) + 4 + 24 + 4 + 16
    space = (size or padded(fixed + len(object_))) - fixed - len(object_)
    if space < 0:
        raise SystemExit(f"the object has {len(object_)} bytes and does not fit a file of {size}")
    return head + as_data(seal(key, as_data(object_) + padding * space, head + binding))
