"""Subcommands that need no signature: files and branches as whoever may push can change them."""

import pathlib
import secrets

from format_reader.primitives import Reader, blake

from . import codec

CONTENTS = {number: name for name, number in codec.KINDS.items()}


def add(subcommands):
    command = subcommands.add_parser("replace", help="seal a log entry again with other boxes")
    command.add_argument("path", help="the file, for example log/0/1")
    how = command.add_mutually_exclusive_group(required=True)
    how.add_argument("--without-boxes", action="store_true")
    how.add_argument("--other-boxes", action="store_true", help="as many boxes, which nobody opens")
    how.add_argument("--shuffled-boxes", action="store_true", help="the same boxes in the opposite order")
    how.add_argument("--one-other-box", action="store_true", help="the last box is one that nobody opens")
    how.add_argument("--boxes-for-me", action="store_true", help="the key sealed to the attacker's devices only")
    how.add_argument(
        "--boxes-again", action="store_true", help="the key sealed again to all machines of the log and to root"
    )
    how.add_argument("--boxes-of", metavar="PATH", help="the boxes of another file")
    how.add_argument("--more-boxes", action="store_true", help="the same boxes, and one that nobody opens")
    command.set_defaults(run=replace)

    command = subcommands.add_parser("reseal", help="seal a file again with the same contents")
    command.add_argument("path", nargs="+", help="the files")
    add_source(command)
    command.set_defaults(run=reseal)

    command = subcommands.add_parser("repad", help="seal a file again with another size, or another padding")
    command.add_argument("path", nargs="+", help="the files; log/ stands for all below that folder that open")
    command.add_argument(
        "--size", type=int, help="the size of each file in bytes, or that of the file if it is left out"
    )
    command.add_argument("--filled", action="store_true", help="the padding has other bytes than zeros")
    add_source(command)
    command.set_defaults(run=repad)

    command = subcommands.add_parser("box-up", help="seal a file again with boxes, whatever its contents are")
    command.add_argument("path", nargs="+", help="the files")
    command.add_argument("--count", type=int, default=1, help="the number of boxes (default: 1)")
    command.set_defaults(run=box_up)

    command = subcommands.add_parser("resign", help="give an object another signature of the same digest")
    command.add_argument("path", help="the file")
    command.add_argument("--signer", default="admin", help="who signs (default: admin)")
    command.add_argument("--invalid", action="store_true", help="a signature that verifies with no key")
    command.set_defaults(run=resign)

    command = subcommands.add_parser("replay", help="put a file of another commit or branch onto the branch")
    command.add_argument("path", nargs="+", help="the files")
    command.add_argument("--from", dest="source", required=True, metavar="COMMIT", help="a commit or branch")
    command.add_argument("--to", metavar="PATH", help="the path that the (only) file gets")
    command.set_defaults(run=replay)

    command = subcommands.add_parser("plant", help="put any file onto the branch, or remove one")
    command.add_argument("path", help="the path that the file gets")
    command.add_argument("file", nargs="?", help="the file; without it, random bytes")
    command.add_argument("--size", type=int, default=1024, help="the number of random bytes (default: 1024)")
    command.add_argument("--remove", action="store_true", help="remove the file instead")
    command.set_defaults(run=plant)

    command = subcommands.add_parser("copy-branch", help="make a branch with the files of another one")
    command.add_argument("source", help="a branch or commit")
    command.add_argument("target", help="the new branch")
    command.add_argument("--log", type=int, help="leave out the log entries after this number")
    command.add_argument("--history", action="store_true", help="name the commit itself instead of a new one")
    command.set_defaults(run=copy_branch)

    command = subcommands.add_parser("delete-branch", help="delete branches")
    command.add_argument("name", nargs="+")
    command.set_defaults(run=delete_branches)


def add_source(command):
    command.add_argument("--from", dest="source", metavar="COMMIT",
                         help="the commit or branch with the file (default: the branch)")  # fmt: skip


def opened(attack, path):
    found = attack.state(getattr(attack.arguments, "source", None)).open(path)
    if not found.object:
        raise SystemExit(f"the keys do not open {path}")
    return found


def sealed_again(attack, found, boxes=None, **options):
    generation, key = found.generation, found.key
    if attack.arguments.generation:
        generation, key = attack.transport_key(attack.arguments.generation)
    boxes = found.boxes if boxes is None else boxes
    return codec.envelope(CONTENTS[found.content], generation, key, found.object, boxes, **options)


def replace(attack):
    arguments, found = attack.arguments, opened(attack, attack.arguments.path)
    # An entry that has no boxes gets one.
    garbage = [secrets.token_bytes(80) for _ in found.boxes or [b""]]
    if arguments.without_boxes:
        boxes = []
    elif arguments.other_boxes:
        boxes = garbage
    elif arguments.shuffled_boxes:
        boxes = found.boxes[::-1]
    elif arguments.one_other_box:
        boxes = found.boxes[:-1] + garbage[-1:]
    elif arguments.more_boxes:
        boxes = found.boxes + garbage[:1]
    elif arguments.boxes_of:
        boxes = attack.state().open(arguments.boxes_of).boxes
    else:
        public = [party.public for party in attack.keyring.parties if party.role == "device"]
        if arguments.boxes_again:
            public = [keys for keys, _ in attack.state().devices.values()] + [attack.state().root]
        boxes = [codec.box(keys, found.key) for keys in public]
    attack.commit({arguments.path: sealed_again(attack, found, boxes)})


def reseal(attack):
    attack.commit({path: sealed_again(attack, opened(attack, path)) for path in attack.arguments.path})


def repad(attack):
    arguments, state, changes = attack.arguments, attack.state(attack.arguments.source), {}
    paths = [path for path in arguments.path if not path.endswith("/")]
    for folder in (path for path in arguments.path if path.endswith("/")):
        paths += [path for path in state.files if path.startswith(folder) and state.open(path).object]
    for path in paths:
        found = opened(attack, path)
        size = arguments.size or len(found.file)
        changes[path] = sealed_again(attack, found, size=size, padding=b"\1" if arguments.filled else b"\0")
    attack.commit(changes)


def box_up(attack):
    boxes = [secrets.token_bytes(80) for _ in range(attack.arguments.count)]
    attack.commit({path: sealed_again(attack, opened(attack, path), boxes) for path in attack.arguments.path})


def signed_part(found):
    """The domain of an object's signature, the signed part, and the bytes after the signature."""
    content = found.object
    if CONTENTS[found.content] == "segment":
        r = Reader(content, "CfSe")
        r.take(16 * 3 + 8 + 32 + 40)
        r.list(4096, lambda: r.take(56))
        r.take(16 + 32)
        return "coffer.segment.1", r.consumed(), content[r.at + 64 :]
    domain = {"log": "coffer.logentry1", "checkpoint": "coffer.checkpt.1", "closing": "coffer.closing.1"}
    return domain[CONTENTS[found.content]], content[:-64], b""


def resign(attack):
    arguments, found = attack.arguments, opened(attack, attack.arguments.path)
    domain, content, rest = signed_part(found)
    party = attack.signer(arguments.signer)
    signature = secrets.token_bytes(64) if arguments.invalid else party.sign(domain, blake(domain, content), again=True)
    found.object = content + signature + rest
    attack.commit({arguments.path: sealed_again(attack, found)})


def replay(attack):
    arguments, files = attack.arguments, attack.repository.files(attack.arguments.source)
    if arguments.to and len(arguments.path) > 1:
        raise SystemExit("--to is for one file")
    for path in arguments.path:
        if path not in files:
            raise SystemExit(f"there is no file {path} at {arguments.source}")
    attack.commit({arguments.to or path: attack.repository.content(files[path]) for path in arguments.path})


def plant(attack):
    arguments = attack.arguments
    content = pathlib.Path(arguments.file).read_bytes() if arguments.file else secrets.token_bytes(arguments.size)
    is_new = attack.branch not in attack.repository.branches()
    attack.commit({arguments.path: None if arguments.remove else content}, base="" if is_new else None)


def later_entries(files, last):
    return {path: None for path in files if path.startswith("log/") and int(path.split("/")[-1]) > last}


def copy_branch(attack):
    arguments, repository = attack.arguments, attack.repository
    source = repository.commit_of(arguments.source)
    if arguments.history:
        repository.set(arguments.target, source)
        print(arguments.target)
        return
    changes = later_entries(repository.files(source), arguments.log) if arguments.log is not None else {}
    repository.commit(arguments.target, changes, base=source, is_new=True)
    print(arguments.target)


def delete_branches(attack):
    for name in attack.arguments.name:
        attack.repository.set(name, None)
