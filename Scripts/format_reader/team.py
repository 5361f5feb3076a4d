"""The team of a vendor: its key, and its signature in a plist."""

import base64
import binascii
import plistlib
import struct

from . import sodium
from .primitives import Refused, as_data, blake, need, verify
from .vault import secret_text, typed_secret

GROUPS = ("keychain-access-groups", "com.apple.security.application-groups", "coffer-read-only-access-groups")


def label(public):
    return base64.b32encode(blake("coffer.team.1", public)).decode()[:10]


def team_key(data, inputs):
    key = typed_secret(inputs["text"], "COFFERTEAM1", 32, 3, "coffer.tm-chck.1")
    public = sodium.crypto_sign_seed_keypair(key[:32])[0]
    return {"text": secret_text("COFFERTEAM1", key), "public key": public.hex(), "label": label(public)}


def team_plist(data, inputs):
    plist = plistlib.loads(data)
    claimed = [plist.get(name) for name in ("coffer-team-key", "coffer-team-signature")]
    if claimed == [None, None]:
        return {"team": "none"}
    public, signature = (decoded(text, size) for text, size in zip(claimed, (32, 64)))
    message = as_data(plist.get("application-identifier", "").encode())
    for name in GROUPS:
        groups = plist.get(name, [])
        message += struct.pack(">I", len(groups)) + b"".join(as_data(group.encode()) for group in groups)
    if "coffer-receipt-key" in plist:
        message += decoded(plist["coffer-receipt-key"], 32)
    try:
        verify(public, "coffer.team.1", blake("coffer.team.1", message), signature)
    except Refused:
        raise Refused("invalidSignature")
    return {"team": public.hex(), "label": label(public)}


def decoded(text, size):
    need(isinstance(text, str), "invalidSignature")
    try:
        found = base64.b64decode(text, validate=True)
    except binascii.Error:
        raise Refused("invalidSignature")
    need(len(found) == size, "invalidSignature")
    return found
