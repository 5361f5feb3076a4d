"""The statement of a backup, and the vault key in one."""

from .machine import key_file
from .primitives import Reader, blake, need, truth, verify


def statement(data, inputs):
    r = Reader(data, "CfBs")
    fields = {"vault": r.hex(16), "time": str(r.i64())}
    branch = r.string(64)
    need(is_branch(branch), "invalidValue")
    fields |= {"branch": branch, "log": f"{r.place()} {r.hex(32)}", "files": r.hex(32)}
    present = r.u8()
    need(present < 2, "invalidValue")
    fields["key"] = r.hex(32) if present else "none"
    fields["items of the machine"] = str(r.u32())
    complete = r.u8()
    need(complete < 2, "invalidValue")
    fields |= {"complete": truth(complete), "device": r.hex(16)}
    digest = blake("coffer.backup.1", r.consumed())
    signature = r.take(64)
    r.finish()
    verify(bytes.fromhex(inputs["verifying key"]), "coffer.backup.1", digest, signature)
    return fields


def is_branch(name):
    parts = name.split("-")
    if name == "vault-1":
        return True
    if len(parts) != 3 or parts[0] != "vault" or not parts[1].isdecimal() or len(parts[2]) != 16:
        return False
    return str(int(parts[1])) == parts[1] and int(parts[1]) >= 2 and all(digit in "0123456789abcdef" for digit in parts[2])


def key(data, inputs):
    return key_file(Reader(data, "CfBv"), 17, inputs)[0]
