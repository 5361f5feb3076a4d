"""Checkpoints, chunks of snapshots, and the ends of epochs."""

from .primitives import MIB, Reader, blake, need, verify


def checkpoint(data, inputs):
    r = Reader(data, "CfCk")
    fields, epoch = {"vault": r.hex(16)}, r.u32()
    need(epoch >= 2, "invalidValue")
    previous = r.take(32)
    need((epoch == 2) == (previous == bytes(32)), "invalidValue")
    fields |= {"epoch": str(epoch), "previous": previous.hex(), "log": f"{r.place()} {r.hex(32)}", "time": str(r.i64())}
    streams = r.list(65536, lambda: f"{r.hex(16)} {r.hex(16)} {r.place()} {r.hex(32)}", key=lambda stream: stream[:32])
    fields["streams"] = ", ".join(streams)
    fields["chunks"] = " ".join(r.list(16384, lambda: r.hex(32)))
    fields["device"] = r.hex(16)
    digest = blake("coffer.checkpt.1", r.consumed())
    signature = r.take(64)
    r.finish()
    verify(bytes.fromhex(inputs["verifying key"]), "coffer.checkpt.1", digest, signature)
    return fields | {"hash": digest.hex()}


def snapshot_chunk(data, inputs):
    r = Reader(data, "CfSn")

    def entry():
        kind = r.u8()
        need(1 <= kind <= 3, "invalidValue")
        if kind == 1:
            return f"record {r.bytes(21 * MIB).hex()}"
        if kind == 2:
            return f"skeleton {r.bytes(4096).hex()}"
        return f"pending {r.hex(16)} {r.hex(16)} {r.place()} {r.place()} {r.bytes(21 * MIB).hex()}"

    fields, epoch = {"vault": r.hex(16)}, r.u32()
    need(epoch >= 2, "invalidValue")
    number = r.u32()
    need(number < 16384, "invalidValue")
    entries = r.list(65536, entry)
    need(entries, "invalidValue")
    r.finish()
    return fields | {
        "epoch": str(epoch), "number": str(number), "entries": ", ".join(entries),
        "hash": blake("coffer.snapshot1", data).hex(),
    }  # fmt: skip


def closing(data, inputs):
    r = Reader(data, "CfEc")
    fields, epoch, tag = {"vault": r.hex(16)}, r.u32(), r.u64()
    need(1 <= epoch < 2**32 - 1, "invalidValue")
    fields |= {"epoch": str(epoch), "branch": f"vault-{epoch + 1}-{tag:016x}"}
    fields |= {"checkpoint": r.hex(32), "device": r.hex(16)}
    digest = blake("coffer.closing.1", r.consumed())
    signature = r.take(64)
    r.finish()
    verify(bytes.fromhex(inputs["verifying key"]), "coffer.closing.1", digest, signature)
    return fields
