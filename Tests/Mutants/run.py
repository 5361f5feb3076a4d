#!/usr/bin/env python3
"""Builds the tests with mutants of the core, tests each mutant, and prints those that survive."""

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import mutants

ROOT = Path(__file__).resolve().parents[2]
REASONS = ROOT / "Tests/Mutants/survivors.txt"
CORE_TESTS = r"^(CofferCryptoTests|CofferFormatTests|CofferTrustTests|CofferTests)\."
REQUIRED_SHARE = 0.95


def read_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tests", default=CORE_TESTS)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--list", action="store_true")
    parser.add_argument("numbers", type=int, nargs="*")
    return parser.parse_args()


def git(*arguments):
    return subprocess.run(["git", "-C", ROOT, *arguments], check=True, capture_output=True, text=True).stdout


def build(chosen):
    """Compiles the tests with the mutants. Returns the numbers of those that are no Swift, which are left out."""
    invalid = set()
    while True:
        git("checkout", "--", "Sources/Core")
        mutants.write(ROOT, {number: mutant for number, mutant in chosen.items() if number not in invalid})
        command = ["swift", "build", "--traits", "Programs", "--build-tests"]
        result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        if result.returncode == 0:
            return invalid
        errors = re.findall(r"(Sources/Core/\S+?):(\d+):\d+: error", result.stdout + result.stderr)
        found = {
            number
            for number, mutant in chosen.items()
            if (mutant.file, str(mutant.line)) in errors and number not in invalid
        }
        if not found:
            sys.exit(result.stdout[-4000:] + result.stderr[-4000:])
        invalid |= found


class Tests:
    """The process of the tests, which is started once for each mutant."""

    def __init__(self, pattern):
        self.pattern = pattern
        self.timeout = 3600

    def fail(self, number):
        """Returns why the tests fail with a mutant, or None if they pass. Ends them at the first failure."""
        with tempfile.TemporaryDirectory(prefix="coffer-mutant.") as scratch:
            environment = os.environ | {"COFFER_MUTANT": str(number), "TMPDIR": scratch}
            environment.setdefault("COFFER_TEST_PASSPHRASE_COST", "floor")
            bundle = ROOT / ".build/debug/cofferPackageTests.xctest"
            process = subprocess.Popen(
                [bundle, "--testing-library", "swift-testing", "--filter", self.pattern],
                cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
            expired = threading.Event()
            limit = threading.Timer(self.timeout, lambda: (expired.set(), end(process)))
            limit.start()
            try:
                for line in process.stdout:
                    if match := re.match(r"✘ Test (.+?) (?:recorded|failed|with)", line):
                        return match[1]
                code = process.wait()
                if expired.is_set():
                    return "no end"
                return None if code == 0 else f"exit code {code}"
            finally:
                limit.cancel()
                end(process)
                process.wait()


def end(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def read_reasons():
    """Reads the survivors that are known, each with its reason: the mutant in a line, then the reason, indented."""
    reasons, key = {}, None
    for line in REASONS.read_text().splitlines():
        if line.startswith("  ") and key:
            reasons[key] = f"{reasons[key]} {line.strip()}".strip()
        elif line and not line.startswith("#"):
            key = line
            reasons[key] = ""
    return reasons


def test(chosen, invalid, arguments):
    """Tests the mutants. Returns the numbers of those that survive."""
    tests = Tests(arguments.tests)
    start = time.monotonic()
    if failure := tests.fail(0):
        sys.exit(f"the tests fail without a mutant: {failure}")
    tests.timeout = 4 * (time.monotonic() - start) + 60
    print(f"{len(chosen) - len(invalid)} mutants; the tests take {time.monotonic() - start:.0f} s", flush=True)
    survivors = []

    def test_one(number):
        failure = tests.fail(number)
        print(f"{'killed  ' if failure else 'SURVIVED'} {number:4} {chosen[number]}", flush=True)
        if failure:
            print(f"              {failure}", flush=True)
        else:
            survivors.append(number)

    with ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(test_one, [number for number in chosen if number not in invalid]))
    return sorted(survivors)


def main():
    arguments = read_arguments()
    chosen = dict(enumerate(mutants.choose(ROOT, arguments.count, arguments.seed), 1))
    if arguments.numbers:
        chosen = {number: chosen[number] for number in arguments.numbers}
    if arguments.list:
        for number, mutant in chosen.items():
            print(f"{number:4} {mutant}")
        return
    if git("status", "--porcelain", "--", "Sources/Core"):
        sys.exit("mutants: Sources/Core has changes: commit them first")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        invalid = build(chosen)
        survivors = test(chosen, invalid, arguments)
    finally:
        git("checkout", "--", "Sources/Core")
    reasons = read_reasons()
    unexplained = [number for number in survivors if not reasons.get(chosen[number].key)]
    for number in survivors:
        print(f"survivor {number}: {chosen[number]}: {reasons.get(chosen[number].key) or 'NO REASON'}")
    tested = len(chosen) - len(invalid)
    share = (tested - len(survivors)) / tested
    print(f"{tested - len(survivors)} of {tested} mutants were found, {share:.1%}; {len(unexplained)} without a reason")
    if unexplained or share < REQUIRED_SHARE:
        sys.exit(1)


main()
