"""One log on many branches: which epoch a machine follows, and which branches it deletes.

X is an admin until A removes it, and ends epoch 1 before or after that. A appoints the admin N, who ends the epoch,
too. X can put an older file `opened` back, and set the log of a branch of its own back. The machine R, and the new
machine C, sync with any part of the branches: of the others, the host shows nothing, or they cannot be read this
time.
"""

from typing import NamedTuple

from checker import changed, model, promise, rule

EXCHANGE = "Sources/Sync/CofferExchange"
SECTION = "One-log-on-many-branches"
FOLLOWING = "Following-an-epoch"


class Branch(NamedTuple):
    """A branch: what its log says, who has signed `opened`, the latest last, and whether an older one was put back."""

    removes_x: bool = False
    appoints_n: bool = False
    openers: tuple = ()
    is_put_back: bool = False


class Machine(NamedTuple):
    """A machine: its branch, and what its log says."""

    branch: str
    removes_x: bool = False
    appoints_n: bool = False


class State(NamedTuple):
    """The repository, the machines R and C, and what must not have happened."""

    branches: tuple = (("1", Branch()),)
    machines: tuple = (Machine("1"), Machine(""))
    # The branch on which A, N and their log are.
    current: str = "1"
    followed_removed: bool = False
    pushed_beside_unknown: bool = False
    deleted_genuine: bool = False


@rule(SECTION, f"{EXCHANGE}/Import/LogImport+OtherLogs.swift: importOtherLogs", broken=lambda own, others: own)
def log_of_all(own, others):
    """Before a machine trusts a file `opened`, it imports the logs of all branches that it is shown."""
    return changed(
        own, removes_x=own.removes_x or any(each.removes_x for each in others),
        appoints_n=own.appoints_n or any(each.appoints_n for each in others))


@rule(FOLLOWING, "Sources/Core/CofferTrust/Membership/MachineObject.swift: refusal")
def may_open(signer, log):
    """Only a machine that is an admin's by the log may begin an epoch."""
    return signer == "A" or signer == "X" and not log.removes_x or signer == "N" and log.appoints_n


@rule(FOLLOWING, f"{EXCHANGE}/Import/Importer+Adoption.swift: openings",
      broken=lambda branch: branch.openers[:1] if branch.is_put_back else branch.openers[-1:])
def openings(branch):
    """A file `opened` that the branch has had earlier counts as well: somebody could have put an older one back."""
    return branch.openers


@rule(FOLLOWING, f"{EXCHANGE}/Import/EpochImport.swift: renewOpening", broken=lambda branch: branch)
def renewed(branch):
    """An admin's machine signs `opened` again when the machine that signed it is removed."""
    return changed(branch, openers=branch.openers + ("A",))


@rule(FOLLOWING, f"{EXCHANGE}/BranchExchange.swift: followLaterBranch", broken=False)
def may_be_hidden(unread):
    """While a later branch could not be read and the own one is gone, a machine pushes nothing."""
    return bool(unread)


@rule(FOLLOWING, f"{EXCHANGE}/Epochs/EpochExchange.swift: settle", broken=True)
def is_known_whole(name, unread):
    """A machine deletes no branch that it has not read whole."""
    return name not in unread


def _opened(branch, log):
    return any(may_open(signer, log) for signer in openings(branch))


def _really_opened(state, name):
    """Whether a branch counts by everything that was ever signed."""
    branches = dict(state.branches)
    removes = any(each.removes_x for each in branches.values()) or any(each.removes_x for each in state.machines)
    openers = branches[name].openers
    return "A" in openers or "N" in openers or "X" in openers and not removes


def _sync(state, index, shown, unread):
    """A machine reads some branches, knows of others that cannot be read, and does not know of the rest."""
    machine = state.machines[index]
    branches = dict(state.branches)
    log = log_of_all(machine, [branches[name] for name in shown])
    if not machine.branch and not shown:
        return state
    later = [name for name in shown if name > (machine.branch or "1") and branches[name].openers]
    counting = [name for name in later if _opened(branches[name], log)]
    target = max(counting, default=machine.branch or ("1" if "1" in shown else ""))
    is_behind = target and target != machine.branch and target != "1"
    knows = machine.removes_x or any(branches[name].removes_x for name in shown)
    state = changed(state, followed_removed=state.followed_removed or bool(
        is_behind and knows and set(branches[target].openers) == {"X"}))
    hidden = [name for name in unread if name > (machine.branch or "1")]
    machines = list(state.machines)
    machines[index] = changed(log, branch=target)
    state = changed(state, machines=tuple(machines))
    if target == "1" == machine.branch and "1" not in shown:
        if may_be_hidden(hidden):
            return state
        return changed(state, pushed_beside_unknown=state.pushed_beside_unknown or bool(hidden))
    for name in later + hidden:
        is_void = not _opened(branches[name], log)
        if is_void and name != target and machine.branch and is_known_whole(name, unread):
            branches.pop(name)
            state = changed(
                state, deleted_genuine=state.deleted_genuine or _really_opened(state, name),
                branches=tuple(sorted(branches.items())))
    return state


def steps(state):
    branches = dict(state.branches)
    yield from _of_admins(state, branches)
    names = sorted(branches)
    for index, name in enumerate("RC"):
        for number in range(3 ** len(names)):
            shown, unread = [], []
            for each in names:
                number, part = divmod(number, 3)
                (shown, unread, [])[part].append(each)
            after = _sync(state, index, shown, unread)
            if after != state:
                words = f"reads {' '.join(shown) or 'nothing'}, cannot read {' '.join(unread) or 'none'}"
                yield f"{name} syncs: {words}", after


def _of_admins(state, branches):
    known = branches.get(state.current)
    is_removed = any(each.removes_x for each in branches.values()) or any(each.removes_x for each in state.machines)

    def put(name, branch, **values):
        return changed(state, branches=tuple(sorted({**branches, name: branch}.items())), **values)

    if known and not known.removes_x:
        removed = changed(known, removes_x=True)
        yield "A removes X", put(state.current, renewed(removed) if "X" in known.openers else removed)
    if known and not known.appoints_n:
        yield "A appoints N", put(state.current, changed(known, appoints_n=True))
    if "2X" not in branches and "1" in branches:
        legitimate = state.current == "1" and not is_removed
        yield f"X ends epoch 1 {'' if legitimate else 'after its removal '}in favour of 2X", put(
            "2X", Branch(False, branches["1"].appoints_n, ("X",)), current="2X" if legitimate else state.current)
    if state.current == "1" and known and known.appoints_n and "2N" not in branches:
        yield "N ends epoch 1 in favour of 2N", put(
            "2N", Branch(known.removes_x, True, ("N",)), current="2N")
    for name, branch in branches.items():
        if len(branch.openers) > 1 and not branch.is_put_back:
            yield f"X puts its file opened of {name} back", put(name, changed(branch, is_put_back=True))


@promise(SECTION, f"{EXCHANGE}/Import/Importer+Adoption.swift: opener")
def nobody_follows_the_removed(state):
    """A machine that is shown a removal on any branch follows no epoch that only the removed machine has begun."""
    return not state.followed_removed


@promise(FOLLOWING, f"{EXCHANGE}/BranchExchange.swift: followLaterBranch")
def nobody_divides_the_vault_by_a_fault(state):
    """A machine whose branch is gone begins it again only if it has read all later ones: a fault is not an absence."""
    return not state.pushed_beside_unknown


@promise(FOLLOWING, f"{EXCHANGE}/Epochs/EpochExchange.swift: settle")
def no_genuine_branch_is_deleted(state):
    """No machine deletes a branch of an epoch that counts by everything that was signed."""
    return not state.deleted_genuine


@promise(FOLLOWING, f"{EXCHANGE}/Import/EpochImport.swift: renewOpening")
def everybody_finds_the_epoch(state):
    """A machine that is shown all branches follows the epoch on which the admins are."""
    if dict(state.branches).get(state.current) is None or state.current == "1":
        return True
    for index in range(2):
        after = _sync(state, index, sorted(dict(state.branches)), [])
        # A machine that has followed the other branch of a division names both, and stays.
        if state.machines[index].branch in ("", "1") and after.machines[index].branch in ("", "1"):
            return False
    return True


MODEL = model(
    __name__,
    bounds="one end of an epoch by each of two machines, one removal, one appointment, one machine and one clone",
    initial=lambda: [State()], steps=steps)
