#!/usr/bin/env python3
"""Measures the secret service of Coffer beside gnome-keyring: see Scripts/bench --help.

Usage: secret-service.py --programs FOLDER [--items N] [--runs N]
"""

import argparse
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "SecretServiceTests/Clients"))
sys.dont_write_bytecode = True
from service import Coffer, GnomeKeyring  # noqa: E402

TARGET = 3


class Bench:
    """Both services hold the same items and take turns, because the speed of the machine varies."""

    def __init__(self, programs: Path, folder: Path):
        flags = subprocess.run(
            ["pkg-config", "--cflags", "--libs", "libsecret-1"], capture_output=True, text=True, check=True).stdout
        self.calls = folder / "secret-service-calls"
        subprocess.run(
            ["clang", "-O2", "-o", self.calls, HERE / "secret-service-calls.c", *shlex.split(flags)], check=True)
        self.services = []
        for name, kind in ("coffer", Coffer), ("gnome", GnomeKeyring):
            self.services.append(kind(folder / name, programs))
            self.services[-1].start()

    def end(self):
        for service in self.services:
            service.end()

    def turns(self, name: str, operation: str, numbers: list[int], count: int, target: int = TARGET):
        """Times calls over one connection, in as many turns as there are numbers, and prints the medians."""
        times, work = [[], []], [0, 0]
        for number in numbers:
            for index, service in enumerate(self.services):
                before = processor_time(service.process.pid)
                output = service.succeed(self.calls, operation, number, count, seconds=3600).decode()
                work[index] += processor_time(service.process.pid) - before
                times[index] += [int(line) for line in output.split()]
        calls = count * len(numbers)
        self.row(name, *times, target, f"; processor {work[0] / calls:.0f} of {work[1] / calls:.0f} µs")

    def processes(self, name: str, runs: int, command):
        """Times processes of secret-tool, by turns, and prints the medians."""
        times = [[], []]
        for run in range(-3, runs):
            for index, service in enumerate(self.services):
                arguments, text = command(max(run, 0))
                start = time.monotonic()
                service.succeed("secret-tool", *arguments, input=text)
                if run >= 0:
                    times[index].append((time.monotonic() - start) * 1e6)
        self.row(name, *times)

    def row(self, name: str, own: list[float], other: list[float], target: int = TARGET, more: str = ""):
        own_median, other_median = statistics.median(own), statistics.median(other)
        ratio = other_median / own_median
        verdict = "" if ratio >= target else f", MISSED: at least {target} times"
        print(f"  {name:30} {own_median:7.0f} µs   gnome-keyring {other_median:7.0f} µs   "
              f"{ratio:5.2f} times as fast{verdict}{more}", flush=True)


def processor_time(process: int) -> float:
    """The time in microseconds for which the threads of a process have run."""
    tasks = Path(f"/proc/{process}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--programs", type=Path, required=True)
    parser.add_argument("--items", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=30)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="coffer-bench."))
    bench = Bench(options.programs.resolve(), folder)
    items, part = options.items, options.items // 10
    try:
        print(f" one connection, libsecret, up to {items} items")
        bench.turns("Ping, of libsecret and the bus", "ping", [0] * 10, part, target=0)
        bench.turns("store", "store", list(range(0, items, part)), part)
        bench.turns("lookup of one item", "lookup", [items] * 10, part)
        bench.turns("search for one item", "search", [items] * 10, part)
        bench.turns(f"search for all {items} items", "all", [items] * 5, 10)
        print(f" processes of secret-tool, {items} items")
        bench.processes("secret-tool lookup", options.runs, lambda run: (
            ["lookup", "service", "bench", "account", f"account-{run}"], b""))
        bench.processes("secret-tool store", options.runs, lambda run: (
            ["store", f"--label=new {run}", "service", "new", "account", f"account-{run}"], b"value"))
        bench.processes("secret-tool search", options.runs, lambda run: (
            ["search", "service", "bench", "account", f"account-{run}"], b""))
    finally:
        bench.end()
        shutil.rmtree(folder, ignore_errors=True)


main()
