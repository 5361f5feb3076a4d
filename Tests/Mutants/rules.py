#!/usr/bin/env python3
"""Breaks the rules of the sync, one at a time, and reports in which simulated world each is found broken."""

import argparse
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from mutants import ROOT, git, with_question

FOLDER = "Sources/Sync/CofferExchange"
REQUIRED_SHARE = 0.95

# The rule, the file, and its text without and with the mutant.
RULES = [
    (
        "a branch that was set back is named",
        "RemoteComparison.swift",
        "if knowsRemote, !continues {",
        "if knowsRemote, !continues, !BROKEN {",
    ),
    (
        "an object that the remote has lost is pushed again",
        "RemoteComparison.swift",
        "        repairs.lost.insert(place)\n"
        "        // The machine",
        "        if !BROKEN { repairs.lost.insert(place) }\n"
        "        // The machine",
    ),
    (
        "an object that the remote has lost is named",
        "RemoteComparison.swift",
        "for path in lostPaths.prefix(Self.namedLossCount) {",
        "for path in lostPaths.prefix(BROKEN ? 0 : Self.namedLossCount) {",
    ),
    (
        "a file with another content is read",
        "RemoteComparison.swift",
        "      add(blob, at: place)\n"
        "    }\n"
        "    guard",
        "      if !BROKEN || change.kind == .added { add(blob, at: place) }\n"
        "    }\n"
        "    guard",
    ),
    (
        "what the remote has not accepted is not published",
        "BranchExchange+Sending.swift",
        "    case .rejected(let reason):\n"
        "      logger",
        "    case .rejected(let reason):\n"
        "      if BROKEN { try local.store.write { try outgoing.markPublished($0) } }\n"
        "      logger",
    ),
    (
        "what is found is kept before the remote is repaired",
        "BranchExchange.swift",
        "    try session.keepProblems()\n"
        "    try importer",
        "    if !BROKEN { try session.keepProblems() }\n"
        "    try importer",
    ),
    (
        "the branch of a later epoch is followed if this one is lost",
        "BranchExchange.swift",
        "if !hasOwn, let outcome",
        "if !BROKEN, !hasOwn, let outcome",
    ),
    (
        "the store is completed after an import that a repair waits for",
        "BranchExchange.swift",
        "if let awaited = beginning.awaitedRepair {",
        "if !BROKEN, let awaited = beginning.awaitedRepair {",
    ),
    (
        "records of a segment whose number another one has are sent again",
        "Import/SegmentImport.swift",
        "        try withdraw(stream, from: number)\n"
        "        FaultPoint",
        "        if !BROKEN { try withdraw(stream, from: number) }\n"
        "        FaultPoint",
    ),
    (
        "segments of a removed machine do not count",
        "Import/SegmentImport.swift",
        "    case .unknown, .revoked, .notOfAdmin:\n",
        "    case .unknown, .revoked, .notOfAdmin:\n"
        "      if BROKEN { break }\n",
    ),
    (
        "a stream with a segment that this machine has not written is left",
        "Import/SegmentImport.swift",
        "} else if try mine == nil && isOwn(stream) {",
        "} else if try !BROKEN && mine == nil && isOwn(stream) {",
    ),
    (
        "a segment of this machine at the remote is published",
        "Import/SegmentImport.swift",
        "if let mine, mine.envelope == bytes {\n",
        "if let mine, mine.envelope == bytes {\n"
        "        if BROKEN { return }\n",
    ),
    (
        "what other machines have seen is named if it is missing",
        "Import/SegmentImport+Streams.swift",
        "guard hasPositions else { return }",
        "guard hasPositions, !BROKEN else { return }",
    ),
    (
        "a machine states what it has seen",
        "OutgoingObjects.swift",
        "let seen = Array(try writer.unreportedStreamHeads().prefix(Limits.seenStreams))",
        "let seen = BROKEN ? [] : Array(try writer.unreportedStreamHeads().prefix(Limits.seenStreams))",
    ),
    (
        "a segment in a lane goes to the branch with the next push",
        "Lanes.swift",
        "try importSegment(segment, envelope, as: nil)",
        "try importSegment(segment, envelope, as: BROKEN ? blob : nil)",
    ),
    (
        "a lane stays until its segments are on the branch",
        "Lanes.swift",
        "        try !lane.isUnread\n",
        "        try BROKEN || !lane.isUnread\n",
    ),
    (
        "a version that a snapshot lacks is sent again",
        "Import/Importer+Adoption.swift",
        "let sentCount = isKnown ? try",
        "let sentCount = isKnown && !BROKEN ? try",
    ),
    (
        "after a change of epoch, segments are published on the new branch",
        "Import/Importer+Adoption.swift",
        "      try writer.unpublishSegments()",
        "      if !BROKEN { try writer.unpublishSegments() }",
    ),
    (
        "a machine that follows another epoch knows the superseded versions of its snapshot",
        "Import/Importer+Adoption.swift",
        "let snapshot = try insertSkeletons(of: checkpoint, by: membership, writer)",
        "let snapshot = BROKEN ? ([], []) : try insertSkeletons(of: checkpoint, by: membership, writer)",
    ),
    (
        "what others write while an epoch ends is on the next branch",
        "Epochs/EpochRoll.swift",
        "let added = try local.store.read { try files(at: changed, $0) }",
        "let added = BROKEN ? [] : try local.store.read { try files(at: changed, $0) }",
    ),
    (
        "an epoch begins with everything that its machine has",
        "Epochs/EpochRoll.swift",
        "guard try reader.outboxCount() == 0,",
        "guard try BROKEN || reader.outboxCount() == 0,",
    ),
    (
        "a branch is deleted only after the vault has gone on",
        "Epochs/EpochExchange.swift",
        "case .closed: guard note.branch.epoch < remote.branch.epoch else { continue }",
        "case .closed: guard BROKEN || note.branch.epoch < remote.branch.epoch else { continue }",
    ),
    (
        "a branch that another machine has ended is not created again",
        "Epochs/EpochExchange.swift",
        "mayCreate: isGone) {",
        "mayCreate: BROKEN || isGone) {",
    ),
    (
        "a machine that ends an epoch pushes the next branch first",
        "Epochs/EpochRoll.swift",
        "guard let candidate = try push(files, chunks, to: next) else { return .refused }",
        "guard let candidate = try push(files, BROKEN ? [] : chunks, to: next) else { return .refused }",
    ),
    (
        "what only another branch has of the log is no loss of this one",
        "Import/LogImport+OtherLogs.swift",
        "session.otherLogPlaces.formUnion(others.places)",
        "if !BROKEN { session.otherLogPlaces.formUnion(others.places) }",
    ),
    (
        "records of a segment that does not follow the one before it are sent again",
        "Import/SegmentImport.swift",
        "try importRecords(of: segment, examined: examined, isStored: false, intoOutbox: true) { _ in }",
        "try importRecords(of: segment, examined: examined, isStored: false, intoOutbox: !BROKEN) { _ in }",
    ),
    (
        "an epoch whose signer was removed since is no fault of the remote",
        "Import/EpochImport.swift",
        ".followedCheckpoint, by: found.device,",
        "BROKEN ? .checkpoint : .followedCheckpoint, by: found.device,",
    ),
    (
        "what a revocation ends leaves the items",
        "Import/SegmentImport+Revocations.swift",
        "    try applyRevocations(of: membership)\n",
        "    if !BROKEN { try applyRevocations(of: membership) }\n",
    ),
    (
        "a file of this machine that the remote has changed is put back",
        "Import/SegmentImport.swift",
        "      if mine.isPublished { repairs.lost.insert(place) }\n      return",
        "      if !BROKEN, mine.isPublished { repairs.lost.insert(place) }\n      return",
    ),
    (
        "a sync looks again if others have deleted a branch that it was to read",
        "BranchExchange.swift",
        "if others.isOutdated {",
        "if !BROKEN, others.isOutdated {",
    ),
    (
        "the branch of the next epoch is not called lost if others have ended that epoch, too",
        "Epochs/EpochExchange.swift",
        "if !isGone { return .outdated }",
        "if !BROKEN, !isGone { return .outdated }",
    ),
]

# Rules that no world can find broken, each with the reason.
UNSEEN = {
    "a stream with a segment that this machine has not written is left":
        "Copies of a machine then collide under each next number, and send again what has collided.",
    "a segment of this machine at the remote is published":
        "The next push puts the same bytes there once more.",
    "after a change of epoch, segments are published on the new branch":
        "The next sync finds that the branch lacks them, and sends them as what it has lost.",
    "what others write while an epoch ends is on the next branch":
        "Whoever follows the next branch has read the one before to its end, and sends what the next one lacks.",
    "an epoch begins with everything that its machine has":
        "The snapshot has what waits in the outbox, and it is sent once more.",
    "a branch is deleted only after the vault has gone on":
        "A sync that does not follow the next branch ends before it deletes any.",
    "a lane stays until its segments are on the branch":
        "The worlds' host loses no single object. HostileLaneTests finds it.",
}


def changed_texts(root):
    """Returns the texts of the sources with the mutants, each with its number from 1, by their paths."""
    texts = {}
    for number, (rule, file, before, after) in enumerate(RULES, 1):
        path = root / FOLDER / file
        text = texts.get(path) or path.read_text()
        if text.count(before) != 1:
            sys.exit(f"mutants: the text of the rule is not once in {FOLDER}/{file}: {rule}")
        texts[path] = text.replace(before, after.replace("BROKEN", f"mutates({number})"))
    return texts


def write(root):
    """Writes the mutants into the sources."""
    for path, text in changed_texts(root).items():
        path.write_text(with_question(text))


def run(number, seed, count, *options):
    """Runs worlds with a mutant, or with none for 0."""
    command = [ROOT / ".build/debug/CofferWorlds", "--seed", str(seed), "--count", str(count), *options]
    return subprocess.run(
        command, cwd=ROOT, env=os.environ | {"COFFER_MUTANT": str(number)}, capture_output=True, text=True)


def find(number, seed, count):
    """Returns what the worlds say of a mutant, first the calm half and then those with races, or None if they find
    nothing."""
    for options in [], ["--races"]:
        result = run(number, seed, count // 2, *options)
        if result.returncode == 0:
            continue
        # The program's errors end with the number of the last world, which is all that it says if it crashes.
        text = result.stdout.strip() or result.stderr.strip()
        lines = text.splitlines() or [f"exit code {result.returncode}"]
        faulty = re.search(r"--seed (\d+)", lines[-1])
        if number and faulty and run(0, faulty[1], 1, *options).returncode != 0:
            sys.exit(f"mutants: the worlds have a fault without a mutant: {lines[-2]}")
        world = " ".join([f"world {int(faulty[1]) - seed + 1}" if faulty else "a crash", *options])
        return f"{world}: {lines[-2 if faulty else -1][:160]}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--skip-build", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("numbers", type=int, nargs="*")
    arguments = parser.parse_args()
    numbers = arguments.numbers or list(range(1, len(RULES) + 1))
    if arguments.list:
        changed_texts(ROOT)
        for number in numbers:
            print(f"{number:3} {RULES[number - 1][0]}")
        return
    if not arguments.skip_build:
        if git("status", "--porcelain", "--", "Sources/Sync"):
            sys.exit("mutants: Sources/Sync has changes: commit them first")
        try:
            write(ROOT)
            command = ["swift", "build", "--traits", "Programs", "--product", "CofferWorlds"]
            result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
            if result.returncode != 0:
                sys.exit(result.stdout[-4000:] + result.stderr[-4000:])
        finally:
            git("checkout", "--", "Sources/Sync")
    if fault := find(0, arguments.seed, 100):
        sys.exit(f"mutants: the worlds have a fault without a mutant: {fault}")
    found, due = 0, len(numbers)
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for number, fault in zip(numbers, pool.map(lambda number: find(number, arguments.seed, arguments.count), numbers)):
            rule = RULES[number - 1][0]
            found += fault is not None
            due -= fault is None and rule in UNSEEN
            state = "found" if fault else "unseen" if rule in UNSEEN else "SURVIVED"
            print(f"{state:8} {number:3} {rule}\n              {fault or UNSEEN.get(rule, '')}".rstrip(), flush=True)
    print(f"{found} of {due} broken rules were found within {arguments.count} worlds")
    if found < REQUIRED_SHARE * due:
        sys.exit(1)


if __name__ == "__main__":
    main()
