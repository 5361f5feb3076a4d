"""Subcommands that sign checkpoints and closings, and make branches of epochs."""

import secrets

from format_reader.primitives import blake

from . import objects
from .attack import SIGNERS, hexadecimal
from .files import later_entries
from .writes import add_records, made_records


def add(subcommands):
    command = subcommands.add_parser("epoch", help="make the branch of an epoch after the one of the branch")
    command.add_argument(
        "--from", dest="source", metavar="COMMIT", help="a commit or branch to take files from (default: the branch)"
    )
    command.add_argument("--number", type=int, help="its number (default: the next one)")
    command.add_argument("--tag", type=lambda text: int(text, 16), help="the random number in its name, in hexadecimal")
    command.add_argument("--log", type=int, help="the last entry of the log that it has (default: all that open)")
    command.add_argument("--named-entry", type=int, help="the entry that the checkpoint names (default: the last one)")
    command.add_argument("--keep-segments", action="store_true", help="keep the files of segments beside the snapshot")
    command.add_argument("--no-opened", action="store_true", help="leave out the file opened")
    command.add_argument("--opened-by", help="who signs the file opened, if not --signer")
    command.add_argument("--previous", help="the hash of the checkpoint before, in hexadecimal")
    add_snapshot(command)
    command.set_defaults(run=epoch)

    command = subcommands.add_parser("checkpoint", help="sign a checkpoint and put it onto the branch")
    command.add_argument("--number", type=int, required=True, help="its epoch")
    command.add_argument("--named-entry", type=int, help="the entry that it names (default: the last one)")
    command.add_argument("--previous", help="the hash of the checkpoint before, in hexadecimal")
    add_snapshot(command)
    command.set_defaults(run=checkpoint)

    command = subcommands.add_parser("chunk", help="put a chunk of a snapshot onto the branch")
    command.add_argument("--number", type=int, default=0, help="its number (default: 0)")
    command.add_argument("--epoch", type=int, help="its epoch (default: that of the branch)")
    add_snapshot(command)
    command.set_defaults(run=chunk)

    for name in ("opened", "closed"):
        command = subcommands.add_parser(name, help=f"sign a closing and put it onto the branch as {name}")
        command.add_argument("--signer", default="device", help=f"{SIGNERS} (default: device)")
        command.add_argument("--next", help="the branch that it names (default: for opened, the branch itself)")
        command.add_argument("--checkpoint", help="the hash that it names (default: that of the named branch)")
        command.set_defaults(run=closing)


def add_snapshot(command):
    command.add_argument("--signer", default="device", help=f"{SIGNERS} (default: device)")
    command.add_argument("--snapshot", choices=["all", "none"], default="all",
                         help="the records that the branch has, or none; --record adds others (default: all)")  # fmt: skip
    command.add_argument("--streams", choices=["all", "none"], default="all", help="the ends of streams (default: all)")
    add_records(command)


def number_of(branch):
    return int(branch.split("-")[1])


def snapshot(attack, state, epoch):
    """The entries of a snapshot."""
    entries = []
    if attack.arguments.snapshot == "all":
        entries += [objects.chunk_entry("record", record) for record in unique(state.records())]
        entries += [objects.chunk_entry(kind, content) for kind, content in state.chunks() if kind == "skeleton"]
    if attack.arguments.record or attack.arguments.filler:
        entries += [objects.chunk_entry("record", record) for record in made_records(attack, state)[1]]
    return entries


def unique(records):
    return list(dict.fromkeys(records))


def made_checkpoint(attack, state, epoch, chunks):
    arguments = attack.arguments
    party = attack.signer(arguments.signer)
    before = state.checkpoint()
    previous = bytes.fromhex(arguments.previous or (before["hash"] if before else "")) or bytes(32)
    if epoch == 2:
        previous = bytes(32)
    known = {one.number: one.place for one in state.entries}
    place = known[arguments.named_entry] if arguments.named_entry else state.head
    streams = state.ends() if arguments.streams == "all" else {}
    return objects.checkpoint(state, party, epoch, previous, place, streams, chunks)


def epoch(attack):
    arguments, source = attack.arguments, attack.arguments.source or attack.branch
    number = arguments.number or number_of(attack.branch) + 1
    tag = secrets.randbits(64) if arguments.tag is None else arguments.tag
    name = f"vault-{number}-{tag:016x}"
    files = attack.repository.files(source)
    changes = {} if arguments.log is None else later_entries(files, arguments.log)
    changes |= {path: None for path in files if path.startswith("snapshot/") or path in ("opened", "closed")}
    if not arguments.keep_segments:
        changes |= {path: None for path in files if path.startswith("segments/")}
    state = attack.state(source)
    if arguments.log is not None:
        state.entries = state.entries[: arguments.log]
        changes |= {path: None for path in files if is_of_later_entry(path, state.entries)}
    entries, chunks = snapshot(attack, state, number), []
    if entries:
        content, digest = objects.chunk(state, number, 0, entries)
        changes["snapshot/0"], chunks = attack.seal("chunk", content), [digest]
    content, digest = made_checkpoint(attack, state, number, chunks)
    changes[f"checkpoints/{number}"] = attack.seal("checkpoint", content)
    if not arguments.no_opened:
        opener = attack.signer(arguments.opened_by or arguments.signer)
        changes["opened"] = attack.seal("closing", objects.closing(state, opener, number - 1, tag, digest))
    attack.commit(changes, name, base=attack.repository.commit_of(source), is_new=True)


def is_of_later_entry(path, entries):
    """Whether a file is a record list or a slot that none of the entries names."""
    folder, _, name = path.partition("/")
    return folder in ("lists", "roots") and all(bytes.fromhex(name) not in entry.body for entry in entries)


def checkpoint(attack):
    arguments, state = attack.arguments, attack.state()
    chunks = [
        blake("coffer.snapshot1", found.object)
        for path in sorted(path for path in state.files if path.startswith("snapshot/"))
        if (found := state.open(path)).object
    ]  # fmt: skip
    content, _ = made_checkpoint(attack, state, arguments.number, chunks)
    attack.commit({f"checkpoints/{arguments.number}": attack.seal("checkpoint", content)})


def chunk(attack):
    arguments, state = attack.arguments, attack.state()
    number = arguments.epoch or max(2, number_of(attack.branch))
    entries = snapshot(attack, state, number) or [objects.chunk_entry("skeleton", secrets.token_bytes(200))]
    content, _ = objects.chunk(state, number, arguments.number, entries)
    attack.commit({f"snapshot/{arguments.number}": attack.seal("chunk", content)})


def closing(attack):
    arguments, state = attack.arguments, attack.state()
    number, tag = number_of(attack.branch), secrets.randbits(64)
    named = arguments.next or (attack.branch if arguments.command == "opened" else f"vault-{number + 1}-{tag:016x}")
    digest = bytes(32)
    if arguments.checkpoint:
        digest = hexadecimal(arguments.checkpoint, 32)
    elif named in attack.repository.branches():
        digest = bytes.fromhex((attack.state(named).checkpoint() or {"hash": "00" * 32})["hash"])
    content = objects.closing(
        state, attack.signer(arguments.signer), number_of(named) - 1, int(named.split("-")[2], 16), digest
    )
    attack.commit({arguments.command: attack.seal("closing", content)})
