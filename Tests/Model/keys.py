"""Revocation batches and the keys of a group: who opens which generation, at every prefix of every log.

Root and the admin B are honest. The admin A signs whatever the rules let it sign, and keeps every key that it makes
or delivers. Apps are delivered to the member machine M and to the admins' machines; machines, admins and apps are
removed by batches, of which the host shows any prefix. A state is what a log says, and each prefix of a log is a
state.
"""

from itertools import combinations
from typing import NamedTuple

from checker import model, promise, rule

FOLD = "Sources/Core/CofferTrust/Membership"
REMOVAL = "Sources/Administration/CofferAdministration/Membership/Removal.swift"
KEYS = "Sources/Core/CofferKeys/Groups/RegisteredGroup+Keys.swift"
LENGTH = 6
GROUP, TRANSPORT = "the group's key", "the transport key"
MACHINE = {"A": "A's machine", "B": "B's machine"}
EVERYBODY = frozenset({"M", *MACHINE.values()})


class Principal(NamedTuple):
    """An app's author on a machine, with the admin who made its keys."""

    machine: str
    maker: str


class Generation(NamedTuple):
    """A generation of the group's key: to whom it is sealed in truth, and which one it wraps in truth."""

    maker: str
    sealed: frozenset
    wraps: int


class Batch(NamedTuple):
    """What still has to follow a revocation."""

    signer: str
    remaining: int
    keys: frozenset
    before: object


class Membership(NamedTuple):
    """What a log says."""

    length: int = 0
    admins: frozenset = frozenset("AB")
    principals: frozenset = frozenset()
    cut: frozenset = frozenset()
    gone: frozenset = frozenset()
    generations: tuple = (Generation("B", frozenset({"root", "A", "B"}), 0),)
    # The machines to which the newest transport key is sealed.
    transport: frozenset = EVERYBODY
    batch: Batch | None = None

    @property
    def effective(self):
        """The membership that counts while a batch is not complete."""
        return self.batch.before if self.batch and a_batch_counts_whole() else self


FIRST = Membership()


@rule("Revocation", f"{FOLD}/EntryBatch.swift: complete", broken=False)
def a_batch_counts_whole():
    """A revocation and the entries after it take effect together: until then, the membership is that before it."""
    return True


@rule("Revocation", f"{FOLD}/EntryBatch.swift: following")
def belongs_to_the_batch(batch, signer, key):
    """The entries of a batch have its signer, introduce the keys that it names, and leave room for those to come."""
    remaining = batch.keys - {key}
    return signer == batch.signer and (key is None or key in batch.keys) and len(remaining) <= batch.remaining - 1


@rule("Revocation", f"{FOLD}/Membership+Revocation.swift: apply")
def has_room_for_its_keys(keys, following):
    """A revocation announces at least as many entries as it names keys."""
    return len(keys) <= following


@rule("Revocation", f"{FOLD}/Succession.swift: checkKeys")
def names_the_lost_keys(keys, lost):
    """A revocation names a new key of each group that somebody loses, and of the transport key if a machine goes."""
    return lost <= keys


@rule("Revocation", f"{FOLD}/Membership+Revocation.swift: apply")
def cuts_all_on_the_machine(membership, machine, cut):
    """A revocation of a machine cuts every author on it."""
    return _on(membership, machine) <= cut


@rule("Membership-log", f"{FOLD}/Membership.swift: verifyingKey")
def may_sign(membership, signer):
    """Root and admins sign entries, and whoever was cut does not any more."""
    return signer == "root" or signer in membership.admins


@rule("Revocation", f"{FOLD}/Membership+Revocation.swift: apply")
def may_remove(signer, subject):
    """Only root removes an admin."""
    return signer == "root" or subject == "M" or isinstance(subject, Principal)


@rule("Membership-log", f"{FOLD}/Membership.swift: apply")
def may_get_principals(membership, machine):
    """No principal is added on a revoked machine."""
    return machine not in membership.gone


@rule("Roles", f"{REMOVAL}: delivered", broken=frozenset())
def made_for_others(membership, admin):
    """Who cuts an admin cuts every principal on other machines whose keys the admin has made."""
    return frozenset(each for each in membership.principals if each.maker == admin and each.machine != MACHINE[admin])


@rule("Keys-of-a-group", f"{KEYS}: keys", broken=lambda membership, known: 0)
def wrapped_by_the_next(membership, known):
    """The next generation wraps the newest that its maker opens, also if somebody has made a later one worthless."""
    return max(known, default=0)


@rule("Revocation", "Sources/Core/Coffer/Engine/Keyring.swift: Keyring",
      broken=lambda newest, known: max(known, default=0))
def sealing_generation(newest, known):
    """A writer seals under the newest generation; if it has no key for that, it does not use an older one."""
    return newest if newest in known else 0


def _on(membership, machine):
    admins = {admin for admin in membership.admins if MACHINE[admin] == machine}
    return admins | {each for each in membership.principals if each.machine == machine}


def opened(membership, names, makers=frozenset()):
    """The generations that somebody opens who has the keys of some recipients and what some admins have made."""
    known = set()
    for number in range(len(membership.generations), 0, -1):
        generation = membership.generations[number - 1]
        if generation.sealed & names or generation.maker in makers:
            while number and number not in known:
                known.add(number)
                number = membership.generations[number - 1].wraps
    return known


def _followed(membership, signer, key=None, **changes):
    """The membership after an entry, with what is left of its batch; nothing if the entry does not belong to it."""
    batch = membership.batch
    if batch:
        if not belongs_to_the_batch(batch, signer, key):
            return None
        batch = batch._replace(remaining=batch.remaining - 1, keys=batch.keys - {key})
    batch = changes.pop("batch", batch)
    if batch and batch.remaining == 0:
        batch = None
    return membership._replace(length=membership.length + 1, batch=batch, **changes)


def _renewals(membership, signer):
    readers = frozenset({"root"}) | membership.admins | membership.principals
    wraps = wrapped_by_the_next(membership, opened(membership, {signer}))
    yield "", Generation(signer, readers, wraps)
    if signer == "A":
        yield " with worthless boxes", Generation("A", frozenset(), 0)


def _revocations(membership, signer):
    subjects = ["M", "A", MACHINE["A"], *sorted(membership.principals)] + (["B"] if signer == "A" else [])
    for subject in subjects:
        if subject in membership.gone | membership.cut or not may_remove(signer, subject):
            continue
        machine = subject if subject in EVERYBODY else None
        named = _on(membership, machine) if machine else {subject}
        if subject in ("A", MACHINE["A"]):
            named |= made_for_others(membership, "A")
        # A wrong program may leave out authors; readers must notice it.
        for cut in {frozenset(named), frozenset()} if machine == "M" else {frozenset(named)}:
            if machine and not cuts_all_on_the_machine(membership, machine, cut):
                continue
            lost = ({GROUP} if cut else set()) | ({TRANSPORT} if machine else set())
            for count in range(3):
                for keys in map(frozenset, combinations((GROUP, TRANSPORT), count)):
                    if names_the_lost_keys(keys, lost):
                        yield subject, machine, cut, keys


def steps(membership):
    if membership.length == LENGTH:
        return
    for signer in ("root", "A", "B"):
        if not may_sign(membership, signer):
            continue
        for words, generation in _renewals(membership, signer):
            yield f"{signer} renews the group's key{words}", _followed(
                membership, signer, GROUP, generations=membership.generations + (generation,))
        if membership.batch:
            # A transport key is sealed to all machines that are left.
            yield f"{signer} renews the transport key", _followed(
                membership, signer, TRANSPORT, transport=EVERYBODY - membership.gone)
            continue
        yield from _deliveries(membership, signer)
        for subject, machine, cut, keys in _revocations(membership, signer):
            for following in range(max(0, len(keys) - 1), len(keys) + 1):
                if has_room_for_its_keys(keys, following):
                    batch = Batch(signer, following, keys, membership) if following else None
                    words = f"{signer} removes {_words(subject)}, with {', '.join(sorted(keys)) or 'no key'} to follow"
                    yield words, _followed(
                        membership, signer, batch=batch, admins=membership.admins - cut,
                        principals=membership.principals - cut, cut=membership.cut | cut,
                        gone=membership.gone | ({machine} if machine else set()))


def _deliveries(membership, signer):
    if signer == "root":
        return
    known = opened(membership, {signer})
    for machine in sorted(EVERYBODY - {MACHINE[signer]}):
        principal = Principal(machine, signer)
        if principal in membership.principals | membership.cut or not may_get_principals(membership, machine):
            continue
        generations = list(membership.generations)
        if known:
            newest = generations[max(known) - 1]
            generations[max(known) - 1] = newest._replace(sealed=newest.sealed | {principal})
        yield f"{signer} delivers an app to {machine}", _followed(
            membership, signer, principals=membership.principals | {principal}, generations=tuple(generations))


def _words(subject):
    return f"the app on {subject.machine} that {subject.maker} delivered" if isinstance(subject, Principal) else subject


def _steps(membership):
    return ((words, after) for words, after in steps(membership) if after)


def _written(membership):
    """The generation under which B writes by what the log says; 0 if it does not write."""
    return sealing_generation(len(membership.generations), opened(membership, {"B"}))


@promise("Revocation", f"{FOLD}/Membership+Access.swift: recipients")
def nobody_removed_opens_a_later_key(membership):
    """Nobody who was removed opens what others write after that: neither by old keys nor by those made for others."""
    now = membership.effective
    written = _written(now)
    for removed in now.gone | now.cut:
        admin = next((each for each in "A" if removed in (each, MACHINE[each])), None)
        machine = MACHINE[admin] if admin else removed
        principals = now.cut | now.principals
        names = {each for each in principals if isinstance(each, Principal) and (
            machine == each.machine or admin == each.maker)}
        if isinstance(removed, Principal):
            names = {removed}
        # A machine that stays in the vault reads with the apps that it keeps.
        if machine not in now.gone:
            names -= {each for each in now.principals if each.machine == machine}
            if any(each.machine == machine for each in now.principals):
                continue
        if written and written in opened(now, names | ({admin} if admin else set()), {admin}):
            return False
    return True


@promise("Revocation", f"{FOLD}/Membership+Revocation.swift: apply")
def no_removed_machine_has_the_transport_key(membership):
    """A machine that was revoked has no box of the newest transport key."""
    now = membership.effective
    return not now.transport & now.gone


@promise("Keys-of-a-group", f"{KEYS}: openChain")
def nobody_loses_earlier_keys(membership):
    """Whoever opens a generation that an honest admin made opens all that honest admins have made before it."""
    honest = [number for number, each in enumerate(membership.generations, 1) if each.maker != "A"]
    for reader in {"root", "B", *membership.principals}:
        known = opened(membership, {reader})
        newest = max(known & set(honest), default=0)
        if any(number < newest and number not in known for number in honest):
            return False
    return True


@promise("Revocation", f"{FOLD}/EntryBatch.swift: following")
def every_batch_can_end(membership):
    """After each entry of a batch, its signer can sign the next one, until the batch is complete."""
    batch = membership.batch
    return batch is None or len(batch.keys) <= batch.remaining


@promise("Revocation", f"{FOLD}/Membership+Revocation.swift: holders")
def no_author_is_left_on_a_removed_machine(membership):
    """No author has rights on a machine that was revoked."""
    now = membership.effective
    return all(not _on(now, machine) for machine in now.gone)


@promise("Revocation", f"{FOLD}/Membership+Revocation.swift: apply")
def no_admin_removes_another(membership):
    """An admin whom root has not removed stays one, whatever the other admins sign."""
    return "B" in membership.admins


MODEL = model(
    __name__, bounds=f"{LENGTH} entries; two admins of whom one lies, a member, one group", initial=lambda: [FIRST],
    steps=_steps)
