"""Subcommands that sign entries of the membership log, and slots of root."""

import pathlib
import secrets

from format_reader import log

from . import codec, objects
from .attack import SIGNERS, hexadecimal
from .codec import sequence, string
from .keyring import Party


def add(subcommands):
    command = subcommands.add_parser("entry", help="sign an entry of the log and put it onto the branch")
    command.add_argument("--signer", default="admin", help=f"{SIGNERS} (default: admin)")
    command.add_argument("--after", type=int, help="the number of the entry before (default: the last one that opens)")
    command.add_argument("--number", type=int, help="its number, with an unknown entry before it if that does not open")
    command.add_argument("--days", type=float, default=0, help="the time of the entry, in days after now")
    what = command.add_mutually_exclusive_group()
    what.add_argument("--copy", type=int, metavar="N", help="the statement of entry N (default: the first app)")
    what.add_argument("--body", nargs=2, metavar=("NUMBER", "HEX"), help="a statement by its number and body")
    what.add_argument("--transport-key", action="store_true", help="a new transport key for the attacker and --for")
    what.add_argument("--enrol", metavar="NAME", help="a new machine of the attacker's; its keys are written to --save")
    what.add_argument("--cut-off", metavar="NAME", help="a revocation of a machine that names nothing else")
    what.add_argument("--withdraw", type=int, metavar="N", help="a withdrawal of entry N")
    what.add_argument("--resolve", metavar="HEX", help="a resolution that rejects the entry with this hash")
    command.add_argument("--for", dest="recipients", nargs="*", default=[], metavar="NAME",
                         help="machines that get the new transport key; root for root, all for all of the log")  # fmt: skip
    command.add_argument("--save", metavar="FOLDER", help="where the keys of --enrol are written")
    command.set_defaults(run=entry)

    command = subcommands.add_parser("slot", help="sign a root slot and put it onto the branch")
    command.add_argument("--signer", default="nobody", help=f"{SIGNERS} (default: nobody)")
    command.add_argument(
        "--root-number", type=int, default=2,
        help="the number of the root (default: 2); 1 replaces `root` by one under a random vault key",
    )  # fmt: skip
    command.set_defaults(run=slot)


def entry(attack):
    arguments, state = attack.arguments, attack.state()
    party = attack.signer(arguments.signer)
    known = {one.number: one for one in state.entries}
    last = arguments.after if arguments.number is None else arguments.number - 1
    places = {0: (0, state.genesis_hash)} | {one.number: one.place for one in state.entries}
    after = state.head if last is None else places.get(last, (last, secrets.token_bytes(32)))
    boxes, critical = [], True
    generation, key = sealing_key(attack, state, after[0])
    if arguments.body:
        number, body = int(arguments.body[0]), hexadecimal(arguments.body[1])
    elif arguments.transport_key:
        number, body, boxes, generation, key = new_transport_key(attack, state)
    elif arguments.enrol:
        number, body = enrolment(attack, state)
    elif arguments.cut_off:
        number, body = revocation(state, arguments.cut_off)
    elif arguments.withdraw is not None:
        number, body, critical = 14, known[arguments.withdraw].hash, False
    elif arguments.resolve:
        number, body = 13, sequence([hexadecimal(arguments.resolve, 32)]) + sequence([])
    else:
        wanted = arguments.copy or next(one.number for one in state.entries if one.statement == 8)
        number, body, critical = known[wanted].statement, known[wanted].body, known[wanted].critical
    time = codec.now(arguments.days * 86_400)
    content, _ = objects.log_entry(state, party, after, number, body, critical, time)
    if arguments.generation:
        generation, key = attack.transport_key(arguments.generation)
    attack.commit({state.log_path(after[0] + 1): codec.envelope("log", generation, key, content, boxes)})


def sealing_key(attack, state, number):
    """The newest transport key after an entry: the one under which the next entry is sealed."""
    generations = [
        int(log.statement(1, one.body, {})["generation"])
        for one in state.entries if one.statement == 1 and one.number <= number
    ]  # fmt: skip
    return attack.transport_key(max(generations, default=None))


def new_transport_key(attack, state):
    arguments = attack.arguments
    generation, previous = sealing_key(attack, state, state.head[0])
    wanted = set(arguments.recipients)
    public = [keys for keys, name in state.devices.values() if "all" in wanted or name in wanted]
    public += [state.root] if wanted & {"root", "all"} else []
    public += [
        party.public for party in attack.keyring.parties if party.role == "device" and party.public not in public
    ]
    key = secrets.token_bytes(32)
    boxes = [codec.box(keys, key) for keys in public]
    return 1, objects.transport_key(state, key, generation + 1, previous, boxes), boxes, generation + 1, key


def enrolment(attack, state):
    """Statement 9 for a member with new keys, which are written as a machine's file."""
    device = Party("device", secrets.token_bytes(64))
    if attack.arguments.save:
        keys = [codec.u32(number) + found[0] for number, found in sorted(attack.keyring.transport.items())]
        folder = pathlib.Path(attack.arguments.save)
        folder.mkdir(parents=True, exist_ok=True)
        content = b"CfDf\x01" + state.genesis_hash + device.secret + secrets.token_bytes(32) + sequence(keys)
        (folder / "device").write_bytes(content)
    return 9, device.public + codec.u8(0) + secrets.token_bytes(32) + string(attack.arguments.enrol)


def revocation(state, name):
    """A revocation of a machine alone. Its authors and keys are missing, so that no reader may apply it."""
    device = state.device_named(name)
    ends = [stream + codec.u64(number) + digest for stream, (owner, number, digest) in sorted(state.ends().items())
            if owner == device]  # fmt: skip
    return 7, objects.revocation(machines=[device + sequence(ends)])


def slot(attack):
    arguments, state = attack.arguments, attack.state()
    party = attack.signer(arguments.signer)
    party.role = "root"
    key = secrets.token_bytes(32)
    content, digest = objects.root_slot(state, party, key, arguments.root_number)
    attack.commit({"root" if arguments.root_number == 1 else f"roots/{digest.hex()}": content})
