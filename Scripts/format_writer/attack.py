"""What the subcommands of Scripts/attacker share: the repository, the keys, the branch, and who signs."""

import secrets

from format_reader import vault
from format_reader.primitives import Refused

from . import codec
from .keyring import Keyring, Party
from .repository import Repository
from .state import State

SIGNERS = (
    "admin, device, root, app, app:NAME (the end of an application identifier), with @2 that of the second --keys, "
)
SIGNERS += "or nobody for new keys"


class Attack:
    """One run of the program."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.repository, self.keyring = Repository(arguments.repository), Keyring(arguments.keys)
        self.states = {}
        self.learn()

    @property
    def branch(self):
        return self.arguments.branch or next(iter(self.repository.epochs()[-1:]), "vault-1")

    def state(self, name=None):
        """The opened files of a branch or commit; those of the branch to write to if it is None."""
        commit = self.repository.commit_of(name or self.branch)
        if commit not in self.states:
            self.states[commit] = State(self.repository, commit, self.keyring)
        return self.states[commit]

    def learn(self):
        """Finds the transport keys in every branch: who attacks uses all that somebody was ever shown."""
        for name in self.repository.epochs():
            if self.is_of_vault(name):
                self.state(name)
        self.states = {}

    def is_of_vault(self, name):
        """Whether a branch or commit has a genesis: whoever attacks can have replaced it."""
        file = self.repository.files(name).get("genesis")
        try:
            return bool(file and vault.genesis(self.repository.content(file), {}))
        except Refused:
            return False

    def signer(self, text):
        text, _, source = text.partition("@")
        role, _, name = text.partition(":")
        if role == "nobody":
            return Party("admin", secrets.token_bytes(64))
        return self.keyring.party(role, name, int(source or 0))

    def transport_key(self, generation=None):
        """The number of a transport key, the newest by default, and the key."""
        generation = generation or max(self.keyring.transport, default=0)
        if not self.keyring.transport.get(generation):
            raise SystemExit(f"the keys do not open transport key {generation}")
        return generation, self.keyring.transport[generation][0]

    def seal(self, content, object_, boxes=(), size=None):
        generation, key = self.transport_key(self.arguments.generation)
        return codec.envelope(content, generation, key, object_, boxes, size)

    def commit(self, changes, branch=None, **options):
        self.repository.commit(branch or self.branch, changes, **options)
        for path in (path for path, content in changes.items() if content is not None):
            print(f"{branch or self.branch}:{path}")


def hexadecimal(text, count=None):
    value = bytes.fromhex(text)
    if count is not None and len(value) != count:
        raise SystemExit(f"{text} has {len(value)} bytes instead of {count}")
    return value
