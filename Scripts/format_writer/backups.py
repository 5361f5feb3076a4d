"""The subcommand that signs backups."""

import pathlib
import tempfile

from format_reader.primitives import blake

from . import objects
from .attack import SIGNERS
from .codec import sequence, string
from .repository import Repository


def add(subcommands):
    command = subcommands.add_parser("backup", help="make a backup of the branch, and sign its statement")
    command.add_argument("--signer", default="device", help=f"{SIGNERS} (default: device)")
    command.add_argument("--out", required=True, metavar="FILE", help="the file to write")
    command.set_defaults(run=backup)


def backup(attack):
    state, branch = attack.state(), attack.branch
    files = attack.repository.files(branch)
    contents = {path: attack.repository.content(file) for path, file in files.items()}
    listed = [string(path) + blake("coffer.bakfile.1", contents[path]) for path in sorted(contents, key=str.encode)]
    digest = blake("coffer.baklist.1", sequence(listed))
    statement = objects.backup_statement(state, attack.signer(attack.arguments.signer), branch, digest)
    with tempfile.TemporaryDirectory() as scratch:
        made = Repository(init(scratch))
        made.commit(branch, contents, base="", is_new=True)
        made.commit("statement", {"statement": statement}, base="", is_new=True)
        made.git("update-ref", "refs/coffer/backup", "refs/heads/statement")
        made.git(
            "bundle", "create", "--quiet", "--version=2", str(pathlib.Path(attack.arguments.out).resolve()),
            "refs/coffer/backup", f"refs/heads/{branch}",
        )  # fmt: skip


def init(folder):
    pathlib.Path(folder, "HEAD").write_text("ref: refs/heads/main\n")
    pathlib.Path(folder, "objects").mkdir()
    pathlib.Path(folder, "refs").mkdir()
    return folder
