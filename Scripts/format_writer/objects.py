"""Objects of a vault, encoded and signed as FORMAT.md says: valid in every way that their arguments are."""

import secrets

from format_reader.primitives import as_data, blake, derive

from . import codec
from .codec import i64, sequence, string, u8, u16, u32, u64


def signed(party, domain, content, again=False):
    """An object that ends with its signature, and its hash."""
    digest = blake(domain, content)
    return content + party.sign(domain, digest, again), digest


def log_entry(state, party, after, statement, body, critical=True, time=None):
    """An entry after a position of the log (number, hash); returns it with its hash."""
    content = b"CfLe\x01" + state.vault + u64(after[0] + 1) + after[1] + i64(time or codec.now())
    content += u8(1 if party.role == "root" else 2) + party.identifier(state.vault)
    content += u16(statement) + u8(critical) + as_data(body)
    return signed(party, "coffer.logentry1", content)


def transport_key(state, key, generation, previous, boxes):
    """The body of statement 1."""
    wrapped = codec.wrapped_transport_key(key, generation, previous, state.vault)
    return u32(generation) + codec.commitment(key) + as_data(wrapped) + codec.hash_of_boxes(boxes)


def addressed_boxes(state, recipients, secret):
    """Boxes of a group key: recipients are the public keys by author identifier, root included."""
    return sequence([one + codec.box(recipients[one], secret) for one in sorted(recipients)])


def revocation(machines=(), apps=(), authors=(), lists=(), records=0, following=0, keys=()):
    """The body of statement 7, from encoded elements."""
    content = b"".join(sequence(sorted(part)) for part in (machines, apps, authors))
    return content + u64(records) + sequence(list(lists)) + u32(following) + sequence(sorted(keys))


def record_list(state, hashes):
    content = b"CfRl\x01" + state.vault + sequence(sorted(hashes))
    return content, blake("coffer.reclist.1", content)


def attributes(values):
    """The attributes of an item: strings by code."""
    return b"CfAt\x01" + sequence([code.encode() + u8(1) + string(values[code]) for code in sorted(values)])


def item_identifier(kind, values, primary_key, identity):
    name = kind.encode() + u8(0)
    for code in primary_key.split():
        name += code.encode() + string(values.get(code, ""))
    return blake("coffer.item.1", name, 16, identity)


def record(state, party, group, generation, keys, values, value, bases=(), seconds=60, item=None, tombstone=False):
    """A version of a password (`genp`) with acct and svce as `values` say; returns it with its hash.

    item: the identifier that it states, if it is not that of its attributes.
    """
    item = item or item_identifier("genp", values, "acct svce", keys[32:])
    time = codec.now(seconds)
    header = b"CfRe" + u8(1 if tombstone else 2) + state.vault + group + u32(generation) + item + b"genp"
    header += u8(2 if tombstone else 1) + u8(0) + sequence(sorted(bases)) + i64(time)
    header += b"" if tombstone else i64(time)
    tokens = {
        blake("coffer.token.1", code.encode() + string(values[code]), 16, keys[32:])
        for code in ("acct", "svce", "labl", "gena") if values.get(code)
    }  # fmt: skip
    header += party.identifier(state.vault) + sequence([] if tombstone else sorted(tokens))
    key, parts = derive(keys[:32], "CfRecord"), blake("coffer.recpart.1", header)
    sealed = (
        b"" if tombstone else codec.seal(key, attributes(values), parts + b"\1"),
        b"" if tombstone else codec.seal(key, value, parts + b"\2"),
    )
    content, digest = signed(
        party, "coffer.record.1", header + b"".join(blake("coffer.sealed.1", part) for part in sealed)
    )
    return b"".join(map(as_data, (content, *sealed))), digest


def segment(state, party, stream, number, previous, log, group, records, seen=()):
    """A segment; returns it with its hash."""
    payload = sequence([as_data(one) for one in records])
    content = b"CfSe\x01" + state.vault + party.identifier(state.vault) + stream + u64(number) + previous
    content += codec.position(log) + sequence(sorted(seen)) + group + blake("coffer.payload.1", payload)
    content, digest = signed(party, "coffer.segment.1", content)
    return content + as_data(payload), digest


def checkpoint(state, party, epoch, previous, log, streams, chunks, time=None):
    """A checkpoint: streams are (device, number, hash) by stream."""
    ends = [stream + device + u64(number) + digest for stream, (device, number, digest) in sorted(streams.items())]
    content = b"CfCk\x01" + state.vault + u32(epoch) + previous + codec.position(log) + i64(time or codec.now())
    content += sequence(ends) + sequence(list(chunks)) + party.identifier(state.vault)
    return signed(party, "coffer.checkpt.1", content)


def chunk(state, epoch, number, entries):
    """A chunk of encoded entries; returns it with its hash."""
    content = b"CfSn\x01" + state.vault + u32(epoch) + u32(number) + sequence(entries)
    return content, blake("coffer.snapshot1", content)


def chunk_entry(kind, content):
    """A record that counts, or a skeleton."""
    return u8({"record": 1, "skeleton": 2}[kind]) + as_data(content)


def closing(state, party, epoch, tag, checkpoint_hash):
    content = b"CfEc\x01" + state.vault + u32(epoch) + u64(tag) + checkpoint_hash + party.identifier(state.vault)
    return signed(party, "coffer.closing.1", content)[0]


def backup_statement(state, party, branch, files):
    """The statement of a complete backup of a branch without a vault key."""
    content = b"CfBs\x01" + state.vault + i64(codec.now()) + string(branch) + codec.position(state.head) + files
    content += u8(0) + u32(0) + u8(1) + party.identifier(state.vault)
    return signed(party, "coffer.backup.1", content)[0]


def root_slot(state, party, sealing_key, generation):
    """A slot that a vault key opens, of the root with a number, as version 2 without a transport key."""
    head = b"CfRs\x02" + state.genesis_hash + u32(generation) + party.public
    expected = blake("coffer.slot.1", head, key=derive(sealing_key, "CfSlotCm"))
    sealed = codec.seal(derive(sealing_key, "CfSlotSl"), party.secret, head)
    return signed(party, "coffer.rootslot1", head + expected + as_data(sealed))


def request(genesis_hash, device, delivery_key, name):
    return b"CfIr\x01" + genesis_hash + secrets.token_bytes(16) + device.public + delivery_key + string(name)


def admission(genesis_hash, log, root_generation, generation, key, public):
    """An answer that admits the machine with these public keys."""
    content = b"CfIa\x01" + genesis_hash + u8(1) + codec.position(log) + u32(root_generation)
    return content + u32(generation) + codec.box(public, key)
