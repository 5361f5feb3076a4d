#!/usr/bin/env python3
"""Builds the tests with mutants of the core, tests each mutant, and prints those that survive."""

import argparse
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor

import mutants
from mutants import ROOT, git

REASONS = ROOT / "Tests/Mutants/survivors.txt"
CORE_TESTS = r"^(CofferCryptoTests|CofferFormatTests|CofferTrustTests|CofferTests|VaultIntegrityTests)\."
# The tests that find most mutants of a module, which run before all others.
NEAREST = {"CofferCrypto": "CofferCryptoTests", "CofferFormat": "CofferFormatTests", "CofferTrust": "CofferTrustTests"}
REQUIRED_SHARE = 0.95


def read_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tests", default=CORE_TESTS)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--skip-build", action="store_true")
    parser.add_argument("numbers", type=int, nargs="*")
    return parser.parse_args()


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

    # A process that has used so many seconds of a processor is ended: most mutants without an end are loops.
    processor_limit = 3600

    def __init__(self):
        self.running = set()

    def fail(self, number, pattern, skipped="^$"):
        """Returns why the tests fail with a mutant, or None if they pass. Ends them at the first failure."""
        with tempfile.TemporaryDirectory(prefix="coffer-mutant.") as scratch:
            # Some tests run programs as another user, who must reach their files.
            os.chmod(scratch, 0o711)
            environment = os.environ | {"COFFER_MUTANT": str(number), "TMPDIR": scratch}
            environment.setdefault("COFFER_TEST_PASSPHRASE_COST", "floor")
            bundle = ROOT / ".build/debug/cofferPackageTests.xctest"
            limit = self.processor_limit
            process = subprocess.Popen(
                [bundle, "--testing-library", "swift-testing", "--filter", pattern, "--skip", skipped],
                cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)))
            # One that waits for what never comes.
            timer = threading.Timer(20 * limit, end, [process])
            timer.start()
            self.running.add(process)
            try:
                for line in process.stdout:
                    # In colours, even to a pipe.
                    plain = re.sub(r"\x1b\[\d*m", "", line)
                    if match := re.match(r"✘ Test (.+?) (?:recorded|failed|with)", plain):
                        return match[1]
                code = process.wait()
                if code == -signal.SIGKILL:
                    return "no end"
                return None if code == 0 else f"exit code {code}"
            finally:
                timer.cancel()
                end(process)
                process.wait()
                self.running.discard(process)


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
    tests = Tests()
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    if failure := tests.fail(0, arguments.tests):
        sys.exit(f"the tests fail without a mutant: {failure}")
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - used
    tests.processor_limit = int(2 * used) + 10
    print(f"{len(chosen) - len(invalid)} mutants; the tests take {used:.0f} s of a processor", flush=True)
    survivors = []

    def test_one(number):
        nearest = rf"^{NEAREST.get(chosen[number].file.split('/')[2], 'CofferTests')}\."
        failure = tests.fail(number, nearest) or tests.fail(number, arguments.tests, nearest)
        print(f"{'killed  ' if failure else 'SURVIVED'} {number:4} {chosen[number]}", flush=True)
        if failure:
            print(f"              {failure}", flush=True)
        else:
            survivors.append(number)

    pool = ThreadPoolExecutor(arguments.jobs)
    try:
        list(pool.map(test_one, [number for number in chosen if number not in invalid]))
    finally:
        # After Ctrl-C too, nothing goes on.
        pool.shutdown(wait=False, cancel_futures=True)
        for process in tests.running.copy():
            end(process)
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
        invalid = set() if arguments.skip_build else build(chosen)
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
