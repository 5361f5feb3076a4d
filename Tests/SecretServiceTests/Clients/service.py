"""A session bus with a secret service: that of Coffer, or gnome-keyring, with which the clients are tried as well."""

import ctypes
import os
import pathlib
import signal
import subprocess
import time

from client import Client

# Without the folders of activated services: Debian's file would start gnome-keyring in place of a service that was killed.
# The limits are those of dbus-daemon's own configuration of session buses.
CONFIGURATION = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path={socket}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
  <limit name="max_incoming_bytes">1000000000</limit>
  <limit name="max_outgoing_bytes">1000000000</limit>
  <limit name="max_message_size">1000000000</limit>
  <limit name="max_completed_connections">100000</limit>
  <limit name="max_connections_per_user">100000</limit>
  <limit name="max_match_rules_per_connection">50000</limit>
  <limit name="max_replies_per_connection">50000</limit>
</busconfig>
"""

# In seconds. Only bounds a failure.
TIMEOUT = 120


def end_with_parent():
    """Has the kernel end a child when this process ends, however it does."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def wait_until(event: str, condition, seconds: float = TIMEOUT):
    """Asks until the condition holds, and returns what it returns."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited in vain until {event}")
        time.sleep(0.005)
    return value


class Bus:
    def __init__(self, folder: pathlib.Path):
        folder.mkdir(parents=True)
        socket = folder / "bus"
        self.address = f"unix:path={socket}"
        configuration = folder / "bus.conf"
        configuration.write_text(CONFIGURATION.format(socket=socket))
        with open(folder / "errors", "wb") as errors:
            self.process = subprocess.Popen(
                ["dbus-daemon", f"--config-file={configuration}", "--nofork", "--nopidfile", "--print-address"],
                stdout=subprocess.PIPE, stderr=errors, preexec_fn=end_with_parent)
        # The address is printed as soon as clients can connect.
        if not self.process.stdout.readline():
            raise RuntimeError(f"dbus-daemon does not start: {(folder / 'errors').read_text()}")

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class Service:
    """A bus, a home folder and a secret service that owns its name on the bus."""

    def __init__(self, folder: pathlib.Path, programs: pathlib.Path | None):
        self.folder = folder
        self.programs = programs
        folder.mkdir(parents=True)
        (folder / "run").mkdir(mode=0o700)
        self.bus = Bus(folder / "bus.d")
        self.process = None

    @property
    def environment(self) -> dict[str, str]:
        """The variables of the service and of every client."""
        return {
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "HOME": str(self.folder),
            "XDG_RUNTIME_DIR": str(self.folder / "run"),
            "XDG_DATA_HOME": str(self.folder / "data"),
            "XDG_CONFIG_HOME": str(self.folder / "config"),
            "DBUS_SESSION_BUS_ADDRESS": self.bus.address,
            # A program that looks for the system's bus must not wait for it.
            "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={self.folder}/none",
        }

    def client(self) -> Client:
        return Client(self.bus.address)

    def start(self):
        """Starts the service, and returns once it owns its name."""
        with self.client() as client:
            self.process = self.spawn()
            wait_until("the service owns its name", lambda: client.owner() or self.ended())
        if self.ended():
            raise RuntimeError(f"the service ended with {self.process.returncode}:\n{self.errors()}")
        return self

    def ended(self) -> bool:
        return self.process.poll() is not None

    def errors(self) -> str:
        return (self.folder / "errors").read_text()

    def launch(self, command: list[str], standard_input=subprocess.DEVNULL) -> subprocess.Popen:
        with open(self.folder / "errors", "ab") as errors:
            return subprocess.Popen(
                command, stdin=standard_input, stdout=errors, stderr=errors, env=self.environment, cwd=self.folder,
                preexec_fn=end_with_parent)

    def kill(self):
        self.process.kill()
        return self.process.wait()

    def end(self):
        if self.process is not None:
            self.kill()
        self.bus.end()

    def run(self, *command, input: bytes = b"", environment: dict[str, str] = {}, seconds: float = TIMEOUT):
        """Runs a client to its end."""
        return subprocess.run(
            [str(word) for word in command], input=input, capture_output=True, env=self.environment | environment,
            cwd=self.folder, timeout=seconds)

    def succeed(self, *command, **options) -> bytes:
        """Runs a client that must succeed, and returns its output."""
        result = self.run(*command, **options)
        if result.returncode != 0:
            words = " ".join(str(word) for word in command)
            raise AssertionError(f"{words}: exit code {result.returncode}\n{result.stdout}\n{result.stderr.decode()}")
        return result.stdout


class GnomeKeyring(Service):
    name = "gnome-keyring"

    def spawn(self):
        process = self.launch(
            ["gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets"], subprocess.PIPE)
        process.stdin.write(b"keyring")
        process.stdin.close()
        return process


class Coffer(Service):
    """With a vault that has no passphrase, unless one is given. Then an agent keeps the owner's key."""

    name = "coffer"

    def __init__(
            self, folder: pathlib.Path, programs: pathlib.Path, passphrase: str | None = None, has_vault: bool = True):
        # More variables of the service and of all clients.
        self.variables: dict[str, str] = {}
        super().__init__(folder, programs)
        self.agent = None
        self.passphrase_file = folder / "passphrase"
        protection = ["--no-passphrase"]
        if passphrase is not None:
            self.passphrase_file.touch(mode=0o600)
            self.passphrase_file.write_text(passphrase)
            protection = ["--passphrase-file", self.passphrase_file]
        if has_vault:
            self.coffer("init", "--name", "laptop", *protection, "--vault-key-file", folder / "vault-key")

    @property
    def environment(self) -> dict[str, str]:
        return super().environment | {
            "COFFER_HOME": str(self.folder / "home"),
            # Debug builds only; see the README of Tests.
            "COFFER_TEST_PASSPHRASE_COST": "floor",
            "COFFER_TEST_RUNTIME": str(self.folder / "run"),
        } | self.variables

    def program(self, name: str) -> str:
        return str(self.programs / name)

    def coffer(self, *arguments, input: bytes = b"") -> str:
        return self.succeed(self.program("coffer"), *arguments, input=input).decode().strip()

    def register_locked(self):
        """Registers the app of all programs that nothing tells apart, so that its keys need the passphrase."""
        plist = self.folder / "desktop.entitlements"
        plist.write_text(
            """<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict><key>application-identifier</key>
            <string>$(AppIdentifierPrefix)coffer.desktop</string></dict></plist>""")
        self.coffer("app", "add", "--locked", "--passphrase-file", self.passphrase_file, plist)

    def join(self, other: "Coffer", remote: pathlib.Path, name: str = "desktop"):
        """Becomes another machine of a vault."""
        self.coffer("clone", remote, "--name", name, "--no-passphrase", "--vault-key-file", other.folder / "vault-key")

    def start_agent(self):
        self.agent = self.launch([self.program("coffer-agent")])
        wait_until("the agent listens", lambda: '"isRunning" : true' in self.coffer("agent", "status", "--json"))
        return self

    def unlock(self):
        self.coffer("unlock", "--passphrase-file", self.passphrase_file)

    def spawn(self):
        return self.launch([self.program("coffer-secret-service")])

    def end_agent(self):
        if self.agent is not None:
            self.agent.kill()
            self.agent.wait()

    def end(self):
        super().end()
        self.end_agent()
