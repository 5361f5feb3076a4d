"""Runs the tests of the inspector in a browser, and writes the result of each as a line of JSON.

    run.py --programs FOLDER --results FILE [--pictures] [--workers N] [NAME]...

A name is that of a test, a class or a module, such as `test_item.Item.test_name`. Without names, all tests run.
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).parent
PICTURES = HERE.parents[2] / ".build/screenshots"
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "Support/Python")]
# The sources stay free of compiled files.
sys.dont_write_bytecode = True

import python_tests  # noqa: E402


def main() -> int:
    parser = python_tests.parser(__doc__)
    parser.add_argument("--pictures", action="store_true",
                        help=f"takes screenshots of all pages, in {PICTURES}; those of failed tests are always taken")
    arguments = parser.parse_args()
    if not arguments.programs:
        parser.error("--programs is required")
    PICTURES.mkdir(parents=True, exist_ok=True)
    from inspector_test_case import InspectorTestCase, Suite

    def start():
        InspectorTestCase.suite = Suite(arguments.programs.resolve(), PICTURES, arguments.pictures)

    return python_tests.run(
        __file__, arguments, ["--pictures"] if arguments.pictures else [], start, lambda: InspectorTestCase.suite.end())


if __name__ == "__main__":
    sys.exit(main())
