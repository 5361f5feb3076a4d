"""Finds the places of the core that can be changed into a fault, and writes the changes into the sources."""

import random
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CORE = ["CofferCrypto", "CofferFormat", "CofferTrust", "CofferKeys", "Coffer/Engine"]

CONDITION = re.compile(r"^(\s*)(guard|if|while) (.+?)( else \{.*| \{.*)$")
CHECK = re.compile(r"^(\s*)(try (?:\w+\.)*(?:require|check|verify|validate)\w*\(.*\))$")
OPERAND = r"[\w.]+(?:\([\w.]*\))?(?:\[[\w.]+\])?"
COMPARISON = re.compile(rf"(?<![\w.!&|?:+*/-] )(?<![\w.!])({OPERAND}) (<|>|<=|>=) ({OPERAND})(?! [-+*/&|?.])(?=[\s,){{]|$)")
SWAPPED = {"<": "<=", ">": ">=", "<=": "<", ">=": ">"}
# What a function of every changed file asks: whether a mutant is the selected one.
QUESTION = """
private import Foundation

private let selectedMutant = ProcessInfo.processInfo.environment["COFFER_MUTANT"].flatMap { Int($0) }

private func mutates(_ number: Int) -> Bool { selectedMutant == number }
"""


def git(*arguments):
    return subprocess.run(["git", "-C", ROOT, *arguments], check=True, capture_output=True, text=True).stdout


@dataclass(frozen=True)
class Mutant:
    """One change: `before` of a line of a file becomes `after`."""

    file: str
    line: int
    kind: str
    before: str
    after: str
    # What is written into the source, with NUMBER in the place of the number.
    both: str

    def __str__(self):
        return f"{self.file}:{self.line}: {self.kind}: {self.before.strip()} -> {self.after.strip()}"

    @property
    def key(self):
        """What finds the mutant again after lines have moved."""
        return f"{self.file}: {self.before.strip()} -> {self.after.strip()}"


def is_one_expression(condition):
    """Whether a condition can be passed as a value: it binds nothing, and its brackets and texts end in it."""
    if re.search(r"\b(let|var|case|try|await|unsafe)\b|#", condition):
        return False
    balance = re.sub(r'"[^"\\]*"', "", condition)
    return "{" not in condition and condition.count('"') % 2 == 0 and balance.count("(") == balance.count(")")


def parts(condition):
    """Splits a condition at the commas that are not in brackets or texts, into pairs of a place and a text."""
    start = depth = 0
    in_text = False
    for index, character in enumerate(condition + ","):
        in_text ^= character == '"'
        if in_text:
            continue
        depth += character in "([{"
        depth -= character in ")]}"
        if character == "," and depth == 0:
            text = condition[start:index]
            yield start + len(text) - len(text.lstrip()), text.strip()
            start = index + 1


def mutants_of(root, path):
    file = str(path.relative_to(root))
    found = []
    lines = path.read_text().split("\n")
    for number, text in enumerate(lines, 1):
        if text.lstrip().startswith(("//", "///")) or "@inlinable" in lines[max(0, number - 3) : number]:
            continue
        if match := CHECK.match(text):
            indent, call = match.groups()
            both = f"{indent}if !mutates(NUMBER) {{ {call} }}"
            found.append(Mutant(file, number, "a check is left out", call, "", both))
            continue
        match = CONDITION.match(text)
        if not match:
            continue
        indent, word, condition, rest = match.groups()
        for start, part in parts(condition):
            if is_one_expression(part):
                negated = f"{condition[:start]}mutates(NUMBER) != ({part}){condition[start + len(part):]}"
                both = f"{indent}{word} {negated}{rest}"
                found.append(Mutant(file, number, "a condition is negated", part, f"!({part})", both))
        for comparison in COMPARISON.finditer(condition):
            left, operator, right = comparison.groups()
            changed = f"{left} {SWAPPED[operator]} {right}"
            choice = f"(mutates(NUMBER) ? {changed} : {comparison[0]})"
            new = condition[: comparison.start()] + choice + condition[comparison.end() :]
            found.append(
                Mutant(file, number, "a bound is moved", comparison[0], changed, f"{indent}{word} {new}{rest}")
            )
    return found


def choose(root, count, seed):
    """Returns `count` mutants of the core, at most one for each line, in the order of the files."""
    every = []
    for module in CORE:
        for path in sorted((root / "Sources/Core" / module).rglob("*.swift")):
            every += mutants_of(root, path)
    random.Random(seed).shuffle(every)
    chosen, lines = [], set()
    for mutant in every:
        if len(chosen) < count and (mutant.file, mutant.line) not in lines:
            lines.add((mutant.file, mutant.line))
            chosen.append(mutant)
    return sorted(chosen, key=lambda mutant: (mutant.file, mutant.line))


def write(root, chosen):
    """Writes mutants, by their numbers, into the sources."""
    by_file = {}
    for number, mutant in chosen.items():
        by_file.setdefault(mutant.file, []).append((number, mutant))
    for file, changes in by_file.items():
        path = Path(root) / file
        lines = path.read_text().split("\n")
        for number, mutant in changes:
            lines[mutant.line - 1] = mutant.both.replace("NUMBER", str(number))
        path.write_text(with_question("\n".join(lines)))


def with_question(text):
    """Returns the text of a source file with what its mutants ask."""
    if re.search(r"^(public |package |internal |private )?import Foundation$", text, re.MULTILINE):
        return text + QUESTION.replace("private import Foundation\n\n", "")
    return text + QUESTION
