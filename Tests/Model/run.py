#!/usr/bin/env python3
"""Checks the models of the protocol: see Scripts/model --help."""

import argparse
import importlib
import os
import re
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from checker import search

NAMES = ("forks", "keys", "records", "epochs", "branches", "lanes", "invitations", "claims")
ROOT = Path(__file__).resolve().parents[2]
FORMAT = "Sources/Core/Coffer/Coffer.docc/FORMAT.md"


def load(name):
    return importlib.import_module(name).MODEL


def run(name, broken):
    """Searches a model, in a process of its own."""
    return broken, search(load(name), frozenset({broken} if broken else ()))


def run_all(tasks):
    """Yields the outcome of each pair of a model and a broken rule, as soon as it is there."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for future in as_completed([pool.submit(run, *task) for task in tasks]):
            yield future.result()


def faulty_links(models):
    """Names each section of FORMAT.md and each place in the code that a model refers to and that does not exist."""
    headings = re.findall(r"^#+ (.+)$", (ROOT / FORMAT).read_text(), re.MULTILINE)
    sections = {heading.replace(" ", "-") for heading in headings}
    for model in models:
        for entry in (*model.rules, *model.promises):
            if entry.section not in sections:
                yield f"{model.name}, {entry.name}: FORMAT.md has no section {entry.section}"
            path, symbol = entry.code.split(": ")
            file = ROOT / path
            if not file.is_file() or not re.search(rf"\b{symbol}\b", file.read_text()):
                yield f"{model.name}, {entry.name}: {path} has no {symbol}"


def describe(outcome, model):
    holds = "all hold" if not outcome.violated else f"{outcome.violated} does not hold"
    print(
        f"{outcome.model}: {outcome.states} states, at most {outcome.depth} steps, {outcome.seconds:.1f} s; "
        f"{len(model.promises)} promises: {holds}\n  {model.bounds}", flush=True)
    if outcome.violated:
        sentence = next(entry.sentence for entry in model.promises if entry.name == outcome.violated)
        print(f"  {sentence}\n  But:", *(f"    {line}" for line in outcome.trace), sep="\n", flush=True)


def check(models, broken):
    """Searches models. Returns whether all promises hold."""
    holds = True
    for _, outcome in run_all([(name, broken) for name in models]):
        describe(outcome, models[outcome.model])
        holds = holds and not outcome.violated
    if not broken:
        for model in models.values():
            for entry in model.rules:
                if entry.is_proposed:
                    print(f"{model.name}: assumed, and not in the product yet: {entry.sentence} ({entry.name})")
    return holds


def self_test(models):
    """Breaks each rule in turn. Returns whether a promise fails each time."""
    tasks = [(model.name, entry.name) for model in models.values() for entry in model.rules]
    missed = []
    for broken, outcome in run_all(tasks):
        if outcome.violated:
            count = len(outcome.trace)
            print(f"{outcome.model}: without {broken}, {outcome.violated} fails in {count} steps", flush=True)
        else:
            missed.append(f"{outcome.model}: without {broken}, every promise holds")
    print(*missed, f"{len(tasks) - len(missed)} of {len(tasks)} broken rules were found", sep="\n")
    return not missed


def table(models):
    """Prints the promises and the names of the rules as the page of the documentation has them."""
    print("| Model | Promise | Section | Code |\n|---|---|---|---|")
    for model in models.values():
        for entry in model.promises:
            path, symbol = entry.code.split(": ")
            link = f"<doc:FORMAT#{entry.section}>"
            print(f"| {model.name} | {entry.sentence} | {link} | `{symbol}` in {path.rpartition('/')[2]} |")
    print("\n| Model | Rules that can be left out |\n|---|---|")
    for model in models.values():
        print(f"| {model.name} | {', '.join(f'`{entry.name}`' for entry in model.rules)} |")


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--break", dest="broken")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in NAMES]
    if unknown:
        parser.error(f"there is no model {unknown[0]}; there are: {', '.join(NAMES)}")
    models = {name: load(name) for name in options.names or NAMES}
    if options.table:
        return table(models)
    if options.broken:
        models = {name: each for name, each in models.items() if options.broken in [rule.name for rule in each.rules]}
        if not models:
            parser.error(f"no model has a rule {options.broken}")
    faults = list(faulty_links(models.values()))
    if faults:
        sys.exit("\n".join(faults))
    sys.exit(0 if (self_test(models) if options.self_test else check(models, options.broken)) else 1)


if __name__ == "__main__":
    main()
