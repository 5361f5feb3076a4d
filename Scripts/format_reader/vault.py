"""Genesis, vault key and root slot."""

from .primitives import Reader, Refused, blake, derive, need, open_slot, public_keys, unbox, unseal, verify
from .sodium import CryptoError

CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def genesis(data, inputs):
    r = Reader(data, "CfGe")
    vault, created, root, device, admin = r.take(16), r.i64(), r.take(64), r.take(64), r.take(64)
    digest = blake("coffer.genesis.1", r.consumed())
    signature = r.take(64)
    r.finish()
    verify(root[:32], "coffer.genesis.1", digest, signature)
    return {
        "vault": vault.hex(), "created": str(created), "root": root.hex(), "first device": device.hex(),
        "first admin": admin.hex(), "hash": digest.hex(),
        "first device identifier": blake("coffer.device.1", vault + device)[:16].hex(),
        "first admin identifier": blake("coffer.author.1", vault + admin)[:16].hex(),
    }  # fmt: skip


def typed_secret(text, prefix, size, check, domain):
    count = (size + check) * 8 // 5
    drop = str.maketrans("OIL", "011", " -\t\r\n")
    characters = text.encode().upper().decode().translate(drop)  # the letters of ASCII only
    need(characters.startswith(prefix.translate(drop)) and len(characters) == len(prefix) + count, "malformed")
    need(all(character in CROCKFORD for character in characters[len(prefix) :]), "malformed")
    number = 0
    for character in characters[len(prefix) :]:
        number = number << 5 | CROCKFORD.index(character)
    key = number.to_bytes(size + check, "big")
    need(blake(domain, key[:size])[:check] == key[size:], "mistyped")
    return key


def secret_text(prefix, key):
    number, count = int.from_bytes(key, "big"), len(key) * 8 // 5
    text = "".join(CROCKFORD[number >> 5 * (count - 1 - index) & 31] for index in range(count))
    return "-".join([prefix, *(text[index : index + 4] for index in range(0, count, 4))])


def parse_vault_key(text):
    return typed_secret(text, "COFFER1", 17, 3, "coffer.vk-chck.1")


def vault_key(data, inputs):
    key = parse_vault_key(inputs["text"])
    return {"text": secret_text("COFFER1", key), "sealing key": blake("coffer.vaultkey1", key[:17]).hex()}


def kept_vault_key(data, inputs):
    try:
        key = unbox(data, bytes.fromhex(inputs["admin's secret keys"]))
    except CryptoError:
        raise Refused("authenticationFailed")
    need(len(key) == 17, "invalidValue")
    return {"text": secret_text("COFFER1", key + blake("coffer.vk-chck.1", key)[:3])}


def open_first_key(key, sealed, associated):
    """The vault's first transport key, in a root slot of version 3."""
    return unseal(derive(key, "CfSlotTr"), sealed, associated, "authenticationFailed")


def root_slot(data, inputs):
    first = bytes.fromhex(inputs["genesis"])
    r = Reader(data, "CfRs", oldest=2, newest=3)
    pinned, generation, root = r.take(32), r.u32(), r.take(64)
    need(generation > 0, "invalidValue")
    associated = r.consumed()
    commitment_, sealed, first_key = r.take(32), r.bytes(104), r.take(72) if r.version == 3 else b""
    digest = blake("coffer.rootslot1", r.consumed())
    signature = r.take(64)
    r.finish()
    need(pinned.hex() == genesis(first, {})["hash"], "otherVault")
    need((generation == 1) == (root == first[29:93]), "invalidValue")
    verify(root[:32], "coffer.rootslot1", digest, signature)
    key = blake("coffer.vaultkey1", parse_vault_key(inputs["vault key"])[:17])
    secret = open_slot(key, commitment_, sealed, associated)
    need(public_keys(secret) == root, "authenticationFailed")
    fields = {"transport key": open_first_key(key, first_key, associated).hex()} if first_key else {}
    return fields | {
        "genesis": pinned.hex(), "secret": secret.hex(), "generation": str(generation), "root": root.hex(),
        "hash": digest.hex(),
    }  # fmt: skip
