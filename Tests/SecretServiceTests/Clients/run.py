"""Runs the tests of the clients of secret services, and writes the result of each as a line of JSON.

    run.py --results FILE [--programs FOLDER] [--service NAME] [--workers N] [NAME]...

A name is that of a test, a class or a module, such as test_values.Values.test_name. Without names, all tests run. With
--service gnome-keyring, they run against that instead of the programs of Coffer, except tests of what only Coffer promises.
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "Support/Python")]
# The sources stay free of compiled files.
sys.dont_write_bytecode = True

import python_tests  # noqa: E402


def main() -> int:
    parser = python_tests.parser(__doc__)
    parser.add_argument("--service", choices=["coffer", "gnome-keyring"], default="coffer")
    arguments = parser.parse_args()
    if arguments.service == "coffer" and not arguments.programs:
        parser.error("--programs is required")
    from client_test_case import ClientTestCase, Suite

    def start():
        ClientTestCase.suite = Suite(arguments.service, arguments.programs and arguments.programs.resolve())

    return python_tests.run(
        __file__, arguments, ["--service", arguments.service], start, lambda: ClientTestCase.suite.end())


if __name__ == "__main__":
    sys.exit(main())
