"""The vault that the inspector shows in its tests, made by the real programs on two machines with one repository."""

import json
import pathlib
import subprocess

import certificates
from machine import Machine

PASSPHRASE = "correct horse battery staple"

MAIL, SHARED, ARCHIVE, HOSTILE = "com.example.mail", "com.example.shared", "com.example.archive", "com.example.hostile"

# Every value begins with this text, so that a test can look for values where none may be.
SECRET = "value-of-"

RIGHT_TO_LEFT = "\u202e"
HOSTILE_TEXTS = {
    "script": "<script>alert(1)</script>",
    "image": "\"'><img src=x onerror=alert(2)>",
    "entity": "&lt;b&gt; &amp;amp;",
    "bidi": f"{RIGHT_TO_LEFT}gnp.exe\u2066\u200b",
    "newline": "first\nsecond\r\n\tthird\u2028fourth",
    "nul": "before\x00after\x1b[31m",
    "link": "javascript:alert(3)",
    "template": "{{constructor.constructor('alert(4)')()}} ${alert(5)}",
    "word": "w" * 500,
    "long": "long " * 200,
}

# Three pages of a list.
ARCHIVED = 120


class VaultUnderTest:
    """Two machines, `laptop` and `desktop`; tests look at the vault of the laptop."""

    def __init__(self, programs: pathlib.Path, folder: pathlib.Path):
        self.folder = folder
        self.laptop = laptop = Machine(programs, folder / "laptop", PASSPHRASE)
        self.remote = folder / "remote.git"
        subprocess.run(["git", "init", "--quiet", "--bare", str(self.remote)], check=True)
        key = folder / "vault-key"
        laptop.coffer("init", "--name", "laptop", "--passphrase-file", laptop.passphrase_file, "--vault-key-file", key)
        self.team = json.loads(laptop.coffer("status", "--json"))["team"]
        self.plists = {
            MAIL: laptop.plist(MAIL, [MAIL, SHARED]),
            ARCHIVE: laptop.plist(ARCHIVE, [ARCHIVE], read_only=[SHARED]),
            HOSTILE: laptop.plist(HOSTILE, [HOSTILE]),
        }
        for plist in self.plists.values():
            laptop.coffer("app", "add", plist)
        laptop.coffer("remote", "set", self.remote)
        laptop.coffer("sync")
        self.fill(laptop)
        laptop.coffer("sync")
        self.desktop = desktop = Machine(programs, folder / "desktop")
        desktop.coffer("clone", "--name", "<b>desktop</b> & \"co\"", "--no-passphrase", "--vault-key-file", key,
                       self.remote)
        self.conflict("settle.example.com", "conflict.example.com", "no-script.example.com")
        # Not yet synced, for the sync of a test.
        self.set("unsynced.example.com")

    def group(self, name: str) -> str:
        return f"{self.team}.{name}"

    def set(self, service: str, account: str = "jane", value: str | None = None, machine: Machine | None = None):
        """Stores a password of the mail app; its value names the service unless given."""
        (machine or self.laptop).coffer("set", service, account, "--app", MAIL,
                                        input=SECRET + service if value is None else value)

    def add(self, items: list[dict], application: str = MAIL):
        self.laptop.run("CofferTestItems", self.plists[application], input=json.dumps(items))

    def fill(self, laptop: Machine):
        for service in ("store.example.com", "history.example.com", "deleted.example.com"):
            self.set(service)
        for number in (2, 3):
            self.set("history.example.com", value=f"{SECRET}history.example.com {number}")
        laptop.coffer("delete", "deleted.example.com", "jane", "--app", MAIL)
        self.add([
            {"class": "inet", "server": "imap.example.com", "account": "jane", "port": 993, "path": "/inbox",
             "label": "Mail of Jane", "comment": "The old account", "value": SECRET + "imap.example.com"},
            {"class": "genp", "service": "note", "account": "multi-line", "group": SHARED,
             "value": f"{SECRET}note\nsecond line\n"},
        ] + certificates.make(self.folder / "certificates", MAIL))
        self.add([{"class": "genp", "service": "archive.example.com", "account": "account-#", "count": ARCHIVED,
                   "value": SECRET + "archive"}], ARCHIVE)
        hostile = [{"class": "genp", "service": f"{name} {text}", "account": text, "label": text, "comment": text,
                    "value": text} for name, text in HOSTILE_TEXTS.items()]
        # The longest label that a vault takes, and a long value.
        hostile[-1] |= {"label": "long " * 209_715, "value": "long " * 100_000}
        self.add(hostile, HOSTILE)

    def conflict(self, *services: str):
        """Changes items on both machines between their syncs. The desktop's versions are the later ones."""
        for service in services:
            self.set(service)
        self.sync()
        for machine, name in ((self.laptop, "laptop"), (self.desktop, "desktop")):
            for service in services:
                self.set(service, value=f"{SECRET}{service} of the {name}", machine=machine)
        self.sync()

    def sync(self):
        for machine in (self.laptop, self.desktop, self.laptop):
            machine.coffer("sync")
