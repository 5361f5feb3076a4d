"""Envelopes, segments and transport keys."""

import struct

from .log import check_boxes
from .primitives import MIB, Reader, Refused, blake, derive, need, truth, unbox, unseal, verify
from .sodium import CryptoError


def padded(size):
    if size <= 4096:
        return next(power for power in (1024, 2048, 4096) if size <= power)
    e = size.bit_length() - 1
    multiple = 1 << e - e.bit_length()
    return -(-size // multiple) * multiple


def mixed(first, boxed):
    """The transport key that a box leads to, in a vault whose first one no box delivers."""
    return blake("coffer.mixkey.1", boxed, key=derive(first, "CfTrMix1"))


def introduced(boxed, first, sealed, associated):
    """The key under which an entry is sealed that introduces it: mixed with the first one, or as it was boxed."""
    if first:
        try:
            unseal(mixed(first, boxed), sealed, associated, "doesNotOpen")
            return mixed(first, boxed)
        except Refused:
            pass
    return boxed


def envelope(data, inputs, contents=(1, 2, 3, 4, 5, 8), binding=b""):
    r = Reader(data, "CfEn")
    content, generation = r.u8(), None
    need(content in contents, "invalidValue")
    generation, found = r.u32(), r.list(16384, lambda: r.take(80))
    need(content == 1 or not found, "invalidValue")
    associated = r.consumed()
    sealed = r.bytes(32 * MIB)
    r.finish()
    fields = {"content": str(content), "generation": str(generation), "boxes": str(len(found))}
    key = bytes.fromhex(inputs.get("transport key", ""))
    if not key:
        for box in found:
            try:
                key = unbox(box, bytes.fromhex(inputs["device's secret keys"]))
                break
            except CryptoError:
                continue
        key = introduced(key, bytes.fromhex(inputs.get("first transport key", "")), sealed, associated + binding)
        fields |= {"transport key": key.hex(), "commitment": blake("coffer.keyhash.1", key).hex()}
    plain = Reader(unseal(key, sealed, associated + binding, "doesNotOpen"))
    opened = plain.bytes(32 * MIB)
    # Both the ciphertext and the object are preceded by their lengths, and the former has a nonce and a tag.
    need(padded(len(associated) + 4 + 24 + 16 + 4 + len(opened)) == len(data), "invalidValue")
    need(not any(plain.data[plain.at :]), "invalidValue")
    if content == 1:
        check_boxes(opened, generation, key, found)
    return fields | {"object": opened.hex()}


def segment(data, inputs):
    r = Reader(data, "CfSe")
    fields = {"vault": r.hex(16), "device": r.hex(16), "stream": r.hex(16)}
    number, previous = r.place(), r.take(32)
    need((number == 0) == (previous == bytes(32)), "invalidValue")
    fields |= {"number": str(number), "previous": previous.hex(), "log": f"{r.place()} {r.hex(32)}"}
    seen = r.list(4096, lambda: (r.hex(16), r.place(), r.hex(32)), key=lambda position: position[0])
    fields["seen"] = ", ".join(f"{stream} {place} {digest}" for stream, place, digest in seen)
    fields["group"], payload_hash = r.hex(16), r.take(32)
    digest = blake("coffer.segment.1", r.consumed())
    signature, payload = r.take(64), r.bytes(32 * MIB)
    r.finish()
    need(blake("coffer.payload.1", payload) == payload_hash, "invalidValue")
    inner = Reader(payload)
    fields["records"] = " ".join(one.hex() for one in inner.list(65536, lambda: inner.bytes(21 * MIB)))
    inner.finish()
    verify(bytes.fromhex(inputs["verifying key"]), "coffer.segment.1", digest, signature)
    return fields | {"hash": digest.hex()}


def stream_name(random, vault, device, key):
    """The name of a stream of a device that begins with these 4 bytes, under a transport key."""
    return random + blake("coffer.stream.1", vault + device + random, 16, derive(key, "CfStream"))[:12]


def stream(data, inputs):
    r = Reader(data)
    name = r.take(16)
    r.finish()
    vault, device, key = (bytes.fromhex(inputs[one]) for one in ("vault", "device", "transport key"))
    return {"stream": name.hex(), "commits": truth(name == stream_name(name[:4], vault, device, key))}


def transport_key(data, inputs):
    key, generation = bytes.fromhex(inputs["transport key"]), int(inputs["generation"])
    associated = bytes.fromhex(inputs["vault"]) + struct.pack(">I", generation - 1)
    previous = unseal(derive(key, "CfTrWrap"), data, associated, "authenticationFailed")
    return {
        "commitment": blake("coffer.keyhash.1", key).hex(), "previous": previous.hex(),
        "previous commitment": blake("coffer.keyhash.1", previous).hex(),
    }  # fmt: skip
