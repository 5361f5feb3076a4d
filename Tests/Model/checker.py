"""Searches all states of a model, and evaluates its promises in each of them.

A model is a module. A rule of FORMAT.md is a function marked `@rule`, which a run can break by its name; a promise is
a function marked `@promise`, whose doc string is the sentence that is promised. Both name the section of FORMAT.md
and the code. The states of a model are values that can be hashed; the search visits each once, in the order of their
distance from the first one, so the trace of a counterexample is a shortest one.
"""

import functools
import time
from dataclasses import dataclass, field
from typing import Any, Callable, Iterable

BROKEN = set()


@dataclass(frozen=True)
class Rule:
    """A rule of the product, with what takes its place if it is broken."""

    name: str
    sentence: str
    section: str
    code: str
    # Whether the product does not have the rule yet: without it, a promise does not hold.
    is_proposed: bool = False


@dataclass(frozen=True)
class Promise:
    """A sentence that holds in every state of a model."""

    name: str
    sentence: str
    section: str
    code: str
    holds: Callable[[Any], bool]


@dataclass
class Model:
    """What a module searches: its first states, the steps from each, and how much of the world it has."""

    name: str
    bounds: str
    initial: Callable[[], Iterable[Any]]
    steps: Callable[[Any], Iterable[tuple[str, Any]]]
    # Returns one of the states that are equal but for the names of machines.
    canonical: Callable[[Any], Any] = lambda state: state
    # Forgets what the functions of the model have computed, which depends on the broken rules.
    forget: Callable[[], None] = lambda: None
    rules: list = field(default_factory=list)
    promises: list = field(default_factory=list)


@dataclass
class Outcome:
    """What a search has found. The trace leads to the violation of a promise."""

    model: str
    states: int
    depth: int
    seconds: float
    violated: str | None = None
    trace: tuple = ()


_RULES: dict[str, list] = {}
_PROMISES: dict[str, list] = {}


def _words(function):
    return " ".join(function.__doc__.split())


def _name(function):
    return function.__name__.replace("_", "-")


def rule(section, code, broken=True, proposed=False):
    """Marks a rule. `broken` is what the function returns if the rule is broken, or a function in its place."""

    def mark(function):
        entry = Rule(_name(function), _words(function), section, code, proposed)
        _RULES.setdefault(function.__module__, []).append(entry)

        @functools.wraps(function)
        def kept(*arguments):
            if entry.name not in BROKEN:
                return function(*arguments)
            return broken(*arguments) if callable(broken) else broken

        return kept

    return mark


def promise(section, code):
    """Marks a promise, a function of a state."""

    def mark(function):
        entry = Promise(_name(function), _words(function), section, code, function)
        _PROMISES.setdefault(function.__module__, []).append(entry)
        return function

    return mark


def model(module, parts=(), **contents):
    """Makes the model of a module, with the rules and the promises that are marked in it and in other `parts` of it."""
    rules = [entry for part in (*parts, module) for entry in _RULES.get(part, [])]
    return Model(name=module, rules=rules, promises=_PROMISES.get(module, []), **contents)


def search(model, broken=frozenset()):
    """Visits all states, and returns at the first one in which a promise does not hold."""
    BROKEN.clear()
    BROKEN.update(broken)
    model.forget()
    start = time.monotonic()
    parents: dict[Any, Any] = {}
    layer = []
    for state in model.initial():
        state = model.canonical(state)
        if state not in parents:
            parents[state] = None
            layer.append(state)
    depth = 0

    def end(state=None, violated=None):
        trace = tuple(_trace(model, parents, state)) if violated else ()
        return Outcome(model.name, len(parents), depth, time.monotonic() - start, violated, trace)

    while layer:
        following = []
        for state in layer:
            for entry in model.promises:
                if not entry.holds(state):
                    return end(state, entry.name)
            for _, successor in model.steps(state):
                successor = model.canonical(successor)
                if successor not in parents:
                    parents[successor] = state
                    following.append(successor)
        if following:
            depth += 1
        layer = following
    return end()


def _trace(model, parents, state):
    """Tells how a state is reached. Names are the same in all lines, although the search exchanges them."""
    path = [state]
    while parents[path[-1]] is not None:
        path.append(parents[path[-1]])
    path.reverse()
    actual = path[0]
    for wanted in path[1:]:
        for words, successor in model.steps(actual):
            if model.canonical(successor) == wanted:
                yield words
                actual = successor
                break


def changed(state, **values):
    """Returns a named tuple with other values."""
    return state._replace(**values)
