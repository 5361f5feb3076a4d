"""Forks of the membership log: what machines make of any tree of valid entries.

Two admins and root sign entries after any entry at which they may: enrolments, removals, appointments, withdrawals,
resolutions and a handover. Admins sign whatever they may. Root signs after any entry, because the host can separate
its machines; but it resolves a fork that it sees, and withdraws what it has offered after its own log and given up.
Everybody sees everything: what the host withholds is another, smaller tree, which is searched as well. A state is a
tree.
"""

from itertools import combinations

from checker import model, promise
from logtree import (
    ENTRIES, FOLD, FORKS, GENESIS, Entry, judge, leaves, membership, number, path, signer_kind, union)

ENTRY_COUNT = 4
_judged = {}


def _judge(end, tree):
    key = (end, tree)
    if key not in _judged:
        _judged[key] = judge(end, tree)
    return _judged[key]


def _statements(tree, parent):
    """Who may sign what after an entry: pairs of a signer, a kind, and the entries that the statement names."""
    before = membership(parent)
    others = tree - set(path(parent))
    for signer in sorted(before.admins | {before.root}):
        own = frozenset(each for each in others if signer_kind(ENTRIES[each].signer) == signer_kind(signer))
        if signer.startswith("root"):
            own = _given_up(own, parent)
        if own:
            yield signer, "withdraw", own
        if not signer.startswith("root"):
            for kind in ("enrol X", "remove M"):
                if kind not in before.granted and kind[-1] not in before.removed:
                    yield signer, kind, frozenset()
            continue
        for admin in sorted(before.admins):
            yield signer, f"remove {admin}", frozenset()
        if parent in leaves(tree) and _judge(parent, tree).ends:
            yield signer, "resolve", others
        if signer == "root":
            yield signer, "hand over to root2", frozenset()
        if "C" not in before.admins | before.removed:
            yield signer, "appoint C", frozenset()


def _given_up(own, parent):
    """The entries that a machine can have offered after this log, and given up: root withdraws no others."""
    found = set()
    for entry in sorted(own, key=lambda each: ENTRIES[each].place):
        if ENTRIES[entry].parent in found or ENTRIES[entry].parent in path(parent) + [GENESIS]:
            found.add(entry)
    # Who rejects an entry of this log has published its own branch before.
    published = [path(each) for each in found if ENTRIES[each].named & set(path(parent))]
    return frozenset(found).difference(*published)


def steps(tree):
    if len(tree) == ENTRY_COUNT:
        return
    for parent in sorted(tree | {GENESIS}):
        for signer, kind, named in _statements(tree, parent):
            entry = number(Entry(parent, ENTRIES[parent].place + 1, signer, kind, named))
            if entry not in tree:
                what = f"{kind} {_list(named)}" if named else kind
                yield f"{signer} signs after entry {_name(parent)}: {what} (entry {_name(entry)})", tree | {entry}


def _name(entry):
    return "0" if entry == GENESIS else f"#{entry}"


def _list(entries):
    return ", ".join(_name(each) for each in sorted(entries))


_exchanged = {GENESIS: GENESIS}
_EXCHANGE = str.maketrans("AB", "BA")


def _exchange(entry):
    """The entry with the admins A and B exchanged."""
    if entry not in _exchanged:
        known = ENTRIES[entry]
        kind = known.kind[:-1] + known.kind[-1].translate(_EXCHANGE) if known.kind[:6] == "remove" else known.kind
        _exchanged[entry] = number(known._replace(
            parent=_exchange(known.parent), signer=known.signer.translate(_EXCHANGE), kind=kind,
            named=frozenset(map(_exchange, known.named))))
    return _exchanged[entry]


def canonical(tree):
    other = frozenset(map(_exchange, tree))
    return min(tree, other, key=sorted)


@promise(FORKS, f"{FOLD}/LogBranches.swift: init")
def one_log_or_a_named_fork(tree):
    """Of two machines with different logs that see all entries, at least one names the fork or the other handover."""
    ends = leaves(tree)
    judged = [_judge(end, tree) for end in ends]
    return all(one.names_a_fork or other.names_a_fork for one, other in combinations(judged, 2))


@promise("Revocation", f"{FOLD}/Membership+Revocation.swift: removeAll")
def removals_hold_in_a_fork(tree):
    """While the log has forked, nobody whom root has removed on either branch is an admin anywhere."""
    for end in leaves(tree):
        found = _judge(end, tree)
        heads = [membership(each) for each in found.ends | {end}] if found.ends else []
        if any(found.effective.admins & head.removed for head in heads):
            return False
    return True


@promise(FORKS, f"{FOLD}/LogBranches.swift: init")
def no_branch_grants(tree):
    """While the log has forked, no machine obeys what only one branch has granted."""
    for end in leaves(tree):
        found = _judge(end, tree)
        for other in found.ends:
            shared = membership(found.rivals[other].shared)
            if found.effective.granted - shared.granted or found.effective.admins - shared.admins:
                return False
    return True


@promise("Revocation", f"{FOLD}/CompetingBranchFold.swift: verify")
def the_removed_make_no_fork(tree):
    """An admin whom root has removed makes no fork, and neither does who signs after it, but root can."""
    for end in leaves(tree):
        gone = membership(end).removed
        for other in _judge(end, tree).ends:
            branch = [each for each in path(other) if each not in path(end)]
            is_roots = any(signer_kind(ENTRIES[each].signer) == "root" for each in branch)
            if not is_roots and any(ENTRIES[each].signer in gone for each in branch):
                return False
    return True


@promise("Succession", f"{FOLD}/Succession.swift: check")
def the_old_root_changes_nothing(tree):
    """Nothing beside a succession changes what a machine obeys that has followed it."""
    for end in leaves(tree):
        chain = membership(end)
        if chain.successions:
            before = ENTRIES[chain.successions[0]].parent
            found = _judge(end, tree)
            if any(found.rivals[each].shared in path(before) + [GENESIS] for each in found.ends):
                return False
    return True


@promise(FORKS, "Sources/Administration/CofferAdministration/Membership/ForkResolution.swift: entriesToName")
def root_ends_every_fork(tree):
    """Root can end every fork on each branch whose machines do not hear that it is void, with one resolution."""
    for end in leaves(tree):
        found = _judge(end, tree)
        if not found.ends or found.own - {"rejected"}:
            continue
        named = frozenset(each for each, rival in found.rivals.items() if rival.standing <= {"rejected"})
        place = ENTRIES[end].place + 1
        resolution = number(Entry(end, place, membership(end).root, "resolve", named))
        if judge(resolution, tree | {resolution}).ends:
            return False
    return True


@promise("One-log-on-many-branches", f"{FOLD}/LogUnion.swift: init")
def new_machines_agree(tree):
    """Two new machines that are shown all entries in any order follow the same log, or both name the fork."""
    return len(union(tree)) <= 1


@promise("One-log-on-many-branches", f"{FOLD}/LogUnion.swift: handoverFork")
def a_new_machine_follows_no_old_root(tree):
    """A new machine that is shown a succession follows a log that has it, or none."""
    handed_over = any(membership(each).successions for each in leaves(tree))
    return all(membership(end).successions or not handed_over for end in union(tree))


@promise("One-log-on-many-branches", f"{FOLD}/LogUnion.swift: comes")
def the_old_root_keeps_nobody_out(tree):
    """If one log has every succession that is shown, and does not fork, a new machine follows it."""
    ends = leaves(tree)
    handovers = {each for end in ends for each in membership(end).successions}
    sound = [each for each in ends if handovers <= set(membership(each).successions) and not _judge(each, tree).ends]
    return not handovers or not sound or bool(union(tree))


@promise(FORKS, f"{FOLD}/CompetingBranchFold.swift: verify")
def what_was_given_up_makes_no_fork(tree):
    """Entries that their signers have withdrawn on the log that a machine follows make no fork for it."""
    for end in leaves(tree):
        chain = membership(end)
        for other in _judge(end, tree).ends:
            branch = [each for each in path(other) if each not in path(end)]
            if all((signer_kind(ENTRIES[each].signer), each) in chain.withdrawn for each in branch):
                return False
    return True


MODEL = model(
    __name__, parts=["logtree"],
    bounds=f"{ENTRY_COUNT} entries in any tree; two admins, a third that root appoints, two generations of root",
    initial=lambda: [frozenset()], steps=steps, canonical=canonical, forget=_judged.clear)
