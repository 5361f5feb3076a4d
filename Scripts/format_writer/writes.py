"""Subcommands that sign records, segments, lanes and record lists."""

import secrets

from format_reader import transport
from format_reader.primitives import MIB

from . import objects
from .attack import SIGNERS, hexadecimal
from .codec import u64


def add(subcommands):
    for name, text in [
        ("segment", "sign a segment and put it onto the branch"),
        ("lane", "the same, in a lane of its own"),
    ]:
        command = subcommands.add_parser(name, help=text)
        command.add_argument("--signer", default="device", help=f"{SIGNERS} (default: device)")
        command.add_argument(
            "--stream", default="new", help="new, random (a new one whose name commits to nobody), own (after the last one "
            "of the signer's), or in hexadecimal"
        )
        command.add_argument("--number", type=int, help="its number, whatever was before")
        command.add_argument("--gap", type=int, default=0, help="leave out this many numbers")
        command.add_argument(
            "--named-entry", type=int, help="the entry of the log that it names (default: the last one)"
        )
        command.add_argument("--sees", metavar="STREAM", help="it states to have seen segment 7 of this stream")
        add_records(command)
        command.set_defaults(run=segment)

    command = subcommands.add_parser("list", help="put a record list onto the branch")
    command.add_argument(
        "--all", action="store_true", help="of all records that are there (default: of one random hash)"
    )
    command.add_argument("--name", help="the name of the file, in hexadecimal, instead of its hash")
    command.set_defaults(run=record_list)


def add_records(command):
    command.add_argument("--group", help="the group's name, without the team (default: the app's own)")
    command.add_argument("--author", default="app", help=f"who signs the records: {SIGNERS} (default: app)")
    command.add_argument("--record", action="append", default=[], metavar="ACCOUNT=VALUE",
                         help="a password of the service `service` (repeatable)")  # fmt: skip
    command.add_argument("--over", action="store_true", help="the records name all known versions as their bases")
    command.add_argument("--deletes", action="store_true", help="the records are tombstones")
    command.add_argument(
        "--item-of", metavar="ACCOUNT", help="the records state the identifier of another account's item"
    )
    command.add_argument("--service", default="service")
    command.add_argument("--again", metavar="ACCOUNT", help="add the versions of an item that --at has, as they are")
    command.add_argument(
        "--at", metavar="COMMIT", help="the commit or branch with these versions (default: the branch)"
    )
    command.add_argument("--filler", type=int, default=0, metavar="MIB", help="add records of 1 MiB each")


def group_of(attack, state):
    """The group that is meant, its newest generation that opens, and its keys."""
    wanted, known = attack.arguments.group, state.groups
    if not wanted:
        author = attack.signer(attack.arguments.author)
        wanted = author.name or next(group.name for group in known.values() if group.keys)
    identifier = state.group(wanted)
    if identifier not in known or not known[identifier].keys:
        raise SystemExit(f"the keys do not open the group {wanted}; they open: " + " ".join(
            group.name for group in known.values() if group.keys))  # fmt: skip
    generation = max(known[identifier].keys)
    return identifier, generation, known[identifier].keys[generation]


def made_records(attack, state):
    """The group, and the bytes of the records that the arguments ask for."""
    arguments = attack.arguments
    author = attack.signer(arguments.author)
    group, generation, keys = group_of(attack, state)
    made = again(attack) if arguments.again else []
    wanted = [tuple(text.split("=", 1)) if "=" in text else (text, "") for text in arguments.record]
    wanted += [(f"filler {number} {secrets.token_hex(4)}", None) for number in range(arguments.filler)]
    for account, value in wanted:
        values = {"acct": account, "svce": arguments.service}
        item = None
        if arguments.item_of:
            named = {"acct": arguments.item_of, "svce": arguments.service}
            item = objects.item_identifier("genp", named, "acct svce", keys[32:])
        bases = known_versions(state, item or objects.item_identifier("genp", values, "acct svce", keys[32:]))
        made.append(objects.record(
            state, author, group, generation, keys, values,
            secrets.token_bytes(MIB - 4096) if value is None else value.encode(), bases if arguments.over else (),
            item=item, tombstone=arguments.deletes)[0])  # fmt: skip
    return group, made


def again(attack):
    """The versions of an item that somebody has written before."""
    state = attack.state(attack.arguments.at)
    opened = [(state.opened_record(record), record) for record in state.records()]
    wanted = f"string {attack.arguments.again}"
    return [record for fields, record in opened if fields and fields.get("attribute acct") == wanted]


def known_versions(state, item):
    """The hashes of the versions of an item, of at most 16."""
    fields = [state.opened_record(record) for record in state.records()]
    return {bytes.fromhex(one["hash"]) for one in fields if one and one["item"] == item.hex()}


def segment(attack):
    arguments, state = attack.arguments, attack.state()
    party = attack.signer(arguments.signer)
    group, records = made_records(attack, state)
    ends = state.ends()
    own = [stream for stream, (device, _, _) in ends.items() if device == party.identifier(state.vault)]
    if arguments.stream == "new":
        stream = transport.stream_name(
            secrets.token_bytes(4), state.vault, party.identifier(state.vault), attack.transport_key()[1]
        )
    elif arguments.stream == "random":
        stream = secrets.token_bytes(16)
    elif arguments.stream == "own":
        stream = max(own, key=lambda one: ends[one][1])
    else:
        stream = hexadecimal(arguments.stream, 16)
    number, previous = (ends[stream][1] + 1, ends[stream][2]) if stream in ends else (0, bytes(32))
    number += arguments.gap
    if arguments.gap:
        previous = secrets.token_bytes(32)
    if arguments.number is not None:
        number = arguments.number
        before = state.segments().get((stream, number - 1))
        previous = bytes.fromhex(before["hash"]) if before else bytes(32) if number == 0 else secrets.token_bytes(32)
    named = {one.number: one.place for one in state.entries}
    place = (
        named.get(arguments.named_entry, (arguments.named_entry, secrets.token_bytes(32)))
        if arguments.named_entry
        else state.head
    )
    seen = [hexadecimal(arguments.sees, 16) + u64(7) + secrets.token_bytes(32)] if arguments.sees else []
    content, _ = objects.segment(state, party, stream, number, previous, place, group, records, seen)
    changes = {f"segments/{stream.hex()}/{number // 64}/{number}": attack.seal("segment", content)}
    if arguments.command == "lane":
        attack.commit(changes, f"lane-{secrets.token_hex(16)}", base="")
    else:
        attack.commit(changes)


def record_list(attack):
    state = attack.state()
    fields = [state.opened_record(record) for record in state.records()] if attack.arguments.all else []
    hashes = {bytes.fromhex(one["hash"]) for one in fields if one} or {secrets.token_bytes(32)}
    content, digest = objects.record_list(state, hashes)
    attack.commit({f"lists/{attack.arguments.name or digest.hex()}": attack.seal("list", content)})
