"""Records around a revocation: what counts at machines that receive segments, entries and lists in any order.

The machine W is removed by the machine D, after D has imported anything of it. W signs whatever it wants, at any
time: two segments, and another one under the number of the first, with records of its own author and one of another
author that it passes on. A record of a new app waits for the log. The machine R is shown all of that in any order, or
a part of it; D too.
"""

from typing import NamedTuple

from checker import changed, model, promise, rule

FOLD = "Sources/Core/CofferTrust/Membership"
IMPORT = "Sources/Sync/CofferExchange/Import"
# The segments of W by their names: number, records. T's segment has the record of the new app.
SEGMENTS = {"w0": (0, ("w1",)), "w1": (1, ("w2", "n")), "w0'": (0, ("w3",)), "t0": (0, ("u",))}
OF_W = {"w1", "w2", "w3"}
BEGUN, ENTITLED, REMOVED = range(3)


class Machine(NamedTuple):
    """A machine: how far its log goes, and what it has."""

    log: int = BEGUN
    has_list: bool = False
    # The segments that it keeps, by number.
    stream: tuple = ("", "")
    has_t0: bool = False
    seen: frozenset = frozenset()
    valid: frozenset = frozenset()
    # Records outside of segments that do not count.
    kept: frozenset = frozenset()
    # The segments that do not follow one that it has: each sync examines them again.
    waiting: frozenset = frozenset()
    # What it sends in segments of its own.
    outbox: frozenset = frozenset()
    # Whether it has had the last segment that the removal names, since it obeys that.
    had_last: bool = False


class Removal(NamedTuple):
    """What D has signed: the records that stay valid, and the last segment of W."""

    listed: frozenset
    last: str


class State(NamedTuple):
    """The machines D and R, and the removal once it is published."""

    machines: tuple = (Machine(), Machine())
    removal: Removal | None = None


def in_effect(machine):
    """Whether a machine obeys the removal."""
    return machine.log == REMOVED and (machine.has_list or not waits_for_the_list())


@rule("Revocation", f"{FOLD}/EntryBatch.swift: missingRecordLists", broken=False)
def waits_for_the_list():
    """A revocation has no effect as long as a list of its records is missing."""
    return True


@rule("Revocation", f"{FOLD}/Membership+Access.swift: isListed")
def is_listed(machine, removal, record):
    """Of the records of a cut author, only those of the lists count, whenever they turn up."""
    return machine.has_list and record in removal.listed


@rule("Revocation", f"{FOLD}/Device.swift: allows")
def allows(removal, segment):
    """A segment of a revoked machine counts up to the last one that is named for its stream."""
    number = SEGMENTS[segment][0]
    return removal.last != "" and (number < SEGMENTS[removal.last][0] or segment == removal.last)


@rule("Revocation", f"{IMPORT}/SegmentImport+Revocations.swift: withdrawSegments", broken=frozenset())
def of_others(machine, removal, records):
    """What others wrote in segments that do not count any more is sent again by who has imported it."""
    return frozenset(each for each in records if counts(machine, removal, each))


@rule("Segment", f"{IMPORT}/SegmentImport+Streams.swift: withdraw", broken=frozenset())
def of_a_replaced_segment(records):
    """The records of a segment in whose place the remote shows another one are sent again, so none is lost."""
    return frozenset(records)


@rule("Revocation", f"{IMPORT}/SegmentImport.swift: checkNotFinal", broken=False)
def is_final(machine, removal):
    """Who has the last segment that a removal names for a stream takes no other one in its place."""
    return in_effect(machine) and removal.last in machine.stream and removal.last != ""


@rule("Record", f"{IMPORT}/SegmentImport+Revocations.swift: revalidateRecords", broken=False)
def validates_again():
    """After each change of the log, records are validated again: those that count, the pending and the refused ones."""
    return True


@rule("The-repository", f"{IMPORT}/SegmentImport+Records.swift: evaluate", broken=frozenset())
def kept_outside(machine, removal, records):
    """Records of a segment that is not kept, and that do not count, are kept outside of segments."""
    return frozenset(each for each in records if not counts(machine, removal, each))


def counts(machine, removal, record):
    """Whether a record counts by a machine's log."""
    if record == "u":
        return machine.log >= ENTITLED
    return record not in OF_W or not in_effect(machine) or is_listed(machine, removal, record)


def _evaluated(machine, removal, records):
    seen = machine.seen | frozenset(records)
    return changed(machine, seen=seen, valid=machine.valid | {
        each for each in records if counts(machine, removal, each)})


def _import(machine, removal, segment):
    """A machine imports a segment that the host shows."""
    number, records = SEGMENTS[segment]
    machine = _evaluated(machine, removal, records)
    if segment == "t0":
        return changed(machine, has_t0=True)
    held = machine.stream[number]
    if held == segment:
        return machine
    outside = changed(machine, kept=machine.kept | kept_outside(machine, removal, records))
    if in_effect(machine) and (not allows(removal, segment) or held and is_final(machine, removal)):
        return changed(outside, outbox=outside.outbox | of_others(machine, removal, records))
    if number == 1 and machine.stream[0] != "w0":
        return changed(outside, waiting=machine.waiting | {segment})
    if held:
        records = [record for each in machine.stream[number:] if each for record in SEGMENTS[each][1]]
        machine = _withdrawn(machine, removal, number, of_a_replaced_segment(records))
    stream = tuple(segment if each == number else known for each, known in enumerate(machine.stream))
    return _examine_again(changed(machine, stream=stream), removal)


def _examine_again(machine, removal):
    waiting = sorted(machine.waiting)
    machine = changed(machine, waiting=frozenset())
    for segment in waiting:
        machine = _import(machine, removal, segment)
    return machine


def _withdrawn(machine, removal, first, resent):
    """A machine gives up the segments of W from a number on, keeps their records, and sends some of them."""
    gone = [each for number, each in enumerate(machine.stream) if each and number >= first]
    records = [record for each in gone for record in SEGMENTS[each][1]]
    stream = tuple("" if number >= first else each for number, each in enumerate(machine.stream))
    kept = machine.kept | kept_outside(machine, removal, records)
    return changed(machine, stream=stream, kept=kept, outbox=machine.outbox | resent)


def _obeyed(machine, removal):
    """A machine validates again what it has after its log has changed."""
    if not validates_again():
        return machine
    if in_effect(machine):
        first = next((number for number, each in enumerate(machine.stream) if each and not allows(removal, each)), 2)
        records = [record for each in machine.stream[first:] if each for record in SEGMENTS[each][1]]
        machine = _withdrawn(machine, removal, first, of_others(machine, removal, records))
    valid = frozenset(each for each in machine.seen if counts(machine, removal, each))
    refused = machine.valid - valid
    return _examine_again(changed(machine, valid=valid, kept=machine.kept | (refused & _outside(machine))), removal)


def _outside(machine):
    """The records that are in no segment that a machine keeps."""
    held = {record for each in machine.stream if each for record in SEGMENTS[each][1]}
    return machine.seen - held - ({"u"} if machine.has_t0 else set())


def steps(state):
    for index, name in enumerate("DR"):
        machine, other = state.machines[index], state.machines[1 - index]

        def after(changed_machine, removal=state.removal):
            if removal and _obeys(changed_machine) and removal.last in changed_machine.stream:
                changed_machine = changed(changed_machine, had_last=removal.last != "")
            pair = (changed_machine, other) if index == 0 else (other, changed_machine)
            return State(pair, removal)

        for segment in SEGMENTS:
            yield f"the host shows {segment} to {name}", after(_import(machine, state.removal, segment))
        # Two branches of a stream that a machine has withdrawn are sent once, in a segment of its own.
        for record in sorted(other.outbox - machine.seen):
            yield f"{name} imports {record}, which the other machine sends", after(
                changed(_evaluated(machine, state.removal, [record]), outbox=machine.outbox | {record}))
        if machine.log == BEGUN:
            yield f"{name} imports the entry of the app", after(
                _obeyed(changed(machine, log=ENTITLED), state.removal))
        if machine.log == ENTITLED and state.removal:
            yield f"{name} imports the removal", after(_obeyed(changed(machine, log=REMOVED), state.removal))
        if state.removal and not machine.has_list:
            yield f"{name} imports the list", after(_obeyed(changed(machine, has_list=True), state.removal))
        if name == "D" and machine.log == ENTITLED and not state.removal:
            removal = Removal(frozenset(machine.valid & OF_W), next(filter(None, reversed(machine.stream)), ""))
            signed = changed(machine, log=REMOVED, has_list=True)
            yield f"D removes W, and lists {' '.join(sorted(removal.listed)) or 'no record'}", after(
                _obeyed(signed, removal), removal)


def _obeys(machine):
    return machine.log == REMOVED and machine.has_list


@promise("Revocation", f"{FOLD}/Membership+Access.swift: permits")
def no_later_record_of_the_removed_counts(state):
    """No record of a removed author counts but the listed ones, in whatever order a machine receives what."""
    return all(machine.valid & OF_W <= state.removal.listed for machine in state.machines if _obeys(machine))


@promise("Record", f"{FOLD}/Membership+Access.swift: validity")
def what_counts_does_not_depend_on_the_order(state):
    """Two machines with the same log and the same records have the same items: those that the log lets count."""
    for machine in state.machines:
        listed = state.removal.listed if _obeys(machine) else OF_W
        wanted = {each for each in machine.seen if each in listed or each not in OF_W}
        if machine.valid != wanted - (set() if machine.log >= ENTITLED else {"u"}):
            return False
    return True


@promise("Revocation", f"{IMPORT}/SegmentImport+Revocations.swift: withdrawSegments")
def every_valid_record_is_sent_on(state):
    """Each record that counts is in a segment that counts, or is sent again by each machine that has it."""
    for machine in state.machines:
        segments = [each for each in machine.stream if each and (not _obeys(machine) or _counts(state.removal, each))]
        sent = {record for each in segments for record in SEGMENTS[each][1]} | machine.outbox
        waiting = {record for each in machine.waiting for record in SEGMENTS[each][1]} | {"u"}
        if not machine.valid <= sent | waiting:
            return False
    return True


def _counts(removal, segment):
    number = SEGMENTS[segment][0]
    return removal.last != "" and (number < SEGMENTS[removal.last][0] or segment == removal.last)


@promise("Revocation", f"{FOLD}/Device.swift: allows")
def no_later_segment_of_the_removed_counts(state):
    """No machine keeps a segment of a removed machine later than the last one that the removal names."""
    kept = [each for machine in state.machines if _obeys(machine) for each in machine.stream if each]
    return all(_counts(state.removal, each) for each in kept)


@promise("The-repository", f"{IMPORT}/SegmentImport+Records.swift: keepUnadmittedRecords")
def no_refused_record_is_lost(state):
    """A machine keeps what it has refused, so that an admin can adopt it, and what waits for an entry of the log."""
    return all(
        _outside(machine) <= machine.valid | machine.kept | machine.outbox for machine in state.machines)


@promise("Revocation", f"{IMPORT}/SegmentImport.swift: checkNotFinal")
def a_removed_stream_stays_as_it_is(state):
    """Nobody takes the stream of a removed machine from those who have it up to the segment that the removal names."""
    return all(state.removal.last in machine.stream for machine in state.machines if machine.had_last)


MODEL = model(
    __name__, bounds="two machines, one removal, four segments of which two have one number, five records",
    initial=lambda: [State()], steps=steps)
