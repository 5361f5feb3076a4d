"""Log entries and their statements, and record lists."""

from .primitives import MIB, Reader, Refused, blake, need, public_keys, truth, unbox, verify
from .sodium import CryptoError


def boxes(r, inputs):
    found = r.list(16384, lambda: (r.take(16), r.take(112)), key=lambda box: box[0])
    own = dict(found)[bytes(16)]
    opened = unbox(own, bytes.fromhex(inputs["root's secret keys"]))
    return {"recipients": " ".join(box[0].hex() for box in found), "opened box": opened.hex()}


def delivered(r, inputs, public):
    scalar = bytes.fromhex(inputs["delivery key"])
    try:
        secret = unbox(r.take(112), bytes(32) + scalar)
    except CryptoError:
        raise Refused("authenticationFailed")
    need(public_keys(secret).hex() == public, "authenticationFailed")
    return secret.hex()


def machine_name(r):
    name = r.string(128)
    # The separators of lines and paragraphs, and the controls of Unicode's bidirectional algorithm.
    refused = "\u2028\u2029\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    need(name and not any(ord(c) < 32 or 127 <= ord(c) < 160 or c in refused for c in name), "invalidValue")
    return name


def device(r):
    """A member, an admin, a member by invitation, or a machine that only reads."""
    fields, role = {"keys": r.hex(64)}, r.u8()
    need(role < 4, "invalidValue")
    fields |= [
        lambda: {"admin keys": "none"}, lambda: {"admin keys": r.hex(64)},
        lambda: {"invitation": r.hex(16)}, lambda: {"expires": str(r.i64())},
    ][role]()  # fmt: skip
    fields |= {"delivery key": r.hex(32)} if role < 3 else {}
    return fields | {"name": machine_name(r)}


def group(r):
    name, source = r.string(), r.u8()
    need(1 <= source <= 4, "invalidValue")
    return f"{source} {name}"


def revocation(r):
    def cut_author():
        author = r.hex(16)
        groups = r.optional(lambda: r.list(64, lambda: f"{r.hex(16)} {truth(r.bool())}", key=lambda lost: lost[:32]))
        need(groups is None or groups, "invalidValue")
        return " ".join([author, *(groups or [])])

    def end():
        return f"{r.hex(16)} {r.place()} {r.hex(32)}"

    def machine():
        return " ".join([r.hex(16), *r.list(4096, end, key=lambda end: end[:32])])

    machines = r.list(1024, machine, key=lambda machine: machine[:32])
    apps = r.list(4096, lambda: r.hex(32), key=lambda app: app)
    authors = r.list(16384, cut_author, key=lambda cut: cut[:32])
    need(machines or apps or authors, "invalidValue")
    records = r.u64()
    lists = r.list(1024, lambda: r.hex(32))
    need(len(lists) == -(-records // 65536), "invalidValue")
    following = r.u32()
    return {
        "machines": ", ".join(machines), "apps": ", ".join(apps), "authors": ", ".join(authors),
        "records": str(records), "record lists": ", ".join(lists), "following entries": str(following),
        "keys": new_keys(r),
    }  # fmt: skip


def new_keys(r):
    return ", ".join(r.list(16384, lambda: f"{r.hex(16)} {r.u32()} {r.hex(32)}", key=lambda key: key[:32]))


def dismissal(r):
    try:
        revocation = r.hex(32)
        items = r.list(16384, lambda: f"{r.hex(16)} {r.hex(16)}", key=lambda item: item)
        reason = r.string(256)
        r.finish()
    except Refused:
        return {}
    return {"revocation": revocation, "items": ", ".join(items), "reason": reason}


def device_name(r):
    try:
        device, name = r.hex(16), machine_name(r)
        r.finish()
    except Refused:
        return {}
    return {"device": device, "name": name}


def requirement(r):
    number = r.u8()
    need(number <= 2, "invalidValue")
    return ["none", "lease", "strong"][number]


def recovered(r):
    group, generation, commitment, wrapping = r.hex(16), r.u32(), r.hex(32), r.u32()
    need(generation > 0 and wrapping > 0, "invalidValue")
    return f"{group} {generation} {commitment} {wrapping} {r.hex(104)}"


def ordered(key):
    """Text in which numbers sort like numbers."""
    group, generation, commitment, *_ = key.split()
    return f"{group} {int(generation):010} {commitment}"


def succession(r):
    fields = {"root": r.hex(64), "generation": str(r.u32())}
    need(int(fields["generation"]) > 1, "invalidValue")
    return fields | {"slot": r.hex(32), "following entries": str(r.u32()), "keys": new_keys(r)}


def record_list(data, inputs):
    r = Reader(data, "CfRl")
    vault = r.hex(16)
    records = r.list(65536, lambda: r.hex(32), key=lambda record: record)
    need(records, "invalidValue")
    r.finish()
    return {"vault": vault, "records": " ".join(records), "hash": blake("coffer.reclist.1", data).hex()}


def statement(number, body, inputs):
    r = Reader(body)
    if number == 1:
        fields = {"generation": str(r.u32()), "commitment": r.hex(32), "wrapped previous": r.bytes(72).hex(), "boxes": r.hex(32)}
    elif number == 9:
        fields = device(r)
    elif number == 8:
        fields = {
            "application identifier": r.string(), "bundle identifier": r.string(),
            "source prefix": r.optional(r.string) or "none", "locked": truth(r.bool()),
            "groups": ", ".join(r.list(64, lambda: group(r))), "plist": r.bytes(65536).hex(),
        }  # fmt: skip
    elif number == 4:
        fields = {"app": r.hex(32), "device": r.hex(16), "keys": r.hex(64)}
        fields |= r.optional(lambda: {"delivered": delivered(r, inputs, fields["keys"])}) or {}
    elif number == 5:
        fields = {"name": r.string(), "commitment": r.hex(32), **boxes(r, inputs)}
        need(blake("coffer.keyhash.1", bytes.fromhex(fields["opened box"])).hex() == fields["commitment"], "commitment differs")
    elif number == 6:
        fields = {"group": r.hex(16), "generation": str(r.u32()), **boxes(r, inputs)}
    elif number == 7:
        fields = revocation(r)
    elif number == 10:
        fields = succession(r)
    elif number == 11:
        fields = {"group": r.hex(16), "generation": str(r.u32()), "commitment": r.hex(32)}
        fields["wrapped generation"] = str(r.u32())
        need(0 < int(fields["wrapped generation"]) < int(fields["generation"]), "invalidValue")
        fields |= {"wrapped": r.hex(104), **boxes(r, inputs)}
        need(blake("coffer.keyhash.1", bytes.fromhex(fields["opened box"])).hex() == fields["commitment"], "commitment differs")
    elif number == 12:
        fields = {"device": r.hex(16), "admin keys": r.hex(64)}
        fields["delivered"] = delivered(r, inputs, fields["admin keys"])
    elif number == 13:
        rejected = r.list(1024, lambda: r.hex(32), key=lambda entry: entry)
        need(rejected, "invalidValue")
        fields = {"rejected": " ".join(rejected), "recovered": ", ".join(r.list(4096, lambda: recovered(r), key=ordered))}
    elif number == 20:
        fields = {"group": r.hex(16), "requirement": requirement(r)}
    elif number == 14 and len(body) % 32 == 0:
        fields = {"entries": " ".join(r.hex(32) for _ in range(len(body) // 32))}
    elif number == 15:
        return dismissal(r)
    elif number == 19:
        return device_name(r)
    else:
        return {}
    r.finish()
    return fields


def read_entry(data):
    """The fields of an entry, the number and body of its statement, its hash and its signature."""
    r = Reader(data, "CfLe")
    vault, sequence, previous, time = r.hex(16), r.place(), r.hex(32), r.i64()
    need(sequence > 0, "invalidValue")
    kind, signer = r.u8(), r.take(16)
    need((kind, signer == bytes(16)) in ((1, True), (2, False)), "invalidValue")
    number, critical, body = r.u16(), r.bool(), r.bytes(MIB)
    digest = blake("coffer.logentry1", r.consumed())
    signature = r.take(64)
    r.finish()
    fields = {
        "vault": vault, "sequence": str(sequence), "previous": previous, "time": str(time),
        "signer": "root" if kind == 1 else signer.hex(), "statement": str(number), "critical": truth(critical),
        "body": body.hex(), "hash": digest.hex(),
    }  # fmt: skip
    return fields, number, body, digest, signature


def log_entry(data, inputs):
    fields, number, body, digest, signature = read_entry(data)
    verify(bytes.fromhex(inputs["verifying key"]), "coffer.logentry1", digest, signature)
    return fields | statement(number, body, inputs)


def check_boxes(data, generation, key, boxes):
    """Refuses an entry whose envelope has other boxes than those that the entry names, or another generation."""
    _, number, body, _, _ = read_entry(data)
    if number != 1:
        return need(not boxes, "invalidValue")
    named = statement(number, body, {})
    need(named["generation"] == str(generation), "invalidValue")
    need(named["commitment"] == blake("coffer.keyhash.1", key).hex(), "invalidValue")
    listed = len(boxes).to_bytes(4, "big") + b"".join(boxes)
    need((boxes or generation == 1) and named["boxes"] == blake("coffer.boxes.1", listed).hex(), "invalidValue")
