"""Runs the tests of the clients of secret services, and writes the result of each as a line of JSON.

    run.py --results FILE [--programs FOLDER] [--service NAME] [--workers N] [NAME]...

A name is that of a test, a class or a module, such as test_values.Values.test_name. Without names, all tests run. With
--service gnome-keyring, they run against that instead of the programs of Coffer, except tests of what only Coffer promises.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import time
import traceback
import unittest

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))
# The sources stay free of compiled files.
sys.dont_write_bytecode = True


class Results(unittest.TestResult):
    def __init__(self, file):
        super().__init__()
        self.file = file
        self.messages: dict[str, str] = {}

    def startTest(self, test):
        super().startTest(test)
        self.started = time.monotonic()

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.messages[test.id()] = self.messages.get(test.id(), "") + self._exc_info_to_string(error, test)

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
        self.record(test.id(), self.messages.get(test.id()), time.monotonic() - self.started)
        super().stopTest(test)

    def record(self, name: str, message: str | None, seconds: float = 0):
        line = {"name": name, "passed": message is None, "message": message or "", "seconds": round(seconds, 1)}
        print(json.dumps(line), file=self.file, flush=True)
        verdict = "passed" if message is None else "" if message.startswith("skipped: ") else "FAILED"
        print(f"{verdict} {name} ({seconds:.1f} s)\n{message or ''}".strip())
        sys.stdout.flush()


def flat(suite):
    for entry in suite:
        if isinstance(entry, unittest.TestSuite):
            yield from flat(entry)
        else:
            yield entry


def share(names: list[str], arguments: argparse.Namespace) -> int:
    """Runs the tests in several processes, and joins their results."""
    workers = []
    for number in range(arguments.workers):
        results = arguments.results.with_name(f"{arguments.results.name}-{number}")
        command = [sys.executable, __file__, "--results", results, "--service", arguments.service,
                   *(["--programs", arguments.programs] if arguments.programs else []),
                   *names[number::arguments.workers]]
        workers.append((subprocess.Popen(command), results))
    codes = [worker.wait() for worker, _ in workers]
    arguments.results.write_text("".join(results.read_text() for _, results in workers if results.exists()))
    return max(codes, key=abs)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=pathlib.Path, required=True, help="the file to write")
    parser.add_argument("--programs", type=pathlib.Path, help="the folder of the programs under test")
    parser.add_argument("--service", choices=["coffer", "gnome-keyring"], default="coffer")
    parser.add_argument("--workers", type=int, default=1,
                        help="how many processes share the tests; each has a service of its own")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    if arguments.service == "coffer" and not arguments.programs:
        parser.error("--programs is required")
    tests = [test for test in flat(unittest.defaultTestLoader.discover(str(HERE)))
             if not arguments.names or f"{test.id()}.".startswith(tuple(f"{name}." for name in arguments.names))]
    if arguments.workers > 1:
        return share([test.id() for test in tests], arguments)
    with arguments.results.open("w") as file:
        results = Results(file)
        try:
            from client_test_case import ClientTestCase, Suite

            ClientTestCase.suite = Suite(arguments.service, arguments.programs and arguments.programs.resolve())
        except Exception:
            for test in tests:
                results.record(test.id(), traceback.format_exc())
            return 1
        try:
            unittest.TestSuite(tests).run(results)
        finally:
            ClientTestCase.suite.end()
    return 0 if results.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
