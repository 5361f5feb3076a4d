"""The keys of somebody: files of a machine, a headless credential, a vault key."""

import pathlib

from format_reader import machine, vault
from format_reader.primitives import Reader, Refused, blake, public_keys, unbox
from format_reader.sodium import CryptoError

from . import codec


class Party:
    """A holder of key pairs: role is root, admin, device or app; name is the application of an app.

    source: the number of the argument --keys that has the keys.
    """

    def __init__(self, role, secret, name="", source=0):
        self.role, self.secret, self.name, self.source = role, secret, name, source
        self.public = public_keys(secret)

    def identifier(self, of):
        """The party's identifier in a vault; that of a device as a device."""
        domain = "coffer.device.1" if self.role == "device" else "coffer.author.1"
        return codec.ROOT if self.role == "root" else blake(domain, of + self.public)[:16]

    def sign(self, domain, digest, again=False):
        return (codec.other_signature if again else codec.signature)(self.secret[:32], domain, digest)

    def open(self, sealed):
        """The secret in a box; None if it is somebody else's."""
        try:
            return unbox(sealed, self.secret)
        except CryptoError:
            return None


class Keyring:
    """Everything that somebody has. Transport keys that are not known for certain are kept side by side."""

    def __init__(self, paths):
        self.parties, self.transport, self.vault_keys, self.scalars = [], {}, [], []
        # Files that were opened, by their identifiers.
        self.opened = {}
        self.source = 0
        for self.source, path in enumerate(paths, 1):
            self.add(pathlib.Path(path))

    def add(self, path):
        if path.is_dir():
            self.add_machine(path if (path / "device").exists() else path / "vaults" / "default")
            return
        content = path.read_bytes()
        if b"COFFER CREDENTIAL" in content:
            fields = machine.headless_credential(content, {})
            self.add_party("device", fields["secret"])
            self.add_transport_keys(fields["transport keys"])
            for app in fields["apps"].split(", "):
                self.add_party("app", *reversed(app.split(" ")))
        else:
            key = blake("coffer.vaultkey1", vault.parse_vault_key(content.decode())[:17])
            self.vault_keys.append((key, self.source))

    def add_machine(self, folder):
        # Keys that are about to replace those of the machine count first.
        folders = [folder / "new-keys", folder]
        device = next(self.read(folders, "device", machine.device_file), None)
        if not device:
            raise SystemExit(f"{folder} has no file device")
        self.add_party("device", device["secret"])
        self.add_transport_keys(device["transport keys"])
        for fields in self.read(folders, "admin", machine.admin_file):
            self.add_party("admin", fields["secret"])
        for fields in self.read(folders, "delivery", machine.delivery_file):
            self.scalars.append(bytes.fromhex(fields["secret"]))
        for at in folders:
            for file in sorted((at / "apps").glob("*/credential")):
                for fields in self.read([file.parent], "credential", machine.credential):
                    self.add_party("app", fields["secret"], fields["application identifier"])

    @staticmethod
    def read(folders, name, read):
        """Reads the files of a name that exist and need no passphrase."""
        for folder in folders:
            try:
                yield read((folder / name).read_bytes(), {})
            except FileNotFoundError:
                continue
            except (KeyError, Refused):
                # Under a passphrase, which an attacker does not have.
                continue

    def add_party(self, role, secret, name="", source=0):
        if all(party.secret.hex() != secret for party in self.parties):
            self.parties.append(Party(role, bytes.fromhex(secret), name, source or self.source))

    def add_transport_keys(self, text):
        for entry in text.split(", ") if text else []:
            generation, key = entry.split(" ")
            self.add_transport_key(int(generation), bytes.fromhex(key))

    def add_transport_key(self, generation, key):
        keys = self.transport.setdefault(generation, [])
        if key not in keys:
            keys.append(key)

    def open_root(self, slots):
        """Opens root's keys in the slots that a vault key opens."""
        for slot in slots:
            try:
                reader = Reader(slot, "CfRs", newest=3)
                reader.take(36 if reader.version == 1 else 100)
                associated = reader.consumed()
                expected, sealed = reader.take(32), reader.bytes(104)
                first = reader.take(72) if reader.version == 3 else b""
            except Refused:
                continue
            for key, source in self.vault_keys:
                try:
                    secret = vault.open_slot(key, expected, sealed, associated)
                except Refused:
                    continue
                self.add_party("root", secret.hex(), source=source)
                if first:
                    self.add_transport_key(1, vault.open_first_key(key, first, associated))

    def party(self, role, name="", source=0):
        """The party of a role, with the end of its name, of one source or of any of them (0)."""
        for party in self.parties:
            if party.role == role and party.name.endswith(name) and source in (0, party.source):
                return party
        raise SystemExit(f"none of the keys are those of a {role} {name}".rstrip())
