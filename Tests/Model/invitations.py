"""One invitation: who gets into the vault with its code.

The new machine asks with the code, and asks anew with other keys if its folder is deleted. A thief may have the code,
ask too, and answer the new machine. The host shows the inviter any requests at each sync, and may keep an approval
without confirming it. The owner cancels the invitation, or it expires; the inviter is killed, or restored from a
backup in which it has seen no request. The machine may be removed later, and its request shown again.
"""

from typing import NamedTuple

from checker import changed, model, promise, rule

REVIEW = "Sources/Storage/CofferVault/Invitations/InvitationReview.swift"
APPROVAL = "Sources/Administration/CofferAdministration/Invitations/InvitationApproval.swift"
ENROLMENT = "Sources/Administration/CofferAdministration/Invitations/InvitedEnrolment.swift"
EXCHANGE = "Sources/Sync/CofferExchange/Invitations/InvitationExchange.swift"
NOTHING = frozenset()


class State(NamedTuple):
    """What the new machine and the thief have posted, what the inviter has, and what the log says."""

    # The request whose words the new machine shows now: d1, or d2 after it has begun anew.
    screen: str = ""
    posted: frozenset = NOTHING
    shown: frozenset = NOTHING
    recorded: frozenset = NOTHING
    # What the host has ever shown to the inviter, as far as its backup does not make it forget that.
    seen: frozenset = NOTHING
    has_ended: bool = False
    # The request that is approved, but not published; and one of which the host has not confirmed the push.
    draft: str = ""
    held: str = ""
    enrolled: tuple = ()
    is_removed: bool = False
    # Who has got which generation of the transport key in an answer.
    keys: frozenset = NOTHING
    # What the new machine has taken for its vault: the vault, or one of the thief.
    joined: str = ""
    is_restored: bool = False
    # What must not happen: an approval of two requests, or after the end.
    approved_two: bool = False
    approved_late: bool = False


@rule("Invitation", f"{EXCHANGE}: recordRequests", broken=NOTHING)
def recorded_requests(recorded, shown):
    """The inviter remembers each genuine request: a host could show one today and another one tomorrow."""
    return recorded | shown


@rule("Invitation", f"{REVIEW}: init", broken=False)
def several_end_it(recorded, shown):
    """If two requests were made with the code, both are refused, and every later one."""
    return len(recorded | shown) > 1


@rule("Invitation", f"{APPROVAL}: check")
def words_are_equal(request, screen):
    """The owner approves a request only if both screens show its words."""
    return request == screen


@rule("Invitation", f"{REVIEW}: init")
def is_open(state):
    """Nothing is approved after the end of the invitation."""
    return not state.has_ended


@rule("Invitation", "Sources/Sync/CofferExchange/Import/LogImport+Lists.swift: discardEndedApprovals", broken=False)
def discards_ended_approvals():
    """An approval that was not pushed when the invitation ends is discarded: no later sync publishes it."""
    return True


@rule("Membership-log", "Sources/Core/CofferTrust/Membership/Device.swift: apply", broken=False)
def was_used(enrolled):
    """No two entries of the log name one invitation, also after the device was revoked."""
    return bool(enrolled)


@rule("Invitation", f"{REVIEW}: refusal")
def is_of_the_enrolled(request, enrolled):
    """The answer admits only the request whose keys the log has enrolled with the invitation."""
    return request in enrolled


@rule("Invitation", f"{REVIEW}: refusal", broken=False)
def is_gone(state):
    """The answer admits no machine that was removed since: a host can show an old request again."""
    return state.is_removed


@rule("Invitation", f"{EXCHANGE}: answer")
def is_sealed_to(request, reader):
    """The answer's transport key is sealed to the key of the request."""
    return request == reader


@rule("Invitation", f"{ENROLMENT}: checkVault")
def pins(vault):
    """The code pins the vault: the new machine refuses every other genesis."""
    return vault == "the vault"


@rule("Invitation", f"{ENROLMENT}: check")
def enrols(enrolled, request):
    """The new machine refuses a log in which the invitation has not enrolled its own keys."""
    return request in enrolled


def steps(state):
    yield from _of_devices(state)
    yield from _of_the_inviter(state)
    if state.held and not was_used(state.enrolled):
        yield f"the host publishes the approval of {state.held} that it has kept", changed(
            state, enrolled=state.enrolled + (state.held,), held="")
    if state.enrolled and not state.is_removed:
        yield "the machine is removed, and the transport key replaced", changed(state, is_removed=True)


def _of_devices(state):
    if not state.screen:
        yield "the new machine asks (d1)", changed(state, screen="d1", posted=state.posted | {"d1"})
    elif state.screen == "d1" and not state.joined:
        yield "the new machine begins anew, and asks (d2)", changed(state, screen="d2", posted=state.posted | {"d2"})
    if "t" not in state.posted:
        yield "the thief asks (t)", changed(state, posted=state.posted | {"t"})
    if not state.screen or state.joined:
        return
    has_answer = any(request == state.screen for request, _ in state.keys)
    # The thief can answer without the vault's key, and show a vault of its own.
    for vault in ("the vault", "the thief's vault"):
        enrolled = state.enrolled if vault == "the vault" else (state.screen,)
        if pins(vault) and enrols(enrolled, state.screen):
            if has_answer or vault != "the vault":
                yield f"the new machine joins {vault}", changed(state, joined=vault)
        elif pins(vault) and not enrols(enrolled, state.screen):
            continue
    if enrols(NOTHING, state.screen):
        yield "the new machine takes the thief's answer", changed(state, joined="a log without it")


def _subsets(requests):
    found = [NOTHING]
    for request in sorted(requests):
        found += [each | {request} for each in found]
    return found


def _of_the_inviter(state):
    for shown in _subsets(state.posted):
        recorded = recorded_requests(state.recorded, shown)
        ended = state.has_ended or several_end_it(recorded, shown)
        draft = "" if ended and discards_ended_approvals() else state.draft
        after = changed(state, shown=shown, recorded=recorded, seen=state.seen | shown, draft=draft)
        if after != state:
            yield f"the inviter syncs, and is shown {' '.join(sorted(shown)) or 'nothing'}", after
    if not state.has_ended:
        # The command discards an approval that was not published.
        yield "the invitation expires", changed(state, has_ended=True)
        yield "the owner cancels the invitation", changed(state, has_ended=True, draft="")
    if not state.is_restored:
        yield "the inviter is restored from a backup", changed(
            state, shown=NOTHING, recorded=NOTHING, seen=NOTHING, draft="", is_restored=True)
    several = several_end_it(state.recorded, state.shown)
    for request in sorted(state.shown):
        if not state.draft and words_are_equal(request, state.screen) and is_open(state) and not several:
            if not was_used(state.enrolled):
                yield f"the owner approves {request}", changed(
                    state, draft=request, approved_two=state.approved_two or bool(state.seen - {request}),
                    approved_late=state.approved_late or state.has_ended)
        if is_of_the_enrolled(request, state.enrolled) and state.enrolled and not is_gone(state):
            generation = 2 if state.is_removed else 1
            readers = {reader for reader in state.posted if is_sealed_to(request, reader)}
            yield f"the inviter answers {request}", changed(
                state, keys=state.keys | {(reader, generation) for reader in readers})
    yield from _publication(state, several)


def _publication(state, several):
    """A sync publishes an approval, after it has looked whether the invitation has ended."""
    if not state.draft or was_used(state.enrolled):
        return
    if discards_ended_approvals() and (state.has_ended or several):
        return
    late = state.approved_late or state.has_ended
    yield f"a sync publishes the approval of {state.draft}", changed(
        state, enrolled=state.enrolled + (state.draft,), draft="", approved_late=late)
    if not state.held:
        yield "the host keeps the approval, and does not confirm it", changed(state, held=state.draft, draft="")


@promise("Invitation", f"{APPROVAL}: proposal")
def only_the_new_machine_gets_in(state):
    """The invitation enrols no machine but the one whose words the owner has compared."""
    return "t" not in state.enrolled


@promise("Membership-log", "Sources/Core/CofferTrust/Membership/Device.swift: apply")
def a_code_is_used_once(state):
    """A code enrols one machine at most, also if the inviter is restored, or the host keeps an approval."""
    return len(state.enrolled) <= 1


@promise("Invitation", f"{EXCHANGE}: outcome")
def only_the_enrolled_gets_the_key(state):
    """The transport key reaches the machine that the invitation has enrolled, and nobody else."""
    return all(reader in state.enrolled for reader, _ in state.keys)


@promise("Invitation", f"{REVIEW}: refusal")
def a_removed_machine_gets_no_later_key(state):
    """A machine that was removed gets no later transport key by its old request."""
    return all(generation == 1 for _, generation in state.keys)


@promise("Invitation", f"{REVIEW}: init")
def two_requests_end_the_invitation(state):
    """Nothing is approved once the inviter has seen two requests, whichever of them the host shows."""
    return not state.approved_two


@promise("Invitation", "Sources/Sync/CofferExchange/Import/LogImport+Lists.swift: discardEndedApprovals")
def nothing_is_approved_after_the_end(state):
    """The inviter approves and publishes nothing after the invitation has expired or was cancelled."""
    return not state.approved_late


@promise("Invitation", f"{ENROLMENT}: finish")
def the_machine_joins_its_vault(state):
    """The new machine joins the vault of the code, with a log that has enrolled it, and no other one."""
    return state.joined in ("", "the vault")


MODEL = model(
    __name__, bounds="one code, two requests of the new machine, one of a thief; one restored inviter, one removal",
    initial=lambda: [State()], steps=steps)
