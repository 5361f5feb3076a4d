"""Files of a machine, and values protected by an application password."""

import base64
import binascii
import struct

from . import sodium
from .primitives import Reader, Refused, as_data, blake, need, open_slot, public_keys, truth, unseal


def credential(data, inputs):
    r = Reader(data, "CfCr")
    genesis_, app, device = r.take(32), r.string(), r.take(16)
    seen, author = f"{r.place()} {r.hex(32)}", r.take(16)
    sealed, secret = read_protected(r, 64, inputs, genesis_ + as_data(app.encode()) + device + author)
    public = public_keys(secret)
    if "vault" in inputs:
        need(blake("coffer.author.1", bytes.fromhex(inputs["vault"]) + public)[:16] == author, "authenticationFailed")
    return {
        "genesis": genesis_.hex(), "application identifier": app, "device": device.hex(), "seen": seen,
        "needs passphrase": sealed, "author": author.hex(), "secret": secret.hex(), "public keys": public.hex(),
    }  # fmt: skip


def read_protected(r, count, inputs, context):
    """The end of a file: a secret, open or in a passphrase slot."""
    protection = r.u8()
    need(protection < 2, "invalidValue")
    found = read_passphrase_slot(r) if protection else r.take(count)
    r.finish()
    return truth(protection), open_passphrase_slot(found, inputs, context) if protection else found


def protected_value(data, inputs):
    r = Reader(data, "CfPv", oldest=2, newest=2)
    slot, sealed = read_passphrase_slot(r, 8, 256 << 10), r.bytes((16 << 20) + 40)
    r.finish()
    ad = data[:5] + bytes.fromhex(inputs["vault"]) + inputs["class"].encode() + bytes.fromhex(inputs["persistent reference"])
    return {"value": unseal(open_passphrase_slot(slot, inputs, ad), sealed, ad, "authenticationFailed").hex()}


def read_passphrase_slot(r, most_passes=64, most_memory=2 << 20):
    passes, memory, salt = r.u32(), r.u32(), r.take(16)
    need(1 <= passes <= most_passes and 8192 <= memory <= most_memory, "invalidValue")
    return passes, memory, salt, r.take(32), r.bytes(104)


def open_passphrase_slot(slot, inputs, context):
    passes, memory, salt, commitment_, sealed = slot
    key = sodium.crypto_pwhash_alg(
        32, inputs["passphrase"].encode(), salt, passes, memory * 1024, sodium.crypto_pwhash_ALG_ARGON2ID13
    )
    return open_slot(key, commitment_, sealed, as_data(context) + struct.pack(">II", passes, memory) + salt)


def device_file(data, inputs):
    r = Reader(data, "CfDf")
    fields = {"genesis": r.hex(32), "secret": r.hex(64), "local secret": r.hex(32)}
    keys = r.list(4096, lambda: (r.u32(), r.hex(32)), key=lambda key: key[0])
    r.finish()
    return fields | {"transport keys": ", ".join(f"{generation} {key}" for generation, key in keys)}


def admin_file(data, inputs):
    return key_file(Reader(data, "CfAf"), 64, inputs)[0]


def delivery_file(data, inputs):
    fields, secret = key_file(Reader(data, "CfDk"), 32, inputs)
    return fields | {"public key": sodium.crypto_scalarmult_base(secret).hex()}


def key_file(r, count, inputs):
    genesis_, context = r.hex(32), r.consumed()
    sealed, secret = read_protected(r, count, inputs, context)
    return {"genesis": genesis_, "needs passphrase": sealed, "secret": secret.hex()}, secret


def headless_credential(data, inputs):
    first, last = b"-----BEGIN COFFER CREDENTIAL-----", b"-----END COFFER CREDENTIAL-----"
    text = data.strip(b" \t\r\n")
    need(text.startswith(first), "otherKind")
    need(text.endswith(last) and len(text) >= len(first) + len(last), "truncated")
    encoded = text[len(first) : -len(last)].translate(None, b" \t\r\n")
    try:
        object_ = base64.b64decode(encoded, validate=True)
    except binascii.Error:
        raise Refused("invalidValue")
    need(base64.b64encode(object_) == encoded, "invalidValue")
    r = Reader(object_, "CfHc")
    fields = {"genesis": r.hex(32), "secret": r.hex(64), "seen": f"{r.place()} {r.hex(32)}"}
    keys = r.list(4096, lambda: (r.u32(), r.hex(32)), key=lambda key: key[0])
    apps = r.list(64, lambda: (r.string(), r.hex(64)))
    need(apps and len({app for app, _ in apps}) == len(apps), "invalidValue")
    r.finish()
    fields["transport keys"] = ", ".join(f"{generation} {key}" for generation, key in keys)
    return fields | {"apps": ", ".join(f"{app} {secret}" for app, secret in apps)}
