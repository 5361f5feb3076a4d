"""Receipts of a vendor's shop, its key, and the vault as the shop knows it."""

import base64
import binascii

from . import sodium
from .primitives import Reader, Refused, blake, need, truth, verify
from .vault import secret_text, typed_secret

PREFIX = "coffer-receipt-1:"


def receipt(data, inputs):
    fields, digest, signature = contents(data)
    verify(bytes.fromhex(inputs["verifying key"]), "coffer.receipt.1", digest, signature)
    return fields


def contents(data):
    r = Reader(data, "CfRt")
    product = r.string(256)
    need(product != "", "invalidValue")
    fields = {"product": product, "buyer": r.hex(16)}
    issued = r.i64()
    present = r.u8()
    need(present < 2, "invalidValue")
    expires = r.i64() if present else None
    need(expires is None or expires > issued, "invalidValue")
    refund = r.u8()
    need(refund < 2, "invalidValue")
    fields |= {"issued": str(issued), "expires": "none" if expires is None else str(expires), "refund": truth(refund)}
    fields["note"] = r.string(1024)
    digest = blake("coffer.receipt.1", r.consumed())
    signature = r.take(64)
    r.finish()
    return fields, digest, signature


def receipt_text(data, inputs):
    text = "".join(inputs["text"].split())
    need(text.startswith(PREFIX), "otherKind")
    try:
        return contents(base64.b64decode(text[len(PREFIX) :], validate=True))[0]
    except binascii.Error:
        raise Refused("otherKind")


def buyer(data, inputs):
    genesis = blake("coffer.genesis.1", data[:-64])
    return {"buyer": blake("coffer.buyer.1", genesis + bytes.fromhex(inputs["verifying key"]))[:16].hex()}


def shop_key(data, inputs):
    key = typed_secret(inputs["text"], "COFFERSHOP1", 32, 3, "coffer.sh-chck.1")
    return {"text": secret_text("COFFERSHOP1", key), "public key": sodium.crypto_sign_seed_keypair(key[:32])[0].hex()}
