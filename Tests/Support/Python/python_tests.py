"""What the programs run.py share, which run tests in Python and write the result of each as a line of JSON."""

import argparse
import faulthandler
import json
import pathlib
import subprocess
import sys
import time
import traceback
import unittest

# In seconds. A call into a browser can wait forever. After this time, the process prints the line that waits, and ends.
LONGEST_TEST = 600


class Results(unittest.TestResult):
    def __init__(self, file):
        super().__init__()
        self.file = file
        self.messages: dict[str, str] = {}

    def startTest(self, test):
        super().startTest(test)
        faulthandler.dump_traceback_later(LONGEST_TEST, exit=True)
        self.started = time.monotonic()

    def addFailure(self, test, error):
        super().addFailure(test, error)
        # A report shows the start of a message: it begins with the reason, and the places follow.
        reason = str(error[1]).strip().partition("\n")[0]
        self.messages[test.id()] = (
            self.messages.get(test.id(), "") + f"{reason[:200]}\n" + self._exc_info_to_string(error, test))

    addError = addFailure

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.messages[test.id()] = f"skipped: {reason}"

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error is not None:
            self.messages[test.id()] = (
                self.messages.get(test.id(), "") + f"{subtest._subDescription()}\n"
                + self._exc_info_to_string(error, test))

    def stopTest(self, test):
        faulthandler.cancel_dump_traceback_later()
        self.record(test.id(), self.messages.get(test.id()), time.monotonic() - self.started)
        super().stopTest(test)

    def record(self, name: str, message: str | None, seconds: float = 0):
        line = {"name": name, "passed": message is None, "message": message or "", "seconds": round(seconds, 1)}
        print(json.dumps(line), file=self.file, flush=True)
        verdict = "passed" if message is None else "" if message.startswith("skipped: ") else "FAILED"
        print(f"{verdict} {name} ({seconds:.1f} s)\n{message or ''}".strip())
        sys.stdout.flush()


def parser(description: str) -> argparse.ArgumentParser:
    """Returns a parser of the arguments that all programs have."""
    arguments = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--programs", type=pathlib.Path, help="the folder of the programs under test")
    arguments.add_argument("--results", type=pathlib.Path, required=True, help="the file to write")
    arguments.add_argument(
        "--workers", type=int, default=1, help="how many processes share the tests; each has everything of its own")
    arguments.add_argument("names", nargs="*")
    return arguments


def run(program: str, arguments: argparse.Namespace, options: list[str], start, end) -> int:
    """Runs the tests beside a program, and returns its exit code.

    With several workers, the program runs that often with options. Otherwise start is called before the tests, and end
    afterwards."""
    folder = str(pathlib.Path(program).parent)
    tests = [test for test in flat(unittest.defaultTestLoader.discover(folder))
             if not arguments.names or f"{test.id()}.".startswith(tuple(f"{name}." for name in arguments.names))]
    if arguments.workers > 1:
        return share(program, [test.id() for test in tests], arguments, options)
    with arguments.results.open("w") as file:
        results = Results(file)
        try:
            started = time.monotonic()
            start()
            print(f"Everything that the tests share is ready ({time.monotonic() - started:.1f} s)", flush=True)
        except Exception:
            for test in tests:
                results.record(test.id(), traceback.format_exc())
            return 1
        try:
            unittest.TestSuite(tests).run(results)
        finally:
            end()
    return 0 if results.wasSuccessful() else 1


def flat(suite):
    for entry in suite:
        if isinstance(entry, unittest.TestSuite):
            yield from flat(entry)
        else:
            yield entry


def share(program: str, names: list[str], arguments: argparse.Namespace, options: list[str]) -> int:
    """Runs the tests in several processes, and joins their results."""
    workers = []
    for number in range(arguments.workers):
        results = arguments.results.with_name(f"{arguments.results.name}-{number}")
        command = [sys.executable, program, "--results", results,
                   *(["--programs", arguments.programs] if arguments.programs else []), *options,
                   *names[number::arguments.workers]]
        workers.append((subprocess.Popen(command), results))
    codes = [worker.wait() for worker, _ in workers]
    lines = [line for _, results in workers if results.exists() for line in results.read_text().splitlines()]
    arguments.results.write_text("".join(f"{line}\n" for line in lines))
    # A process that has ended in the middle of a test has printed why.
    return max(codes, key=abs) if len(lines) == len(names) else 3
