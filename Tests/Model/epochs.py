"""The end of an epoch: what machines have written, while admins end the epoch and the host serves old and new.

The admins' machines A and B can end epoch 1, each in favour of a branch of its own; A and the member M write a record
each. Every step of an end is a step here, so machines stop anywhere. An honest host keeps what was pushed, and M can
lose its disk then. A dishonest host sets branches to any of their former states, in turn for different machines, and
M keeps its disk: nobody can have again what only a host had that drops it.
"""

from typing import NamedTuple

from checker import changed, model, promise, rule

EXCHANGE = "Sources/Sync/CofferExchange"
ROLL = f"{EXCHANGE}/Epochs/EpochRoll.swift"
ADOPTION = f"{EXCHANGE}/Import/Importer+Adoption.swift"
WRITERS = {"A": "a", "M": "m"}
NOTHING = frozenset()
# How often the host sets a branch to a former state.
SET_BACK = 1


class Tip(NamedTuple):
    """A commit of a branch: the records of its snapshot, those in segments, and the files `closed` and `opened`."""

    snapshot: frozenset = NOTHING
    segments: frozenset = NOTHING
    closed: str = ""
    opened: bool = False

    @property
    def records(self):
        return self.snapshot | self.segments


class Machine(NamedTuple):
    """A machine: the branch that it follows, the commit that it has imported, its store, and what it sends no more."""

    branch: str = "1"
    base: Tip = Tip()
    store: frozenset = NOTHING
    sent: frozenset = NOTHING
    # The later branches that its last sync has seen.
    sighted: frozenset = NOTHING
    # The branch that it prepares, with the commit that it has pushed there; and whether it has ended the epoch.
    candidate: Tip | None = None
    # The commit with `closed` that it has pushed, onto which the old branch may be deleted.
    ended: Tip | None = None


class State(NamedTuple):
    """The machines A, B and M, and the host: the commit of each branch, and those that it has had."""

    machines: tuple
    branches: tuple
    former: frozenset
    is_honest: bool
    # What a machine has been told that it is published.
    acknowledged: frozenset = NOTHING
    has_lost_disk: bool = False
    # The commit that the branch of epoch 1 had when a machine deleted it, and what that machine had.
    deleted: Tip | None = None
    covered: frozenset = NOTHING
    set_back: int = 0


NAMES = ("A", "B", "M")


def _branches(state):
    return dict(state.branches)


def _with(state, name, machine, **branches):
    machines = tuple(machine if each == name else known for each, known in zip(NAMES, state.machines))
    known = {**_branches(state), **branches}
    former = state.former | {(branch, tip) for branch, tip in branches.items()}
    acknowledged = state.acknowledged | (machine.sent & {WRITERS.get(name)})
    return changed(
        state, machines=machines, branches=tuple(sorted(known.items())), former=former, acknowledged=acknowledged)


@rule("The-end-of-an-epoch", f"{ROLL}: close")
def closes_what_it_has_read(base, tip):
    """`closed` is pushed without force: onto the commit of which the new branch has everything."""
    return base == tip


@rule("The-end-of-an-epoch", f"{ROLL}: close", broken=lambda candidate, added: candidate)
def with_late_segments(candidate, added):
    """What others have pushed meanwhile is added to the new branch before the next attempt to end the epoch."""
    return changed(candidate, segments=candidate.segments | (added - candidate.snapshot))


def may_begin(machine):
    """Whether a machine has published everything that it has."""
    return machine.store <= machine.base.records


@rule("The-repository", f"{EXCHANGE}/BranchExchange+Sending.swift: send")
def pushes_what_it_has_read(base, tip):
    """A push that adds segments is plain: if another one came first, its machine imports that and tries again."""
    return base == tip


@rule("Following-an-epoch", f"{EXCHANGE}/BranchExchange.swift: ending", broken=False)
def follows_the_end(tip):
    """A machine that finds `closed` on its branch follows the next epoch, and pushes nothing to this one."""
    return bool(tip.closed)


@rule("Following-an-epoch", f"{ADOPTION}: importSnapshot", broken=lambda store, tip: tip.records)
def store_after_following(store, tip):
    """A machine keeps the records that the snapshot lacks, and sends them."""
    return store | tip.records


@rule("The-end-of-an-epoch", f"{EXCHANGE}/Epochs/EpochExchange.swift: deleteBranches")
def may_delete(machine, tip):
    """The old branch is deleted only if it still names the commit with `closed` that the new one covers."""
    return tip == machine.ended


@rule("Order-of-writes", f"{EXCHANGE}/RemoteComparison.swift: RemoteComparison",
      broken=lambda sent, tip: sent | tip.records)
def sent_after_import(sent, tip):
    """A machine compares all files with what it has published, and sends again what the remote does not have now."""
    return tip.records


@rule("Following-an-epoch", f"{EXCHANGE}/Epochs/EpochExchange.swift: followLatest", broken=False)
def looks_at_later_branches(machine, branch):
    """A machine whose branch has no end follows an opened later one that it has seen at its last sync already."""
    return branch in machine.sighted


def _follow(state, name, branch):
    """A machine follows the branch of the next epoch, which it opens if that was not done."""
    machine = state.machines[NAMES.index(name)]
    tip = _branches(state)[branch]
    if not tip.opened:
        tip = changed(tip, opened=True)
    followed = changed(
        machine, branch=branch, base=tip, store=store_after_following(machine.store, tip),
        sent=tip.records, sighted=NOTHING, candidate=None)
    return _with(state, name, followed, **{branch: tip})


def _sync(state, name):
    """What a machine does with what the host shows: it follows the end of its epoch, or imports its branch."""
    machine = state.machines[NAMES.index(name)]
    branches = _branches(state)
    tip = branches.get(machine.branch)
    later = sorted(each for each, known in branches.items() if each > machine.branch and known.opened)
    if tip is None:
        if machine.branch == "1" and later:
            return "follows the epoch after the one that is gone", _follow(state, name, later[-1])
        # Nothing that it may follow is there: it pushes its own branch again.
        tip = machine.base
        restored = changed(machine, store=machine.store | tip.records, sent=tip.records)
        return "restores its branch", _with(state, name, restored, **{machine.branch: tip})
    if follows_the_end(tip):
        if tip.closed in branches:
            return "follows the end of the epoch", _follow(state, name, tip.closed)
        # The branch is missing: its maker pushes it again, and the others wait.
        return "waits for the branch of the next epoch", state
    for branch in reversed(later):
        if machine.branch == "1" and looks_at_later_branches(machine, branch):
            return f"follows {branch}, which it has seen before", _follow(state, name, branch)
    restored = {}
    if machine.branch != "1" and not tip.opened:
        # It has the file `opened` with which its epoch began, and puts that back.
        tip = changed(tip, opened=True)
        restored = {machine.branch: tip}
    imported = changed(
        machine, base=tip, store=machine.store | tip.records, sent=sent_after_import(machine.sent, tip),
        sighted=frozenset(later) if machine.branch == "1" else NOTHING, candidate=None)
    return "imports its branch", _with(state, name, imported, **restored)


def _retry(state, name):
    """A machine that loses a race while it ends the epoch imports what came first, and adds that to the new branch."""
    machine = state.machines[NAMES.index(name)]
    branches = _branches(state)
    own, tip = f"2{name}", branches["1"]
    if branches.get(own) != machine.candidate or tip == machine.base:
        return state
    candidate = with_late_segments(machine.candidate, tip.records - machine.base.records)
    imported = changed(
        machine, base=tip, store=machine.store | tip.records, sent=sent_after_import(machine.sent, tip),
        candidate=candidate)
    return _with(state, name, imported, **{own: candidate})


def _push(state, name):
    """A machine sends what is not published; nothing if another push came first."""
    machine = state.machines[NAMES.index(name)]
    tip = _branches(state).get(machine.branch)
    if tip is None or follows_the_end(machine.base) or not machine.store - machine.sent:
        return state
    if not pushes_what_it_has_read(machine.base, tip):
        return state
    pushed = changed(tip, segments=tip.segments | (machine.store - machine.sent))
    machine = changed(machine, base=pushed, sent=machine.store, candidate=None)
    return _with(state, name, machine, **{machine.branch: pushed})


def _rolls(state, name, machine, tip):
    own = f"2{name}"
    if machine.branch != "1":
        if machine.ended and state.deleted is None and tip is not None and may_delete(machine, tip):
            left = tuple(each for each in state.branches if each[0] != "1")
            yield f"{name} deletes the branch of epoch 1", changed(
                state, branches=left, deleted=tip, covered=machine.store)
        return
    if tip is None or tip.closed:
        return
    if machine.candidate is None:
        if may_begin(machine) and machine.store and own not in _branches(state):
            candidate = Tip(snapshot=machine.store)
            yield f"{name} pushes {own} with a snapshot", _with(
                state, name, changed(machine, candidate=candidate), **{own: candidate})
        return
    after = _retry(state, name)
    if after != state:
        yield f"{name} imports what came first, and adds that to {own}", after
    if closes_what_it_has_read(machine.base, tip):
        closed = changed(tip, closed=own)
        yield f"{name} ends epoch 1 in favour of {own}", _with(
            state, name, changed(machine, base=closed, ended=closed), **{"1": closed})


def steps(state):
    branches = _branches(state)
    for name, machine in zip(NAMES, state.machines):
        record = WRITERS.get(name)
        if record and record not in machine.store and not (state.has_lost_disk and name == "M"):
            yield f"{name} writes a record", _with(state, name, changed(machine, store=machine.store | {record}))
        if state.has_lost_disk and name == "M":
            continue
        words, after = _sync(state, name)
        if after != state:
            yield f"{name} {words}", after
        after = _push(state, name)
        if after != state:
            yield f"{name} pushes to {machine.branch}", after
        if name != "M":
            yield from _rolls(state, name, machine, branches.get("1"))
    if state.is_honest:
        if not state.has_lost_disk:
            yield "M loses its disk", _with(changed(state, has_lost_disk=True), "M", Machine())
        return
    for branch, tip in sorted(state.former if state.set_back < SET_BACK else ()):
        if branches.get(branch) != tip:
            known = {**branches, branch: tip}
            yield f"the host sets {branch} to a former state ({_words(tip)})", changed(
                state, branches=tuple(sorted(known.items())), set_back=state.set_back + 1)


def _words(tip):
    return f"records {' '.join(sorted(tip.records)) or 'none'}{', closed' if tip.closed else ''}"


@promise("The-end-of-an-epoch", f"{ROLL}: close")
def what_was_published_stays(state):
    """With an honest host, what was once acknowledged as published is on the branch on which the vault continues."""
    if not state.is_honest:
        return True
    branches = _branches(state)
    first = branches.get("1")
    if first is None:
        current = max(each for each, tip in branches.items() if tip.opened)
    else:
        current = first.closed or "1"
    return state.acknowledged <= branches[current].records


@promise("Order-of-writes", f"{EXCHANGE}/BranchExchange.swift: attempt")
def no_acknowledged_record_is_lost(state):
    """When the host becomes honest, all machines get every record that was written, or name a division."""
    if state.is_honest:
        return True
    written = frozenset().union(*(machine.store for machine in state.machines))
    known = set()
    while state not in known:
        known.add(state)
        for name in NAMES:
            state = _push(_sync(state, name)[1], name)
    opened = {branch for branch, tip in state.branches if tip.opened}
    if {"2A", "2B"} <= opened:
        # Each of two branches that count is named by the machines that follow the other one.
        return all(machine.branch in opened for machine in state.machines)
    followed = {machine.branch for machine in state.machines}
    return len(followed) == 1 and all(machine.store == written for machine in state.machines)


@promise("The-end-of-an-epoch", f"{EXCHANGE}/Epochs/EpochExchange.swift: deleteBranches")
def nothing_is_deleted_that_is_nowhere_else(state):
    """Who deletes the branch of an ended epoch has everything that was on it, and sends what the next one lacks."""
    return state.deleted is None or state.deleted.records <= state.covered


def _initial():
    first = (("1", Tip()),)
    return [State((Machine(),) * 3, first, frozenset(first), is_honest) for is_honest in (True, False)]


MODEL = model(
    __name__, bounds=f"one end of an epoch by either of two admins, two records; {SET_BACK} former state of a branch",
    initial=_initial, steps=steps)
