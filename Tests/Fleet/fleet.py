#!/usr/bin/env python3
"""Runs a fleet of machines with one repository: see Scripts/fleet --help."""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from waiting_times import draw

APP = "com.example.photo.pro"
# A sync that takes longer fails the run. It bounds a failure, and is far beyond the target.
DEADLINE = 300
SECONDS_PER_YEAR = 31_557_600


class Machine:
    """A home folder, in which the real programs run as processes."""

    def __init__(self, fleet, number):
        self.fleet = fleet
        self.number = number
        self.home = fleet.work / f"machine-{number}"
        self.home.mkdir()
        # The shift of this machine's clock, in seconds.
        self.clock = 0
        self.remote = fleet.remote

    def run(self, *arguments, given=""):
        environment = {
            "HOME": str(self.home),
            "COFFER_HOME": str(self.home / "coffer"),
            "LANG": "C.UTF-8",
            "PATH": os.environ["PATH"],
        }
        if "COFFER_TEST_PASSPHRASE_COST" in os.environ:
            environment["COFFER_TEST_PASSPHRASE_COST"] = os.environ["COFFER_TEST_PASSPHRASE_COST"]
        command = [str(self.fleet.programs / "coffer"), *arguments]
        if self.clock:
            environment["FAKETIME_DONT_FAKE_MONOTONIC"] = "1"
            command = ["faketime", "-f", f"{self.clock:+d}s", *command]
        return subprocess.run(command, env=environment, input=given, capture_output=True, text=True, timeout=DEADLINE)

    def must(self, *arguments, given=""):
        outcome = self.run(*arguments, given=given)
        if outcome.returncode != 0:
            raise SystemExit(f"machine {self.number}: coffer {' '.join(arguments)}: {outcome.stderr or outcome.stdout}")
        return outcome.stdout

    def set(self, account):
        self.must("set", "fleet", account, "--app", APP, given=f"value of {account}")
        self.fleet.acknowledge(account)

    def sync(self, scenario):
        """Syncs, and records how long it took and whether it succeeded."""
        start = time.monotonic()
        try:
            outcome = self.run("sync", "--json")
            error = None if outcome.returncode == 0 else (outcome.stderr.strip() or f"exit {outcome.returncode}")
        except subprocess.TimeoutExpired:
            outcome, error = None, f"no end within {DEADLINE} seconds"
        report = json.loads(outcome.stdout) if outcome and outcome.stdout.startswith("{") else {}
        scenario.record(time.monotonic() - start, report.get("recordsInLanes", 0) > 0, error)

    def heads(self):
        """The hashes of the current versions of all items: two machines with the same hashes have the same items."""
        program = "SELECT hex(hash) FROM record WHERE head = 1 ORDER BY hash"
        store = self.home / "coffer/vaults/default/store.sqlite"
        return subprocess.run(["sqlite3", "-readonly", str(store), program], capture_output=True, text=True, check=True).stdout

    def accounts(self):
        rows = json.loads(self.must("list", "--app", APP, "--json"))
        return {row["account"] for row in rows if row["service"] == "fleet"}


class Fleet:
    """A bare repository, and machines that share a vault through it."""

    def __init__(self, programs, size, work):
        self.programs = programs
        self.work = work
        self.remote = work / "host/vault.git"
        self.acknowledged = set()
        self.lock = threading.Lock()
        subprocess.run(["git", "init", "--quiet", "--bare", str(self.remote)], check=True)
        self.machines = [Machine(self, number) for number in range(size)]
        first = self.machines[0]
        key = work / "vault-key"
        first.must("init", "--name", "machine-0", "--no-passphrase", "--vault-key-file", str(key))
        first.must("app", "add", str(Path(__file__).resolve().parents[2] / "Entitlements/PhotoPro.entitlements"))
        first.must("remote", "set", str(self.remote))
        first.must("sync")
        for machine in self.machines[1:]:
            machine.must(
                "clone", "--name", f"machine-{machine.number}", "--no-passphrase", "--vault-key-file", str(key),
                str(self.remote))
            if sys.stderr.isatty():
                print(f"\r{machine.number + 1} of {size} machines\033[K", end="\r", file=sys.stderr, flush=True)
        key.unlink()

    def acknowledge(self, account):
        with self.lock:
            self.acknowledged.add(account)

    def each(self, action, machines=None):
        """Runs an action on machines, all at once."""
        threads = [threading.Thread(target=action, args=(machine,)) for machine in machines or self.machines]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def settle(self):
        """Syncs twice, one machine after the other, so that each has what all others have."""
        for _ in range(2):
            for machine in self.machines:
                machine.must("sync")

    def check(self):
        """Returns what is wrong: differences between machines, and acknowledged items that are missing."""
        faults = []
        expected = self.machines[0].heads()
        different = [machine.number for machine in self.machines if machine.heads() != expected]
        if different:
            faults.append(f"{len(different)} machines differ from machine 0, such as {different[:5]}")
        missing = self.acknowledged - self.machines[0].accounts()
        if missing:
            faults.append(f"{len(missing)} acknowledged items are missing, such as {sorted(missing)[:5]}")
        check = self.machines[0].run("check")
        if check.returncode != 0:
            faults.append(f"check: {check.stderr.strip()}")
        branches = subprocess.run(
            ["git", "-C", str(self.remote), "for-each-ref", "--format=%(refname)", "refs/heads/lane-*"],
            capture_output=True, text=True, check=True).stdout.split()
        if branches:
            faults.append(f"{len(branches)} lanes are left")
        return faults


class Scenario:
    """What one scenario measured."""

    def __init__(self, name):
        self.name = name
        self.times = []
        self.lanes = 0
        self.errors = []
        self.faults = []
        self.lock = threading.Lock()
        self.start = time.monotonic()
        self.seconds = 0.0

    def record(self, seconds, used_lane, error):
        with self.lock:
            self.times.append(seconds)
            self.lanes += used_lane
            if error:
                self.errors.append(error)

    def end(self, fleet):
        self.seconds = time.monotonic() - self.start
        fleet.settle()
        self.faults = fleet.check()

    def quantile(self, part):
        times = sorted(self.times)
        return times[min(len(times) - 1, int(len(times) * part))]

    @property
    def is_sound(self):
        return not self.errors and not self.faults

    def row(self):
        succeeded = len(self.times) - len(self.errors)
        return (
            f"{self.name:<28}{succeeded:>6} of {len(self.times):<6}{self.lanes:>6}{self.quantile(0.5):>9.2f}"
            f"{self.quantile(0.95):>9.2f}{max(self.times):>9.2f}{self.seconds:>9.1f}  "
            + ("yes" if not self.faults else "NO")
        )


def burst(fleet, syncs):
    """Every machine writes and syncs, again and again, without a pause."""
    scenario = Scenario(f"burst, {len(fleet.machines)} × {syncs}")

    def work(machine):
        for number in range(syncs):
            machine.set(f"burst-{machine.number}-{number}")
            machine.sync(scenario)

    fleet.each(work)
    scenario.end(fleet)
    return scenario


def think(fleet, syncs, longest, seed):
    """Every machine writes and syncs, and pauses for a random time before."""
    scenario = Scenario(f"pauses, {len(fleet.machines)} × {syncs}")
    pauses = random.Random(seed)
    plan = {machine.number: [pauses.uniform(0, longest) for _ in range(syncs)] for machine in fleet.machines}

    def work(machine):
        for number, pause in enumerate(plan[machine.number]):
            time.sleep(pause)
            machine.set(f"pause-{machine.number}-{number}")
            machine.sync(scenario)

    fleet.each(work)
    scenario.end(fleet)
    return scenario


def partition(fleet, syncs):
    """Half of the machines use a copy of the host, which is then lost: they meet at the host again."""
    scenario = Scenario(f"partition, {len(fleet.machines)} × {syncs}")
    copy = fleet.work / "host/copy.git"
    subprocess.run(["cp", "-R", str(fleet.remote), str(copy)], check=True)
    away = fleet.machines[len(fleet.machines) // 2:]
    for machine in away:
        machine.must("remote", "set", str(copy))

    def work(machine):
        for number in range(syncs):
            machine.set(f"partition-{machine.number}-{number}")
            # Both halves also change one item.
            machine.must("set", "fleet", "shared", "--app", APP, given=f"{machine.number} {number}")
            machine.sync(scenario)

    fleet.each(work)
    shutil.rmtree(copy)
    for machine in away:
        machine.must("remote", "set", str(fleet.remote))
    fleet.acknowledge("shared")
    fleet.each(lambda machine: machine.sync(scenario))
    scenario.end(fleet)
    return scenario


def clocks(fleet, syncs, seed):
    """The clocks of the machines are up to ten years off."""
    scenario = Scenario(f"clocks, {len(fleet.machines)} × {syncs}")
    shifts = random.Random(seed)
    for machine in fleet.machines:
        machine.clock = shifts.randint(-10 * SECONDS_PER_YEAR, 10 * SECONDS_PER_YEAR)

    def work(machine):
        for number in range(syncs):
            machine.set(f"clock-{machine.number}-{number}")
            machine.sync(scenario)

    fleet.each(work)
    scenario.end(fleet)
    for machine in fleet.machines:
        machine.clock = 0
    return scenario


def epochs(fleet, syncs):
    """Half of the machines work on while an admin's machine begins other epochs, and the others come back later."""
    scenario = Scenario(f"epochs, {len(fleet.machines)} × {syncs}")
    present = fleet.machines[: len(fleet.machines) // 2]
    absent = fleet.machines[len(present):]

    def work(machine):
        for number in range(syncs):
            machine.set(f"epoch-{machine.number}-{number}")
            machine.sync(scenario)

    fleet.each(work)
    # The absent ones have written, and not synced.
    for machine in absent:
        machine.set(f"absent-{machine.number}")
    fleet.machines[0].must("compact")
    fleet.each(work, present)
    fleet.each(work, absent)
    scenario.end(fleet)
    return scenario


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--programs", type=Path, required=True)
    parser.add_argument("--machines", type=int)
    parser.add_argument("--syncs", type=int)
    parser.add_argument("--pause", type=float, default=60)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--svg", type=Path)
    parser.add_argument("scenarios", nargs="+")
    options = parser.parse_args()
    defaults = {"burst": (50, 10), "pauses": (200, 3), "partition": (20, 3), "clocks": (20, 3), "epochs": (20, 3)}
    print(f"seed {options.seed}")
    print(f"{'':<28}{'succeeded':>16}{'lanes':>6}{'median':>9}{'95 %':>9}{'worst':>9}{'total':>9}  same state")
    results = []
    for name in options.scenarios:
        machines, syncs = defaults[name]
        machines, syncs = options.machines or machines, options.syncs or syncs
        with tempfile.TemporaryDirectory(prefix="coffer-fleet.") as folder:
            fleet = Fleet(options.programs, machines, Path(folder))
            scenario = {
                "burst": lambda: burst(fleet, syncs),
                "pauses": lambda: think(fleet, syncs, options.pause, options.seed),
                "partition": lambda: partition(fleet, syncs),
                "clocks": lambda: clocks(fleet, syncs, options.seed),
                "epochs": lambda: epochs(fleet, syncs),
            }[name]()
        results.append(scenario)
        print(scenario.row(), flush=True)
        for line in scenario.faults + sorted(set(scenario.errors))[:5]:
            print(f"    {line}", flush=True)
    print("times of one sync, and of the scenario, in seconds")
    if options.svg:
        options.svg.write_text(draw([(scenario.name, scenario.times) for scenario in results]), encoding="utf-8")
        print(f"waiting times: {options.svg}")
    sys.exit(0 if all(scenario.is_sound for scenario in results) else 1)


main()
