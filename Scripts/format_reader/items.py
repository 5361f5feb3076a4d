"""Attributes, records, and the keys of a group."""

import struct

from .primitives import MIB, Reader, as_data, blake, derive, need, truth, unseal, verify

PRIMARY_KEYS = {
    "genp": "acct svce",
    "inet": "acct sdmn srvr ptcl atyp port path",
    "cert": "ctyp issr slnr",
    "keys": "kcls klbl atag crtr type bsiz esiz sdat edat",
}


def parse_attributes(data):
    r = Reader(data, "CfAt")

    def attribute():
        code, kind = r.take(4), r.u8()
        need(1 <= kind <= 4, "invalidValue")
        value = [lambda: r.string(4 * MIB), lambda: r.bytes(4 * MIB), r.i64, r.i64][kind - 1]()
        return code.decode(), kind, value

    found = r.list(1024, attribute, key=lambda pair: pair[0].encode())
    r.finish()
    return found


def attributes(data, inputs):
    names = ["string", "data", "number", "date"]
    return {
        code: f"{names[kind - 1]} {value.hex() if kind == 2 else value}" for code, kind, value in parse_attributes(data)
    }


def match_bytes(kind, value):
    return [lambda: value.encode(), lambda: value][kind - 1]() if kind < 3 else value.to_bytes(8, "big", signed=True)


def is_set(value, kind):
    """Whether a value is neither empty nor the number or date 0."""
    return value != b"" and not (value == bytes(8) and kind > 2)


def record(data, inputs):
    outer = Reader(data)
    signed, sealed_attributes, sealed_value = (outer.bytes(21 * MIB) for _ in range(3))
    outer.finish()
    r = Reader(signed, "CfRe", newest=2)
    fields = {"vault": r.hex(16), "group": r.hex(16), "generation": str(r.u32()), "item": r.hex(16)}
    fields["class"] = r.take(4).decode("ascii", "replace")
    need(fields["class"] in PRIMARY_KEYS, "invalidValue")
    content = r.u8()
    need(1 <= content <= 3, "invalidValue")
    if content > 1:
        fields["successor"] = r.hex(16) if content == 3 else "none"
    fields["content"] = "value" if content == 1 else "tombstone"
    fields["device local"] = truth(r.bool())
    fields["bases"] = " ".join(r.list(16, lambda: r.hex(32), key=lambda base: base))
    fields["time"] = str(r.i64())
    need(r.version == (2 if content == 1 else 1), "invalidValue")
    if content == 1:
        fields["created"] = str(r.i64())
    fields["author"] = r.hex(16)
    fields["tokens"] = " ".join(r.list(64, lambda: r.hex(16), key=lambda token: token))
    need(content == 1 or not fields["tokens"], "invalidValue")
    parts = blake("coffer.recpart.1", r.consumed())
    hashes = r.take(32), r.take(32)
    digest = blake("coffer.record.1", r.consumed())
    signature = r.take(64)
    r.finish()
    for sealed, expected in zip((sealed_attributes, sealed_value), hashes):
        need(blake("coffer.sealed.1", sealed) == expected, "invalidValue")
        need(content == 1 or not sealed, "invalidValue")
    verify(bytes.fromhex(inputs["verifying key"]), "coffer.record.1", digest, signature)
    fields["hash"] = digest.hex()
    if content == 1:
        keys = bytes.fromhex(inputs["group keys"])
        key, identity = derive(keys[:32], "CfRecord"), keys[32:]
        if fields["device local"] == "true":
            key = blake("coffer.local.1", key + bytes.fromhex(inputs["local secret"]))
        plain = unseal(key, sealed_attributes, parts + b"\1", "doesNotOpen")
        fields["value"] = unseal(key, sealed_value, parts + b"\2", "doesNotOpen").hex()
        found = {code: match_bytes(kind, value) for code, kind, value in parse_attributes(plain)}
        kinds = {code: kind for code, kind, value in parse_attributes(plain)}
        name = fields["class"].encode() + (b"\1" if is_set(found.get("sync", b""), kinds.get("sync")) else b"\0")
        for code in PRIMARY_KEYS[fields["class"]].split():
            value = found.get(code, b"")
            name += code.encode() + as_data(value if is_set(value, kinds.get(code)) else b"")
        fields["item of the attributes"] = blake("coffer.item.1", name, 16, identity).hex()
        need(fields["item of the attributes"] == fields["item"], "invalidValue")
        tokens = [blake("coffer.token.1", code.encode() + as_data(found[code]), 16, identity).hex()
                  for code in ("acct", "svce") if code in found]  # fmt: skip
        fields["tokens of acct and svce"] = " ".join(sorted(tokens))
        fields |= {f"attribute {code}": text for code, text in attributes(plain, {}).items()}
    return fields


def group_keys(data, inputs):
    group = blake("coffer.group.1", bytes.fromhex(inputs["vault"]) + inputs["name"].encode())[:16]
    keys = bytes.fromhex(inputs["group keys"])
    earlier = int(inputs.get("wrapped generation", int(inputs["generation"]) - 1))
    associated = group + struct.pack(">I", earlier)
    previous = unseal(derive(keys[:32], "CfGrWrap"), data, associated, "authenticationFailed")
    return {
        "group": group.hex(), "commitment": blake("coffer.keyhash.1", keys).hex(), "previous": previous.hex(),
        "previous commitment": blake("coffer.keyhash.1", previous).hex(),
    }  # fmt: skip
