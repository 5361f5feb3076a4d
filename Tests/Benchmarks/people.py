#!/usr/bin/env python3
"""Measures what a person waits for between machines, and how often a service wakes: see Scripts/bench --help.

Usage: people.py --programs FOLDER [--runs N] [--idle SECONDS]

Two machines, each with a service, sync over a real sshd. Only for Linux.
"""

import argparse
import getpass
import os
import pty
import select
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
APP = "com.example.photo.pro"
# Seconds until a purchase is seen, seconds until a command says what it waits for, and waking threads in an hour.
SEEN_TARGET, SAID_TARGET, WAKE_TARGET = 60, 2, 12


def report(name, value, unit, target):
    print(f"  {name:<52} {value:8.1f} {unit:<6} target: at most {target}{', missed' if value > target else ''}")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A sshd that accepts this user with a key made for it."""

    def __init__(self, folder):
        self.port = free_port()
        for name in ("host", "client"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
        shutil.copy(folder / "client.pub", folder / "authorized_keys")
        host_key = (folder / "host.pub").read_text()
        (folder / "known_hosts").write_text(f"[127.0.0.1]:{self.port} {host_key}")
        (folder / "sshd_config").write_text(
            f"ListenAddress 127.0.0.1\nPort {self.port}\nHostKey {folder}/host\nPidFile none\nStrictModes no\n"
            f"AuthorizedKeysFile {folder}/authorized_keys\nUsePAM no\nPermitRootLogin yes\n"
            "PasswordAuthentication no\nKbdInteractiveAuthentication no\n")
        (folder / "ssh_config").write_text(
            f"Host 127.0.0.1\n Port {self.port}\n User {getpass.getuser()}\n IdentityFile {folder}/client\n"
            f" IdentitiesOnly yes\n IdentityAgent none\n UserKnownHostsFile {folder}/known_hosts\n"
            " GlobalKnownHostsFile /dev/null\n StrictHostKeyChecking yes\n BatchMode yes\n")
        self.configuration = folder / "ssh_config"
        if os.getuid() == 0:
            Path("/run/sshd").mkdir(parents=True, exist_ok=True)
        self.process = subprocess.Popen(
            ["/usr/sbin/sshd", "-D", "-f", folder / "sshd_config", "-E", folder / "sshd.log"])
        wait_until("sshd listens", lambda: "listening" in read(folder / "sshd.log"))


def read(path):
    return path.read_text() if path.exists() else ""


def wait_until(what, condition, seconds=180):
    """Returns the seconds that passed until a condition held."""
    start = time.monotonic()
    while not condition():
        if time.monotonic() - start > seconds:
            sys.exit(f"people: after {seconds} seconds not yet: {what}")
        time.sleep(0.05)
    return time.monotonic() - start


class Machine:
    def __init__(self, folder, programs, server):
        self.programs = programs
        self.environment = {
            "HOME": str(folder), "COFFER_HOME": str(folder / "coffer"), "PATH": os.environ["PATH"], "LANG": "C.UTF-8",
            "COFFER_SSH_CONFIG": str(server.configuration),
        }
        self.log = folder / "service.log"
        folder.mkdir()

    def run(self, *arguments, value=None, fails=False):
        outcome = subprocess.run(
            [self.programs / "coffer", *arguments], env=self.environment, input=value, text=True, capture_output=True)
        if outcome.returncode and not fails:
            sys.exit(f"people: coffer {' '.join(map(str, arguments))}: {outcome.stderr}")
        return outcome.stdout if outcome.returncode == 0 else None

    def start_service(self):
        """Starts what the unit of systemd starts, and waits for its first sync."""
        with open(self.log, "w", encoding="utf-8") as log:
            self.service = subprocess.Popen(
                [self.programs / "coffer", "sync", "--watch"], env=self.environment, stdin=subprocess.DEVNULL,
                stdout=log, stderr=log)
        wait_until("the service has synced", lambda: '"nextSync"' in self.health())

    def health(self):
        return read(Path(self.environment["COFFER_HOME"]) / "vaults/default/sync-health")

    def wake_count(self):
        """How often the threads of the service and its children have waited for something, and woken."""
        total = 0
        for status in Path("/proc").glob("[0-9]*/task/*/status"):
            try:
                process = status.parents[2]
                if str(self.environment["COFFER_HOME"]).encode() not in (process / "environ").read_bytes():
                    continue
                total += sum(
                    int(line.split()[1]) for line in status.read_text().splitlines()
                    if line.startswith("voluntary_ctxt_switches"))
            except OSError:
                continue
        return total


def measure_purchases(laptop, desktop, runs):
    """From the purchase on one machine to the app on the other one, which is asked for it every second."""
    times = []
    for number in range(runs):
        product = f"purchase-{number}"
        laptop.run("set", "shop", product, "--app", APP, value="bought")
        start = time.monotonic()
        while desktop.run("get", "shop", product, "--app", APP, fails=True) is None:
            time.sleep(1)
        times.append(time.monotonic() - start)
    report("a purchase is seen on the other machine, median", statistics.median(times), "s", SEEN_TARGET)
    report("a purchase is seen on the other machine, longest", max(times), "s", SEEN_TARGET)


def measure_waking(machine, seconds):
    # What the app missed last leads to one more sync within a minute, which looks for late commits for half a minute.
    time.sleep(100)
    before = machine.wake_count()
    time.sleep(seconds)
    # Beside this, the service wakes for four syncs.
    report("a service wakes in an hour without a sync", (machine.wake_count() - before) * 3600 / seconds, "times",
           WAKE_TARGET)


def first_words(command, environment):
    """Returns the seconds until a command says something on its terminal, and ends it."""
    process, terminal = pty.fork()
    if process == 0:
        os.execve(command[0], [str(word) for word in command], environment)
    start = time.monotonic()
    ready, _, _ = select.select([terminal], [], [], 60)
    seconds = time.monotonic() - start
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    os.close(terminal)
    return seconds if ready else 60


def silent_listener(family, address):
    """Accepts connections and never answers."""
    listener = socket.socket(family)
    listener.bind(address)
    listener.listen()
    kept = []
    threading.Thread(target=lambda: [kept.append(listener.accept()) for _ in range(1000)], daemon=True).start()
    return listener


def measure_silence(machine, folder):
    coffer = machine.programs / "coffer"
    port = silent_listener(socket.AF_INET, ("127.0.0.1", 0)).getsockname()[1]
    silent = dict(machine.environment)
    subprocess.run([coffer, "init", "--name", "silent", "--no-passphrase", "--vault-key-file", folder / "silent-key"],
                   env=silent | {"COFFER_VAULT": "silent"}, check=True, capture_output=True)
    silent["COFFER_VAULT"] = "silent"
    for name, url in [("http", f"http://127.0.0.1:{port}/vault.git"), ("git", f"git://127.0.0.1:{port}/vault.git")]:
        subprocess.run([coffer, "remote", "set", url], env=silent, capture_output=True, check=False)
        report(f"sync says that a remote does not answer ({name})", first_words([coffer, "sync"], silent), "s",
               SAID_TARGET)
    bus = folder / "bus"
    silent_listener(socket.AF_UNIX, str(bus))
    silent["DBUS_SESSION_BUS_ADDRESS"] = f"unix:path={bus}"
    for command in (["secret-service", "status"], ["doctor"], ["get", "nothing"]):
        report(f"coffer {' '.join(command)}, with a silent bus", first_words([coffer, *command], silent), "s",
               SAID_TARGET)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--idle", type=int, default=300)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="coffer-people.") as work:
        folder = Path(work)
        server = Server(folder)
        laptop, desktop = (Machine(folder / name, arguments.programs, server) for name in ("laptop", "desktop"))
        remote = f"ssh://127.0.0.1{folder}/vault.git"
        key = ["--no-passphrase", "--vault-key-file", folder / "key"]
        try:
            subprocess.run(["git", "init", "--quiet", "--bare", folder / "vault.git"], check=True)
            laptop.run("init", "--name", "laptop", *key)
            laptop.run("app", "add", ROOT / "Entitlements/PhotoPro.entitlements")
            laptop.run("remote", "set", remote)
            laptop.run("sync")
            desktop.run("clone", "--name", "desktop", *key, remote)
            for machine in (laptop, desktop):
                machine.start_service()
            measure_purchases(laptop, desktop, arguments.runs)
            measure_waking(desktop, arguments.idle)
            measure_silence(laptop, folder)
        finally:
            for machine in (laptop, desktop):
                if hasattr(machine, "service"):
                    machine.service.terminate()
                    machine.service.wait()
            server.process.terminate()
            server.process.wait()


main()
