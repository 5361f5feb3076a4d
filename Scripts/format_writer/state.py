"""What a branch of a vault says to somebody with some keys: the log as far as it opens, segments and snapshots."""

import base64

from format_reader import epochs, items, log, transport
from format_reader import vault as vaults
from format_reader.primitives import MIB, Reader, Refused, blake, derive, unseal
from format_reader.sodium import CryptoError

from . import codec


class Entry:
    """An entry of the log: its number, hash, signer, statement, body, and the file that has it."""

    def __init__(self, object_, file):
        self.object, self.file = object_, file
        r = Reader(object_, "CfLe")
        r.take(16)
        self.number, self.previous, self.time = r.u64(), r.take(32), r.i64()
        self.signer_kind, self.signer = r.u8(), r.take(16)
        self.statement, self.critical, self.body = r.u16(), r.bool(), r.bytes(MIB)
        self.hash = blake("coffer.logentry1", r.consumed())

    @property
    def place(self):
        return self.number, self.hash


class Group:
    """A group: its name, and the boxes and wrapped keys of each generation."""

    def __init__(self, name):
        self.name, self.boxes, self.wrapped, self.keys = name, {}, {}, {}


class Opened:
    """An envelope that opens: its content, generation, boxes and object."""

    def __init__(self, file, keyring, binding=b""):
        self.file, self.key, self.object, self.boxes = file, None, None, []
        try:
            r = Reader(file, "CfEn")
            self.content, self.generation = r.u8(), r.u32()
            self.boxes = r.list(16384, lambda: r.take(80))
            associated = r.consumed() + binding
            sealed = r.bytes(32 * MIB)
        except Refused:
            # Somebody has put other bytes there.
            return
        candidates = list(keyring.transport.get(self.generation, []))
        boxed = [key for party in keyring.parties for key in map(party.open, self.boxes) if key]
        candidates += boxed + [transport.mixed(first, key) for first in keyring.transport.get(1, []) for key in boxed]
        for key in candidates:
            try:
                self.object = Reader(unseal(key, sealed, associated, "doesNotOpen")).bytes(32 * MIB)
                self.key = key
                return
            except Refused:
                continue


class State:
    """A branch, opened with a keyring, which gets the transport and group keys that are found."""

    def __init__(self, repository, commit, keyring):
        self.repository, self.commit, self.keyring = repository, commit, keyring
        self.files = repository.files(commit)
        self.genesis = self.read("genesis")
        fields = vaults.genesis(self.genesis, {})
        self.vault, self.genesis_hash = bytes.fromhex(fields["vault"]), bytes.fromhex(fields["hash"])
        self.team = base64.b32encode(self.genesis_hash).decode()[:10]
        self.root = bytes.fromhex(fields["root"])
        keys = bytes.fromhex(fields["first device"])
        self.devices = {bytes.fromhex(fields["first device identifier"]): (keys, "")}
        self.admins = {bytes.fromhex(fields["first admin identifier"]): bytes.fromhex(fields["first admin"])}
        self.authors, self.apps, self.groups, self.entries = dict(self.admins), {}, {}, []
        slots = [path for path in self.files if path == "root" or path.startswith("roots/")]
        keyring.open_root([self.read(path) for path in slots])
        self.open_transport_keys()
        self.read_log()
        self.open_group_keys()

    def read(self, path):
        if path not in self.files:
            raise SystemExit(f"there is no file {path} at {self.commit}")
        return self.repository.content(self.files[path])

    def open(self, path):
        """Opens a file with the known keys; its object is None if none of them does."""
        known, file = self.keyring.opened, self.files[path]
        if file not in known or not known[file].object:
            known[file] = Opened(self.read(path), self.keyring)
        return known[file]

    @staticmethod
    def log_path(number):
        return f"log/{number // 64}/{number}"

    def open_transport_keys(self):
        """Finds the transport keys in boxes, and those that later ones wrap."""
        numbers = sorted((int(path.split("/")[-1]) for path in self.files if path.startswith("log/")), reverse=True)
        for number in numbers:
            opened = self.open(self.log_path(number))
            if not opened.object:
                continue
            self.keyring.add_transport_key(opened.generation, opened.key)
            entry = Entry(opened.object, opened.file)
            if entry.statement != 1:
                continue
            try:
                fields = log.statement(1, entry.body, {})
                wrapped, generation = bytes.fromhex(fields["wrapped previous"]), int(fields["generation"])
                inputs = {"transport key": opened.key.hex(), "generation": generation, "vault": self.vault.hex()}
                previous = transport.transport_key(wrapped, inputs)["previous"] if wrapped else None
            except Refused:
                continue
            if previous:
                self.keyring.add_transport_key(generation - 1, bytes.fromhex(previous))

    def read_log(self):
        """Reads the entries up to the first one that is missing, or that does not open or follow."""
        while self.log_path(len(self.entries) + 1) in self.files:
            opened = self.open(self.log_path(len(self.entries) + 1))
            entry = Entry(opened.object, opened.file) if opened.object else None
            if not entry or entry.previous != self.head[1]:
                return
            try:
                self.apply(entry)
            except Refused:
                return
            self.entries.append(entry)

    @property
    def head(self):
        return self.entries[-1].place if self.entries else (0, self.genesis_hash)

    def apply(self, entry):
        """Takes from an entry what its signer and others state; nothing is verified."""
        number, r = entry.statement, Reader(entry.body)
        if number == 9:
            fields = log.statement(number, entry.body, {})
            keys = bytes.fromhex(fields["keys"])
            self.devices[blake("coffer.device.1", self.vault + keys)[:16]] = keys, fields["name"]
            if fields.get("admin keys", "none") != "none":
                self.add_admin(bytes.fromhex(fields["admin keys"]))
        elif number == 8:
            self.apps[entry.hash] = log.statement(8, entry.body, {})["application identifier"]
        elif number == 4:
            r.take(48)
            self.add_author(r.take(64))
        elif number == 12:
            r.take(16)
            self.add_admin(r.take(64))
        elif number == 10:
            self.root = r.take(64)
        elif number == 5:
            name = r.string()
            r.take(32)
            self.add_boxes(self.groups.setdefault(self.group(name), Group(name)), 1, r)
        elif number == 6:
            group, generation = self.groups.get(r.take(16)), r.u32()
            self.add_boxes(group, generation, r)
        elif number == 11:
            group, generation = self.groups.get(r.take(16)), r.u32()
            r.take(32)
            group.wrapped[generation] = r.u32(), r.take(104)
            self.add_boxes(group, generation, r)

    def add_author(self, keys):
        identifier = blake("coffer.author.1", self.vault + keys)[:16]
        self.authors[identifier] = keys
        return identifier

    def add_admin(self, keys):
        self.admins[self.add_author(keys)] = keys

    @staticmethod
    def add_boxes(group, generation, r):
        found = dict(r.list(16384, lambda: (r.take(16), r.take(112))))
        group.boxes.setdefault(generation, {}).update(found)

    def group(self, name):
        """The identifier of a group by its full name, or by its name without the team."""
        full = name if name.startswith(self.team + ".") else f"{self.team}.{name}"
        return blake("coffer.group.1", self.vault + full.encode())[:16]

    def open_group_keys(self):
        """Opens the keys of groups that are sealed to one of the parties, and the earlier ones that they wrap."""
        for identifier, group in self.groups.items():
            for generation in sorted(group.boxes, reverse=True):
                for party in self.keyring.parties:
                    box = group.boxes[generation].get(party.identifier(self.vault))
                    keys = party.open(box) if box and party.role != "device" else None
                    if keys:
                        group.keys[generation] = keys
                keys, (earlier, wrapped) = group.keys.get(generation), group.wrapped.get(generation, (0, b""))
                if keys and wrapped and earlier not in group.keys:
                    associated = identifier + codec.u32(earlier)
                    try:
                        group.keys[earlier] = unseal(derive(keys[:32], "CfGrWrap"), wrapped, associated, "wrapped")
                    except Refused:
                        continue

    def device_named(self, name):
        for identifier, (_, known) in self.devices.items():
            if known == name:
                return identifier
        raise SystemExit(f"the log has no machine {name}")

    # Segments and records

    def segments(self):
        """The fields of each segment that opens, by (stream, number)."""
        found = {}
        for path in self.files:
            if path.startswith("segments/") and (opened := self.open(path)).object:
                keys = self.devices.get(opened.object[21:37])
                try:
                    fields = transport.segment(
                        opened.object, {"verifying key": keys[0][:32].hex() if keys else "00" * 32}
                    )
                except (Refused, CryptoError):
                    continue
                found[bytes.fromhex(fields["stream"]), int(fields["number"])] = fields
        return found

    def ends(self):
        """The last segment of each stream: (device, number, hash), by stream; also those that the checkpoint names."""
        found = {}
        checkpoint = self.checkpoint()
        for stream in checkpoint["streams"].split(", ") if checkpoint and checkpoint["streams"] else []:
            name, device, number, digest = stream.split(" ")
            found[bytes.fromhex(name)] = bytes.fromhex(device), int(number), bytes.fromhex(digest)
        for (stream, number), fields in self.segments().items():
            if stream not in found or found[stream][1] < number:
                found[stream] = bytes.fromhex(fields["device"]), number, bytes.fromhex(fields["hash"])
        return found

    def checkpoint(self):
        """The fields of the last checkpoint; None if there is none that opens."""
        for number in sorted(
            (int(path.split("/")[1]) for path in self.files if path.startswith("checkpoints/")), reverse=True
        ):
            object_ = self.open(f"checkpoints/{number}").object
            if fields := object_ and self.checkpoint_fields(object_):
                return fields
        return None

    def checkpoint_fields(self, object_):
        keys, _ = self.devices.get(object_[-80:-64], (bytes(64), ""))
        try:
            return epochs.checkpoint(object_, {"verifying key": keys[:32].hex()})
        except (Refused, CryptoError):
            return None

    def chunks(self):
        """The entries of the snapshot that open: (kind, bytes of the record or skeleton)."""
        found = []
        for path in sorted(path for path in self.files if path.startswith("snapshot/")):
            object_ = self.open(path).object
            try:
                entries = epochs.snapshot_chunk(object_, {})["entries"] if object_ else ""
            except Refused:
                continue
            words = [entry.split(" ") for entry in entries.split(", ") if entry]
            found += [(one[0], bytes.fromhex(one[-1])) for one in words]
        return found

    def records(self):
        """The bytes of all records in segments and in the snapshot."""
        found = [bytes.fromhex(record) for fields in self.segments().values() for record in fields["records"].split()]
        return found + [content for kind, content in self.chunks() if kind != "skeleton"]

    def opened_record(self, record):
        """The fields of a record; None if its group's key is not there or its author not in the log."""
        group, generation, author = (
            record[4 + 21 : 4 + 37],
            int.from_bytes(record[41:45], "big"),
            self.author_of(record),
        )
        keys = self.groups[group].keys.get(generation) if group in self.groups else None
        if not keys or author not in self.authors:
            return None
        inputs = {"verifying key": self.authors[author][:32].hex(), "group keys": keys.hex()}
        try:
            return items.record(record, inputs) | {"group": self.groups[group].name}
        except (Refused, KeyError):
            return None

    @staticmethod
    def author_of(record):
        r = Reader(record)
        r = Reader(r.bytes(21 * MIB), "CfRe", newest=2)
        r.take(16 + 16 + 4 + 16 + 4)
        if r.u8() == 3:
            r.take(16)
        r.bool()
        r.list(16, lambda: r.take(32))
        r.take(8 if r.version == 1 else 16)
        return r.take(16)
