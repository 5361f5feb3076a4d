"""The membership log as a tree of entries, and how a machine that has followed one branch of it judges the others."""

from typing import NamedTuple

from checker import rule

FORKS = "Membership-log"
FOLD = "Sources/Core/CofferTrust/Membership"


class Entry(NamedTuple):
    """An entry. Like a hash, its number stands for everything before it, so a tree is a set of numbers."""

    parent: int
    place: int
    signer: str
    kind: str
    named: frozenset


class Membership(NamedTuple):
    """What a log says after one of its entries."""

    admins: frozenset
    # The machines that admins enrolled or revoked, and all that were removed.
    granted: frozenset
    removed: frozenset
    root: str
    successions: tuple
    withdrawn: frozenset
    rejected: frozenset
    removals: tuple


GENESIS = 0
FIRST = Membership(frozenset("AB"), frozenset(), frozenset(), "root", (), frozenset(), frozenset(), ())
ENTRIES = [Entry(-1, 0, "root", "genesis", frozenset())]
NUMBERS = {ENTRIES[0]: GENESIS}
MEMBERSHIPS = {GENESIS: FIRST}


def number(entry):
    """Returns the number of an entry, which is added if it is new."""
    if entry not in NUMBERS:
        NUMBERS[entry] = len(ENTRIES)
        ENTRIES.append(entry)
    return NUMBERS[entry]


def path(end):
    """The entries of a branch, from the first on."""
    entries = []
    while end != GENESIS:
        entries.append(end)
        end = ENTRIES[end].parent
    return entries[::-1]


def membership(end):
    """The membership by the log that ends with an entry."""
    if end not in MEMBERSHIPS:
        MEMBERSHIPS[end] = _apply(membership(ENTRIES[end].parent), end)
    return MEMBERSHIPS[end]


def _apply(before, end):
    entry = ENTRIES[end]
    if entry.kind.startswith("enrol"):
        return before._replace(granted=before.granted | {entry.kind})
    if entry.kind.startswith("appoint"):
        return before._replace(admins=before.admins | {entry.kind[-1]})
    if entry.kind.startswith("remove"):
        gone = entry.kind[-1]
        return before._replace(
            admins=before.admins - {gone}, removed=before.removed | {gone},
            removals=before.removals + ((end, entry.signer, gone),))
    if entry.kind.startswith("hand over"):
        return before._replace(root=entry.kind[-5:], successions=before.successions + (end,))
    if entry.kind == "withdraw":
        return before._replace(withdrawn=before.withdrawn | {(signer_kind(entry.signer), each) for each in entry.named})
    if entry.kind == "resolve":
        return before._replace(rejected=before.rejected | entry.named)
    return before


def signer_kind(signer):
    """Root is one signer for withdrawals, whatever its generation."""
    return "root" if signer.startswith("root") else signer


def is_member(membership, signer):
    return signer == membership.root or signer in membership.admins


class Rival(NamedTuple):
    """An entry of another branch, as somebody judges it who has followed this one."""

    shared: int
    first: int
    displaced: int
    standing: frozenset
    rejects_chain: bool


class Branches(NamedTuple):
    """What a machine makes of a tree."""

    effective: Membership
    # The last entries of the other branches of a fork; empty if there is none.
    ends: frozenset
    own: frozenset
    rivals: dict
    # Whether another branch withdraws a succession of this one, or has one in its place: each sync says so.
    is_handover_disputed: bool

    @property
    def names_a_fork(self):
        return bool(self.ends) or self.is_handover_disputed


@rule(FORKS, f"{FOLD}/CompetingBranchFold.swift: verify", broken=False)
def is_withdrawn(chain, entry):
    """An entry of another branch that its signer has withdrawn on this one counts for nothing."""
    return (signer_kind(ENTRIES[entry].signer), entry) in chain.withdrawn


@rule(FORKS, f"{FOLD}/CompetingBranchFold.swift: verify", broken=False)
def falls_with_a_removed_admin(chain, entry, earlier):
    """What an admin whom root has removed signed on another branch counts for nothing, with all that follows it."""
    return ENTRIES[entry].signer in chain.removed or earlier is not None and "removed" in earlier.standing


@rule("Succession", f"{FOLD}/CompetingBranchFold.swift: verify", broken=False)
def leaves_before_a_succession(chain, shared):
    """A branch that leaves the log before a succession counts for nothing on a log that has the succession."""
    return len(shared.successions) < len(chain.successions)


@rule("Succession", f"{FOLD}/CompetingBranchFold.swift: verify", broken=False)
def withdraws_a_handover(chain, shared, after):
    """A machine whose log has a succession names a branch that withdraws the succession, and pushes nothing."""
    return any(("root", each) in after.withdrawn for each in chain.successions[len(shared.successions):])


@rule("Succession", "Sources/Sync/CofferExchange/Import/LogImport.swift: reasonAgainst", broken=False)
def is_another_handover(entry):
    """A machine whose log has a succession names another one that it is shown."""
    return ENTRIES[entry].kind.startswith("hand over")


@rule(FORKS, f"{FOLD}/CompetingBranchFold.swift: verify", broken=False)
def is_rejected(chain, entry, earlier, counters):
    """A branch that root's resolution names counts for nothing, unless its own resolution was made in view of ours."""
    return entry in chain.rejected or not counters and earlier is not None and "rejected" in earlier.standing


@rule(FORKS, f"{FOLD}/CompetingBranchFold.swift: verify", broken=False)
def root_counts_beside_a_removal(entry):
    """What root signed on another branch counts, although an entry before it there is by an admin who was removed."""
    return signer_kind(ENTRIES[entry].signer) == "root"


@rule("Revocation", f"{FOLD}/Membership+Revocation.swift: removeAll", broken=False)
def removals_of_branches_apply():
    """In a fork, what either branch removes is removed."""
    return True


@rule(FORKS, f"{FOLD}/LogBranches.swift: init", broken=False)
def a_fork_suspends_grants():
    """In a fork, the membership is that of the common parent: no branch grants anything."""
    return True


def judge(end, tree):
    """How a machine that has followed the branch to `end` judges the other entries of a tree."""
    chain, own = membership(end), path(end)
    places = {entry: index for index, entry in enumerate([GENESIS] + own)}
    rivals = {}
    ends = set()
    for entry in sorted(tree - set(own), key=lambda each: (ENTRIES[each].place, each)):
        parent = ENTRIES[entry].parent
        earlier = rivals.get(parent)
        if earlier is None and (parent not in places or parent == end):
            continue
        shared = earlier.shared if earlier else parent
        displaced = earlier.displaced if earlier else own[places[parent]]
        before, after = membership(shared), membership(entry)
        counters = ENTRIES[entry].kind == "resolve" and displaced in ENTRIES[entry].named
        is_roots = counters or root_counts_beside_a_removal(entry)
        standing = set()
        if leaves_before_a_succession(chain, before):
            standing.add("outdated")
        if not is_roots and falls_with_a_removed_admin(chain, entry, earlier):
            standing.add("removed")
        if after.root == before.root and is_rejected(chain, entry, earlier, counters):
            standing.add("rejected")
        given_up = is_withdrawn(chain, entry) or not is_member(before, ENTRIES[entry].signer)
        if given_up and (earlier is None or earlier.standing):
            standing.add("withdrawn")
        rivals[entry] = Rival(
            shared, earlier.first if earlier else entry, displaced, frozenset(standing),
            counters or bool(earlier and earlier.rejects_chain))
        if not standing:
            ends.discard(parent)
            ends.add(entry)
    is_handover_disputed = any(
        "outdated" in rival.standing and (
            withdraws_a_handover(chain, membership(rival.shared), membership(entry)) or is_another_handover(entry))
        for entry, rival in rivals.items())
    if not ends:
        return Branches(chain, frozenset(), frozenset(), rivals, is_handover_disputed)
    shared = min((rivals[each].shared for each in ends), key=lambda each: ENTRIES[each].place)
    heads = [membership(each) for each in sorted(ends)]
    effective = membership(shared) if a_fork_suspends_grants() else chain
    if removals_of_branches_apply():
        effective = _remove_all(effective, [chain] + heads)
    later = own[places[shared]:]
    standings = [_standing(head, later) for head in heads]
    if any(rivals[each].rejects_chain for each in ends):
        standings.append("rejected")
    if any(len(head.successions) > len(membership(shared).successions) for head in heads):
        standings.append("outdated")
    return Branches(effective, frozenset(ends), frozenset(standings) - {None}, rivals, is_handover_disputed)


def _remove_all(effective, branches):
    known = {removal[0] for removal in effective.removals}
    for branch in branches:
        for removal in branch.removals:
            is_void = any(removal[1] in other.removed and removal not in other.removals for other in branches)
            if removal[0] not in known and not is_void:
                effective = effective._replace(
                    admins=effective.admins - {removal[2]}, removed=effective.removed | {removal[2]})
    return effective


def _standing(head, entries):
    for entry in entries:
        if ENTRIES[entry].signer in head.removed:
            return "removed"
        if not is_withdrawn(head, entry):
            return None
    return "withdrawn"


@rule("One-log-on-many-branches", f"{FOLD}/LogUnion.swift: handoverFork", broken=False)
def two_handovers_are_refused(end, ends):
    """A new machine follows no log if another one hands the vault over where this one does not."""
    handovers = {each for other in ends for each in membership(other).successions}
    return not handovers <= set(membership(end).successions)


@rule("One-log-on-many-branches", f"{FOLD}/LogUnion.swift: comes", broken=lambda end: (ENTRIES[end].place,))
def rank(end):
    """A new machine prefers the log with more successions, then that with more entries by root, then the longer one."""
    root_entries = sum(signer_kind(ENTRIES[each].signer) == "root" for each in path(end))
    return (len(membership(end).successions), root_entries, ENTRIES[end].place)


@rule("One-log-on-many-branches", f"{FOLD}/LogUnion.swift: init", broken=True)
def has_every_handover(end, ends):
    """A new machine falls back to no log that lacks a succession of a better one, if the better one has forked."""
    return not two_handovers_are_refused(end, ends)


def leaves(tree):
    """The ends of all branches."""
    return sorted(tree - {ENTRIES[each].parent for each in tree}) if tree else [GENESIS]


def union(tree):
    """The logs that a new machine may choose, which depends on their order only if it has several; none in a fork."""
    ends = leaves(tree)
    best = max(map(rank, ends))
    if two_handovers_are_refused(next(each for each in ends if rank(each) == best), ends):
        return []
    sound = [each for each in ends if not judge(each, tree).ends and has_every_handover(each, ends)]
    best = max(map(rank, sound), default=None)
    return [each for each in sound if rank(each) == best]
