"""Invitations: the code, the request and the answer, and the files of both machines."""

from .primitives import Reader, Refused, blake, derive, need, truth, unbox
from .sodium import CryptoError
from .transport import envelope
from .vault import secret_text, typed_secret


def parse_code(text):
    return typed_secret(text, "INVITE1", 26, 4, "coffer.in-chck.1")


def key_of(inputs):
    return blake("coffer.invite.1", parse_code(inputs["code"])[:26])


def code(data, inputs):
    code, key = parse_code(inputs["code"]), key_of(inputs)
    identifier = blake("coffer.inviteid1", b"", 16, key)
    return {
        "text": secret_text("INVITE1", code), "pin": code[16:26].hex(), "key": key.hex(), "identifier": identifier.hex(),
    }  # fmt: skip


def token(data, inputs):
    text = inputs["token"].translate(str.maketrans("", "", "\t\r\n")).strip(" ")
    need(len(inputs["token"].encode()) <= 4224 and text[:6].upper() == "PAIR1." and "." in text[6:], "malformed")
    code, rest = text[6:].split(".", 1)
    code = parse_code(code)
    need("." in rest, "malformed")
    check, address = rest.split(".", 1)
    need(check.lower() == blake("coffer.pr-chck.1", address.encode())[:4].hex(), "mistyped")
    plain = not any(ord(c) < 32 or 127 <= ord(c) < 160 for c in address)
    need(plain and address == address.strip(" ") and 1 <= len(address.encode()) <= 4096, "malformed")
    return {"code": secret_text("INVITE1", code), "address": address}


def label(key, hash_):
    first = blake("coffer.invlabel1", hash_, 16, key)[:8]
    return (first + blake("coffer.invlabel1", first, 16, key)[:8]).hex()


def phrase(hash_):
    words = [int.from_bytes(hash_[index : index + 2], "big") for index in range(0, 12, 2)]
    places = [("bdfghjklmnprstvz", 12), ("aiou", 10), ("bdfghjklmnprstvz", 6), ("aiou", 4), ("bdfghjklmnprstvz", 0)]
    return "-".join("".join(letters[word >> shift & len(letters) - 1] for letters, shift in places) for word in words)


def opened(data, key, content, binding=b""):
    need(len(data) <= 4096, "tooLarge")
    fields = envelope(data, {"transport key": key.hex()}, (content,), binding)
    need(fields["generation"] == "0" and fields["boxes"] == "0", "invalidValue")
    return bytes.fromhex(fields["object"])


def request_fields(object_):
    r = Reader(object_, "CfIr")
    fields = {"genesis": r.hex(32), "nonce": r.hex(16), "keys": r.hex(64), "delivery key": r.hex(32)}
    name = r.string(128)
    need(name and not any(ord(c) < 32 or 127 <= ord(c) < 160 or c in "\u2028\u2029" for c in name), "invalidValue")
    r.finish()
    hash_ = blake("coffer.request.1", object_)
    return fields | {"name": name, "hash": hash_.hex(), "words": phrase(hash_)}


def request(data, inputs):
    key = key_of(inputs)
    fields = request_fields(opened(data, derive(key, "CfInvReq"), 6))
    return fields | {"label": label(key, bytes.fromhex(fields["hash"]))}


def answer(data, inputs):
    r = Reader(opened(data, derive(key_of(inputs), "CfInvAns"), 7, bytes.fromhex(inputs["request"])), "CfIa")
    fields, outcome = {"genesis": r.hex(32)}, r.u8()
    need(outcome in (1, 2), "invalidValue")
    if outcome == 2:
        fields["refusal"] = str(r.u8())
        need(1 <= int(fields["refusal"]) <= 4, "invalidValue")
        r.finish()
        return fields
    fields["head"] = f"{r.place()} {r.hex(32)}"
    root, transport = r.u32(), r.u32()
    need(root > 0 and transport > 0, "invalidValue")
    box = r.take(80)
    r.finish()
    try:
        key = unbox(box, bytes.fromhex(inputs["device's secret keys"]))
    except CryptoError:
        raise Refused("authenticationFailed")
    return fields | {"root generation": str(root), "transport key": f"{transport} {key.hex()}"}


def invitations_file(data, inputs):
    r = Reader(data, "CfIv")

    def invitation():
        key, created, expires, admin = r.hex(32), r.i64(), r.i64(), r.bool()
        apps, name, state = r.list(64, r.string), r.optional(lambda: r.string(128)), r.u8()
        need(state < 3, "invalidValue")
        requests = r.list(2, lambda: r.hex(32))
        return " ".join([key, str(created), str(expires), truth(admin), str(state), name or "none", *apps, *requests])

    fields = {"genesis": r.hex(32), "invitations": ", ".join(r.list(64, invitation))}
    r.finish()
    return fields


def pending_enrolment(data, inputs):
    r = Reader(data, "CfPe")
    fields, file = {"key": r.hex(32), "url": r.string(4096)}, r.bytes(4096)
    r.finish()
    return fields | request_fields(opened(file, derive(bytes.fromhex(fields["key"]), "CfInvReq"), 6))
