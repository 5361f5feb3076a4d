"""Roll-backs: what a machine does to which the host shows an older log than another machine has seen.

The admin A signs entries of the log, which the admin's machine R follows as far as the host shows it. Segments state
how far their writers have seen the log: A's tell the truth, those of the member X name a position that nobody has.
The host shows R any former state of the log and any of the segments, and accepts what R signs. R changes the
membership, or removes X.
"""

from typing import NamedTuple

from checker import changed, model, promise, rule

COMPARISON = "Sources/Sync/CofferExchange/RemoteComparison.swift"
CLAIMS = "Sources/Storage/CofferVault/Log/LogClaims.swift"
SESSION = "Sources/Core/Coffer/Administration/AdminSession.swift"
LENGTH = 4
NOWHERE = 99


class State(NamedTuple):
    """The log as A has it, and what R knows."""

    length: int = 0
    # What R has followed, has ever followed, and keeps of the claims of A and X.
    followed: int = 0
    greatest: int = 0
    by_a: int = 0
    by_x: int = 0
    # The farthest entry of which R was told the truth.
    told: int = 0
    is_removed: bool = False
    # Whether the last sync has shown less than R has followed, and whether it said so.
    is_set_back: bool = False
    is_reported: bool = False
    # Whether R has signed an entry beside one, or after one that it was told of and has not followed.
    has_signed_beside_told: bool = False


@rule("Order-of-writes", f"{COMPARISON}: RemoteComparison", broken=lambda followed, shown: shown)
def followed_after(followed, shown):
    """If the remote has less than a machine has followed, the machine keeps what it has, and pushes it again."""
    return max(followed, shown)


@rule("Order-of-writes", f"{COMPARISON}: RemoteComparison", broken=False)
def reports_less(followed, shown):
    """A machine reports that the remote has less than it has followed."""
    return shown < followed


@rule("Segment", f"{CLAIMS}: add", broken=0)
def kept_claim(known, position):
    """A machine keeps a position of the log that a segment names, until its log contains the position."""
    return max(known, position)


@rule("Segment", "Sources/Core/CofferTrust/Membership/MachineObject.swift: mayClaim", broken=True)
def may_claim(state):
    """What a machine that was revoked has stated about the log counts for nothing."""
    return not state.is_removed


@rule("Segment", f"{SESSION}: checkChange")
def is_confirmed(followed, claimed):
    """While a position is open that another machine has named, the membership is not changed."""
    return claimed <= followed


@rule("Segment", f"{SESSION}: checkChange", broken=False)
def leaves_out_the_removed():
    """A machine that makes false claims can be removed: its own claims do not count for that."""
    return True


def _may_change(state, removes_x=False):
    of_x = state.by_x if may_claim(state) and not (removes_x and leaves_out_the_removed()) else 0
    return is_confirmed(state.followed, max(state.by_a, of_x))


def _signed(state, **values):
    """R signs the next entry. The host shows it to nobody else, if A has signed one there."""
    beside = state.has_signed_beside_told or state.told > state.followed
    followed = state.followed + 1
    length = max(state.length, followed)
    return changed(
        state, followed=followed, length=length, greatest=max(state.greatest, followed),
        has_signed_beside_told=beside, **values)


def steps(state):
    if state.length < LENGTH:
        yield "A signs an entry", changed(state, length=state.length + 1)
    for shown in range(state.length + 1):
        followed = followed_after(state.followed, shown)
        yield f"R syncs, and is shown {shown} entries", changed(
            state, followed=followed, greatest=max(state.greatest, followed),
            is_reported=reports_less(state.followed, shown), is_set_back=shown < state.greatest)
    yield f"R reads a segment of A, which names entry {state.length}", changed(
        state, by_a=kept_claim(state.by_a, state.length), told=max(state.told, state.length))
    if not state.is_removed:
        yield "R reads a segment of X, which names an entry that does not exist", changed(
            state, by_x=kept_claim(state.by_x, NOWHERE))
    if state.followed < LENGTH and _may_change(state):
        yield f"R signs entry {state.followed + 1}", _signed(state)
    if state.followed < LENGTH and not state.is_removed and _may_change(state, removes_x=True):
        yield f"R removes X with entry {state.followed + 1}", _signed(state, is_removed=True)


@promise("Order-of-writes", f"{COMPARISON}: RemoteComparison")
def the_log_never_gets_shorter(state):
    """A machine obeys every entry that it has ever followed, whatever the host shows later."""
    return state.followed == state.greatest


@promise("Order-of-writes", f"{COMPARISON}: RemoteComparison")
def every_roll_back_is_reported(state):
    """A sync that is shown less than its machine has followed says so."""
    return state.is_reported or not state.is_set_back


@promise("Segment", f"{SESSION}: checkChange")
def nobody_signs_beside_a_known_entry(state):
    """A machine that has heard of a later entry signs none in its place."""
    return not state.has_signed_beside_told


@promise("Segment", f"{CLAIMS}: open")
def a_liar_keeps_nobody_from_removing_it(state):
    """False claims of a machine keep nobody from removing it, and count for nothing after that."""
    if state.by_a > state.followed:
        return True
    return _may_change(state) if state.is_removed else _may_change(state, removes_x=True)


MODEL = model(
    __name__, bounds=f"{LENGTH} entries, one machine that follows, an honest and a dishonest one that state positions",
    initial=lambda: [State()], steps=steps)
