"""A backend of the package keyring that keeps passwords in a vault of Coffer, as generic passwords."""

import json
import shutil
import subprocess

from keyring.backend import KeyringBackend
from keyring.compat import properties
from keyring.credentials import SimpleCredential
from keyring.errors import KeyringError, KeyringLocked, PasswordDeleteError, PasswordSetError


class Keyring(KeyringBackend):
    """Runs `coffer bridge keyring`. The variables KEYRING_PROPERTY_APP and KEYRING_PROPERTY_GROUP name the app and the access
    group; without them, passwords are in the owner's own group."""

    app = None
    group = None

    # The exit codes of coffer.
    _NOTHING = 1
    _NOT_FOUND = 3
    _LOCKED = 5

    @properties.classproperty
    def priority(self):
        if shutil.which("coffer") is None:
            raise RuntimeError("the program coffer is not in PATH")
        # Above the Secret Service and KWallet, which have 5 at most: somebody has installed this package for that.
        return 9

    def get_password(self, service, username):
        found = self._get(service, username, "password")
        return None if found is None else found["password"]

    def get_credential(self, service, username):
        found = self._get(service, username, "creds")
        return None if found is None else SimpleCredential(found["username"], found["password"])

    def set_password(self, service, username, password):
        # coffer leaves out the newline at the end, as the program keyring does.
        result = self._run("set", [], service, username, password.encode() + b"\n")
        self._check(result, PasswordSetError)

    def delete_password(self, service, username):
        result = self._run("del", [], service, username)
        if result.returncode == self._NOT_FOUND:
            raise PasswordDeleteError("Password not found")
        self._check(result, PasswordDeleteError)

    def _get(self, service, username, mode):
        result = self._run("get", ["--mode", mode, "--output", "json"], service, username)
        if result.returncode == self._NOTHING and not result.stderr:
            return None
        self._check(result, KeyringError)
        return json.loads(result.stdout)

    def _run(self, operation, options, service, username, password=b""):
        for option in ("app", "group"):
            value = getattr(self, option)
            options += [f"--{option}", value] if value else []
        names = [service] if username is None else [service, username]
        return subprocess.run(
            ["coffer", "bridge", "keyring", *options, "--", operation, *names], input=password, capture_output=True)

    def _check(self, result, error):
        if result.returncode == 0:
            return
        message = result.stderr.decode(errors="replace").strip()
        raise (KeyringLocked if result.returncode == self._LOCKED else error)(message)
