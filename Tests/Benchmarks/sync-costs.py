#!/usr/bin/env python3
"""Measures syncs beside git on the same objects, and the growth of a repository: see Scripts/bench --help.

Usage: sync-costs.py --programs FOLDER [--sizes N,N,...] [--runs N] [--growth SYNCS]
"""

import argparse
import json
import os
import resource
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

APP = "com.example.benchmark"
PLIST = f"""<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0"><dict>
<key>application-identifier</key><string>$(AppIdentifierPrefix){APP}</string>
</dict></plist>
"""
# What sync may cost, as a multiple of what git takes for the same objects, and the seconds for folding 100000 records.
TARGET, FOLDING_TARGET = 1.5, 10
missed = []


class Cost(NamedTuple):
    """The milliseconds that a command took, and the processor time of it and of all that it has started."""

    elapsed: float = 0
    processor: float = 0

    def __add__(self, other):
        return Cost(self.elapsed + other.elapsed, self.processor + other.processor)


def processor_time():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(command, environment=None, cwd=None):
    """Runs a command to its end. Returns its standard output and its cost."""
    start, used = time.perf_counter(), processor_time()
    outcome = subprocess.run(command, env=environment, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True)
    cost = Cost((time.perf_counter() - start) * 1000, (processor_time() - used) * 1000)
    if outcome.returncode != 0:
        sys.exit(f"sync-costs: {' '.join(map(str, command))}: {(outcome.stderr or outcome.stdout).decode()}")
    return outcome.stdout, cost


def folder_bytes(folder):
    return sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())


class Machine:
    """A home folder, in which the real programs run as processes."""

    def __init__(self, work, programs, name):
        self.programs = programs
        self.home = work / name
        self.home.mkdir(parents=True)
        self.vault = self.home / "vaults/default"
        self.environment = {
            "HOME": str(self.home), "COFFER_HOME": str(self.home), "LANG": "C.UTF-8", "PATH": os.environ["PATH"]}

    def coffer(self, *arguments):
        return run([str(self.programs / "coffer"), *map(str, arguments)], self.environment)

    def items(self, task, count):
        return run([str(self.programs / "ItemBenchmark"), task, str(self.vault), str(count)], self.environment)

    def sync(self):
        """Syncs. Returns the report and the cost."""
        output, cost = self.coffer("sync", "--json")
        return json.loads(output), cost

    def folding_sync(self):
        """Syncs. Returns the time from the beginning of the import on, and the processor time of the whole sync."""
        command = [str(self.programs / "coffer"), "sync", "--json", "--progress"]
        child = subprocess.Popen(
            command, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        begin, used = None, processor_time()
        for line in child.stderr:
            if begin is None and '"importing"' in line:
                begin = time.perf_counter()
        if child.wait() != 0 or begin is None:
            sys.exit("sync-costs: a sync that imports failed")
        return Cost((time.perf_counter() - begin) * 1000, (processor_time() - used) * 1000)


class Vault:
    """A vault with one machine and a bare repository."""

    def __init__(self, work, programs):
        self.work = work
        self.programs = programs
        self.remote = work / "remote.git"
        self.key = work / "key"
        run(["git", "init", "--quiet", "--bare", str(self.remote)])
        self.machine = Machine(work, programs, "first")
        self.machine.coffer("init", "--name", "first", "--no-passphrase", "--vault-key-file", self.key)
        plist = work / "benchmark.plist"
        plist.write_text(PLIST)
        self.machine.coffer("app", "add", plist)
        self.machine.coffer("remote", "set", self.remote)
        self.machine.sync()

    def clone(self, name):
        """Clones the vault. Returns the machine and the cost."""
        machine = Machine(self.work, self.programs, name)
        _, cost = machine.coffer(
            "clone", "--name", name, "--no-passphrase", "--vault-key-file", self.key, self.remote)
        return machine, cost

    def git(self, *arguments):
        return run(["git", "-C", str(self.remote), *arguments])[0]

    def branch(self):
        """The branch of the epoch, which is the only one with a history beside the README."""
        names = self.git("for-each-ref", "--format=%(refname:short)", "refs/heads/vault-*").decode().split()
        return names[-1]


class PlainGit:
    """A copy of a vault's repository, and clones of it in which plain git does what Coffer does."""

    def __init__(self, work, vault):
        self.work = work
        self.branch = vault.branch()
        self.remote = work / "plain.git"
        shutil.copytree(vault.remote, self.remote)
        self.environment = {
            "HOME": str(work), "PATH": os.environ["PATH"], "LC_ALL": "C", "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "bench", "GIT_AUTHOR_EMAIL": "bench@localhost",
            "GIT_COMMITTER_NAME": "bench", "GIT_COMMITTER_EMAIL": "bench@localhost"}
        self.relays = {service: self.make_relay(service) for service in ("upload-pack", "receive-pack")}
        self.sender, _ = self.clone("plain-sender")
        self.receiver, _ = self.clone("plain-receiver")

    def make_relay(self, service):
        """A program that does what git-SERVICE does, and appends what passes through it to two files."""
        relay = self.work / f"relay-{service}"
        relay.write_text(
            f'#!/bin/sh\ntee -a "{self.work}/to-remote" | git {service} "$@" | tee -a "{self.work}/from-remote"\n')
        relay.chmod(0o755)
        return relay

    def clone(self, name):
        folder = self.work / name
        _, cost = run(
            ["git", "clone", "--quiet", "--no-local", "--branch", self.branch, str(self.remote), str(folder)],
            self.environment)
        return folder, cost

    def shell(self, folder, script, counted=False):
        """Runs a script in a clone. Returns the cost or, if counted, the bytes of the transfers."""
        for name in ("to-remote", "from-remote"):
            (self.work / name).write_bytes(b"")
        if counted:
            options = " ".join(
                f"-c remote.origin.{service.replace('-', '')}='{relay}'" for service, relay in self.relays.items())
            script = script.replace("git fetch", f"git {options} fetch").replace("git push", f"git {options} push")
            script = script.replace("git pull", f"git {options} pull")
        _, cost = run(["sh", "-c", script], self.environment, cwd=folder)
        if not counted:
            return cost
        return sum((self.work / name).stat().st_size for name in ("to-remote", "from-remote"))

    FETCH = "git fetch --quiet"
    RECEIVE = "git pull --quiet --ff-only"

    @property
    def send(self):
        return (f"git add --all && git commit --quiet --message=Sync && git fetch --quiet && "
                f"git push --quiet origin HEAD:{self.branch}")

    def write(self, files):
        """Writes files with their contents into the sender's working tree."""
        for path, content in files.items():
            file = self.sender / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)


class Case:
    """Costs and bytes of one operation, of Coffer and of git in turn."""

    def __init__(self, name):
        self.name = name
        self.costs, self.plain_costs, self.bytes, self.plain_bytes = [], [], [], []

    def ratio(self, measure):
        return statistics.median(measure(a) / measure(b) for a, b in zip(self.costs, self.plain_costs))

    def report(self, size):
        elapsed = statistics.median(cost.elapsed for cost in self.costs)
        plain_elapsed = statistics.median(cost.elapsed for cost in self.plain_costs)
        ratio = self.ratio(lambda cost: cost.elapsed)
        processor = self.ratio(lambda cost: max(cost.processor, 1))
        byte_count, plain_count = statistics.median(self.bytes), statistics.median(self.plain_bytes)
        byte_ratio = byte_count / plain_count
        print(f"  {self.name:<22}{elapsed:9.1f} ms {plain_elapsed:9.1f} ms {ratio:6.2f} ×"
              f"{mark(ratio, f'{self.name}, {size} items')}{processor:6.2f} × "
              f"{byte_count:9.0f} B {plain_count:9.0f} B {byte_ratio:6.2f} ×"
              f"{mark(byte_ratio, f'{self.name}, {size} items, bytes')}")
        return elapsed, ratio, processor, byte_ratio


def mark(ratio, name):
    """A mark behind a ratio, and a line at the end, if the target is missed."""
    if ratio <= TARGET:
        return " "
    missed.append(f"{name}: {ratio:.2f} × (target {TARGET} ×)")
    return "!"


def measure(vault, plain, receiver, runs, changes):
    """Measures syncs that send and receive a number of changes."""
    noun = "1 change" if changes == 1 else f"{changes} changes"
    sent, received = Case(f"{noun}, sent"), Case(f"{noun}, received")
    # The first turn is not timed: it fills the caches, and counts git's bytes.
    for turn in range(-1, runs):
        vault.machine.items("change", changes)
        report, cost = vault.machine.sync()
        files = {
            path: vault.git("cat-file", "blob", f"{plain.branch}:{path}")
            for path in vault.git("diff-tree", "--no-commit-id", "--name-only", "-r", plain.branch).decode().split()}
        plain.write(files)
        plain_sent = plain.shell(plain.sender, plain.send, counted=turn < 0)
        receiver_report, receiver_cost = receiver.sync()
        plain_received = plain.shell(plain.receiver, plain.RECEIVE, counted=turn < 0)
        if receiver_report["recordsReceived"] != report["recordsSent"] or report["recordsSent"] == 0:
            sys.exit("sync-costs: the second machine has not received what the first one has sent")
        if turn < 0:
            sent.plain_bytes, received.plain_bytes = [plain_sent], [plain_received]
            continue
        sent.costs.append(cost)
        sent.plain_costs.append(plain_sent)
        sent.bytes.append(report["bytesSent"] + report["bytesReceived"])
        received.costs.append(receiver_cost)
        received.plain_costs.append(plain_received)
        received.bytes.append(receiver_report["bytesSent"] + receiver_report["bytesReceived"])
    return [sent, received]


def measure_idle(vault, plain, runs):
    """Measures syncs that find nothing to do."""
    case = Case("no change")
    case.plain_bytes = [plain.shell(plain.sender, plain.FETCH, counted=True)]
    for _ in range(runs):
        report, cost = vault.machine.sync()
        case.costs.append(cost)
        case.bytes.append(report["bytesSent"] + report["bytesReceived"])
        case.plain_costs.append(plain.shell(plain.sender, plain.FETCH))
    return [case]


def measure_first_secret(vault, plain, size, folding, runs):
    """Measures a clone and a first get on a new machine."""
    costs, plain_costs = [], []
    for turn in range(runs):
        machine, cost = vault.clone(f"new-{turn}")
        output, get = machine.coffer("get", "service-7.example.com", "account-7", "--app", APP)
        if len(output) < 64:
            sys.exit("sync-costs: a new machine does not have the secret")
        costs.append(cost + get)
        folder, plain_cost = plain.clone(f"plain-new-{turn}")
        plain_costs.append(plain_cost)
        shutil.rmtree(machine.home)
        shutil.rmtree(folder)
    print("  first secret on a new machine, beside git clone and folding:")
    units = {"s": lambda cost: cost.elapsed / 1000, "s of processor time": lambda cost: cost.processor / 1000}
    for unit, measure in units.items():
        value = statistics.median(map(measure, costs))
        plain_value, folding_value = statistics.median(map(measure, plain_costs)), measure(folding)
        limit = TARGET * plain_value + folding_value
        print(f"    {value:.2f} {unit}, git clone {plain_value:.2f}, folding {folding_value:.2f}; "
              f"target {TARGET} × git clone + folding = {limit:.2f}{'' if value <= limit else '!'}")
        if value > limit:
            missed.append(f"first secret on a new machine, {size} items: {value:.2f} {unit} (target {limit:.2f})")


def measure_size(work, programs, size, runs):
    vault = Vault(work, programs)
    receiver, _ = vault.clone("second")
    vault.machine.items("fill", size)
    _, pushing = vault.machine.sync()
    folding = receiver.folding_sync()
    plain = PlainGit(work, vault)
    files = len(vault.git("ls-tree", "-r", "--name-only", plain.branch).split())
    seconds = folding.elapsed / 1000
    print(f"\n{size} items in {files} files; the first push took {pushing.elapsed / 1000:.2f} s, and folding the "
          f"records on another machine {seconds:.2f} s ({folding.processor / 1000:.2f} s of processor time)")
    if size == 100_000 and seconds > FOLDING_TARGET:
        missed.append(f"folding {size} records: {seconds:.2f} s (target {FOLDING_TARGET} s)")
    print(f"  {'':<22}{'coffer':>12} {'git':>12} {'time':>8} {'proc.':>8} {'coffer':>11} {'git':>11} {'bytes':>8}")
    cases = measure_idle(vault, plain, runs)
    for changes in (1, 100):
        cases += measure(vault, plain, receiver, runs, changes)
    results = {case.name: case.report(size) for case in cases}
    measure_first_secret(vault, plain, size, folding, 3 if size <= 10_000 else 1)
    return results


def report_sizes(results):
    """Prints how the costs depend on the number of items."""
    sizes = sorted(results)
    print("\nby number of items: milliseconds, and the ratios to git of time, processor time and bytes")
    print(" " * 24 + "".join(f"{size:>32}" for size in sizes))
    for name in results[sizes[0]]:
        cells = ("{:.1f} ms {:.2f} × {:.2f} × {:.2f} ×".format(*results[size][name]) for size in sizes)
        print(f"  {name:<22}" + "".join(f"{cell:>32}" for cell in cells))


def epoch_limit(store):
    """The bytes of segments at which the last machine begins another epoch: see EpochLimit in the sources."""
    record = "ifnull(sum(length(signed) + length(attributes) + length(value) + 17), 0) FROM record WHERE head = 1"
    superseded = "ifnull(sum(length(signed) + 5), 0) FROM record WHERE head = 0 AND standing = 1"
    skeletons = "ifnull(sum(length(signed) + 5), 0) FROM skeleton"
    connection = sqlite3.connect(f"file:{store}?mode=ro", uri=True)
    try:
        queries = (record, superseded, skeletons)
        current, *others = (connection.execute(f"SELECT {query}").fetchone()[0] for query in queries)
    finally:
        connection.close()
    return 1.25 * max(8 << 20, 4 * current + sum(others))


def measure_growth(work, programs, syncs):
    """Prints the sizes of a repository and its cache as syncs go on, each with 100 changes in a vault of 1000 items."""
    vault = Vault(work, programs)
    vault.machine.items("fill", 1_000)
    vault.machine.sync()
    cache = vault.machine.vault / "cache.git"
    print(f"growth over {syncs} syncs of 100 changes each, in a vault of 1000 items; sizes in kB")
    print(f"  {'syncs':>6}{'epoch':>7}{'snapshot':>10}{'segments':>10}{'limit':>8}{'reachable':>11}{'on disk':>10}"
          f"{'cache':>9}{'store':>9}{'sent in all':>13}")
    sent = 0
    for turn in range(syncs + 1):
        if turn > 0:
            vault.machine.items("change", 100)
            report, _ = vault.machine.sync()
            sent += report["bytesSent"]
        if turn % max(1, syncs // 10) == 0:
            status = json.loads(vault.machine.coffer("status", "--json")[0])
            snapshot, segments = status["snapshotByteCount"], status["epochByteCount"]
            limit = epoch_limit(vault.machine.vault / "store.sqlite")
            reachable = int(vault.git("rev-list", "--disk-usage", "--objects", "--all"))
            row = (snapshot, segments, limit, reachable, folder_bytes(vault.remote), folder_bytes(cache),
                   folder_bytes(vault.machine.vault) - folder_bytes(cache), sent)
            widths = (10, 10, 8, 11, 10, 9, 9, 13)
            print(f"  {turn:>6}{status['epoch']:>7}"
                  + "".join(f"{value / 1000:>{width}.0f}" for value, width in zip(row, widths)), flush=True)
            # A limit is computed again after each MiB.
            if segments > limit + (2 << 20):
                missed.append(f"growth: {segments} bytes of segments after {turn} syncs (target {limit:.0f})")
    vault.git("-c", "gc.reflogExpire=now", "gc", "--quiet", "--prune=now")
    print(f"  after git gc --prune=now at the host, {folder_bytes(vault.remote) / 1000:.0f} kB on its disk")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", type=Path, required=True)
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--growth", type=int)
    options = parser.parse_args()
    if options.growth is not None:
        with tempfile.TemporaryDirectory() as work:
            measure_growth(Path(work), options.programs, options.growth)
    else:
        results = {}
        for size in map(int, options.sizes.split(",")):
            with tempfile.TemporaryDirectory() as work:
                results[size] = measure_size(Path(work), options.programs, size, options.runs)
        if len(results) > 1:
            report_sizes(results)
    for line in missed:
        print(f"  missed: {line}")


if __name__ == "__main__":
    main()
