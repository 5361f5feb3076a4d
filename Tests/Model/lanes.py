"""Lanes: segments that wait beside the vault's branch, while any machine may be lost.

The machine P writes two segments, and may be restored from a backup: then it writes another one under the first
number. P leaves segments in lanes if it loses races. P and Q import lanes, put what they hold on the branch and
delete lanes. The host is honest about the branch, and hides any lanes for any time. One of the two machines loses its
disk at any moment.
"""

from typing import NamedTuple

from checker import changed, model, promise, rule

LANES = "Sources/Sync/CofferExchange/Lanes.swift"
RECORD = {"p0": "w0", "p1": "w1", "p0'": "w0'"}
NUMBER = {"p0": 0, "p1": 1, "p0'": 0}


class Machine(NamedTuple):
    """A machine: the branch as it has imported it, P's segments that it holds, and records that it sends itself."""

    base: frozenset = frozenset()
    held: tuple = ()
    outbox: frozenset = frozenset()
    # What it takes for published.
    published: frozenset = frozenset()


class State(NamedTuple):
    """The machines, the vault's branch and the lanes."""

    machines: tuple = (Machine(), Machine())
    branch: frozenset = frozenset()
    lanes: frozenset = frozenset()
    written: tuple = ()
    is_restored: bool = False
    lost: str = ""
    # What somebody else than its writer could have read.
    shown: frozenset = frozenset()


@rule("The-repository", f"{LANES}: foldedLanes", broken=lambda machine, segment: segment in machine.held)
def is_folded(machine, segment):
    """A lane is deleted only when each of its segments is on the branch, or another one is and its records are sent."""
    is_displaced = NUMBER[segment] < len(machine.held) and segment not in machine.held
    return segment in machine.base or is_displaced and of_another_in_its_place(segment) <= machine.base


@rule("The-repository", f"{LANES}: importLaneSegment", broken=frozenset())
def of_another_in_its_place(segment):
    """If the branch has another segment under the number of a lane's, its reader sends the lane's records."""
    return frozenset({RECORD[segment]})


@rule("Segment", "Sources/Sync/CofferExchange/Import/SegmentImport.swift: importSegment", broken=True)
def follows(held, segment):
    """A segment is taken only after the one before it in its stream."""
    return NUMBER[segment] == len(held) and (segment != "p1" or held == ("p0",))


@rule("The-repository", f"{LANES}: park", broken=lambda machine: machine.published | set(machine.held))
def published_after_parking(machine):
    """A segment in a lane is not published: its machine goes on to push it."""
    return machine.published


@rule("The-repository", "Sources/Sync/CofferExchange/BranchExchange+Sending.swift: send")
def has_read(machine, branch):
    """A push to the branch is plain: if another one came first, its machine imports that and tries again."""
    return machine.base == branch


def _imported(machine, branch, lanes):
    """A machine imports the branch, and then those lanes that it is shown."""
    chain = tuple(sorted((each for each in branch if each in NUMBER), key=NUMBER.get))
    held, outbox = machine.held, machine.outbox
    shared = len(chain)
    for number in range(min(len(chain), len(held))):
        if chain[number] != held[number]:
            # Who holds other segments than the branch sends their records.
            outbox |= {RECORD[each] for each in held[number:]}
            held = ()
            break
    if len(held) < shared:
        held = chain
    for segment in sorted((each for lane in lanes for each in lane), key=lambda each: (NUMBER[each], each)):
        if segment in held:
            continue
        if NUMBER[segment] < len(held):
            outbox |= of_another_in_its_place(segment)
        elif follows(held, segment):
            held += (segment,)
    return changed(machine, base=branch, held=held, outbox=outbox, published=branch)


def steps(state):
    for index, name in enumerate("PQ"):
        machine = state.machines[index]
        if state.lost == name:
            continue

        def after(own, **values):
            machines = tuple(own if each == index else known for each, known in enumerate(state.machines))
            return changed(state, machines=machines, **values)

        if name == "P":
            yield from _of_writer(state, machine, after)
        for shown in {frozenset(), state.lanes, *(frozenset({lane}) for lane in state.lanes)}:
            imported = _imported(machine, state.branch, shown)
            if imported != machine:
                words = " ".join(sorted("+".join(sorted(lane)) for lane in shown)) or "no lane"
                yield f"{name} imports the branch and {words}", after(imported)
        sent = frozenset(machine.held) | machine.outbox
        if sent - machine.published and has_read(machine, state.branch):
            branch = state.branch | sent
            pushed = changed(machine, base=branch, published=branch)
            yield f"{name} pushes {' '.join(sorted(sent - state.branch))}", after(pushed, branch=branch)
        for lane in state.lanes:
            if machine.base == state.branch and all(is_folded(machine, each) for each in lane):
                yield f"{name} deletes the lane with {' '.join(sorted(lane))}", after(
                    machine, lanes=state.lanes - {lane})
        if not state.lost:
            yield f"{name} loses its disk", after(Machine(), lost=name)


def _of_writer(state, machine, after):
    follower = {(): "p0", ("p0",): "p1"}.get(machine.held)
    if follower and follower not in state.written and not state.is_restored:
        yield f"P writes {follower}", after(
            changed(machine, held=machine.held + (follower,)), written=state.written + (follower,))
    if state.written and not state.is_restored:
        yield "P is restored from a backup, and writes p0'", after(Machine(held=("p0'",)), is_restored=True)
    lane = frozenset(machine.held) - machine.base
    if lane and lane not in state.lanes and len(state.lanes) < 2:
        yield f"P leaves {' '.join(sorted(lane))} in a lane", after(
            changed(machine, published=published_after_parking(machine)), lanes=state.lanes | {lane},
            shown=state.shown | lane)


@promise("The-repository", f"{LANES}: remove")
def no_parked_record_is_lost(state):
    """A record that was in a lane is on the branch, in a lane, or with a machine that sends it, whoever is lost."""
    sent = set(state.branch) | {each for lane in state.lanes for each in lane}
    for machine in state.machines:
        sent |= set(machine.held) | machine.outbox
    records = {RECORD.get(each, each) for each in sent}
    return all(RECORD[each] in records for each in state.shown)


@promise("Segment", f"{LANES}: importLanes")
def streams_have_no_gap(state):
    """On the branch, each segment follows the one before it in its stream, and no number has two."""
    chain = sorted((each for each in state.branch if each in NUMBER), key=NUMBER.get)
    return chain in ([], ["p0"], ["p0'"], ["p0", "p1"])


@promise("The-repository", f"{LANES}: park")
def published_means_on_the_branch(state):
    """What a machine takes for published is on the branch, and not only in a lane."""
    return all(machine.published <= state.branch for machine in state.machines)


MODEL = model(
    __name__, bounds="three segments of one stream, two machines, at most two lanes at once", initial=lambda: [State()],
    steps=steps)
