import CofferCrypto
import CofferFormat
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// Invitations against a host, or somebody who may push, that alters, swaps, replays, delays and drops what the two sides
/// exchange, with and without the code.
@Suite struct InvitationAttackTests {
  /// Returns bytes with one altered.
  private func altered(_ bytes: [UInt8], at index: Int) -> [UInt8] {
    var bytes = bytes
    bytes[index] ^= 1
    return bytes
  }

  /// A scene with a request that waits, whose machine does not run.
  private func posted(_ scene: InvitationScene, _ invitation: InvitationScene.Invitation) throws -> String {
    _ = try scene.clone(invitation.code, timeout: "0s").wait()
    return try #require(scene.branches().first)
  }

  @Test func `No altered byte of a request or an answer is accepted`() throws {
    let code = InvitationCode.random()
    let device = PartyKeys.random()
    let request = InvitationRequest(
      genesis: EntryHash(.zero), nonce: .zero, keys: device.publicKeys, deliveryKey: AgreementKey.random().publicKey,
      name: "tablet")
    let answer = InvitationAnswer(
      genesis: EntryHash(.zero),
      outcome: .admitted(
        .init(
          head: LogPosition(sequence: 1, hash: EntryHash(.zero)), rootGeneration: 1, transportKey: .random(),
          to: request)))
    let (asked, answered) = (request.sealed(under: code.key), answer.sealed(for: request.hash, under: code.key))
    #expect(asked.count == 1024 && answered.count == 1024)
    #expect(try InvitationRequest(opening: asked, with: code.key) == request)
    #expect(try InvitationAnswer(opening: answered, for: request.hash, with: code.key) == answer)
    for index in asked.indices {
      #expect(throws: FormatError.self) { try InvitationRequest(opening: altered(asked, at: index), with: code.key) }
      #expect(throws: FormatError.self) {
        try InvitationAnswer(opening: altered(answered, at: index), for: request.hash, with: code.key)
      }
    }
    // Neither in place of the other, for another request, or under another code.
    #expect(throws: FormatError.self) { try InvitationRequest(opening: answered, with: code.key) }
    #expect(throws: FormatError.self) { try InvitationAnswer(opening: asked, for: request.hash, with: code.key) }
    #expect(throws: FormatError.self) { try InvitationAnswer(opening: answered, for: .zero, with: code.key) }
    let other = InvitationCode.random().key
    #expect(throws: FormatError.self) { try InvitationRequest(opening: asked, with: other) }
    #expect(throws: FormatError.self) { try InvitationAnswer(opening: answered, for: request.hash, with: other) }
    // The code alone does not open the transport key.
    guard case .admitted(let admission) = answer.outcome else { return }
    #expect(throws: CryptoError.self) { try admission.transportKey(openedBy: .random()) }
    #expect(throws: Never.self) { try admission.transportKey(openedBy: device.agreement) }
    // A machine that states a key of small order is answered, and gets no transport key.
    let unusable = InvitationRequest(
      genesis: EntryHash(.zero), nonce: .zero,
      keys: PartyPublicKeys(verifying: device.publicKeys.verifying, box: BoxKey(.zero)),
      deliveryKey: AgreementKey.random().publicKey, name: "tablet")
    let decoy = InvitationAnswer.Admission(
      head: LogPosition(sequence: 1, hash: EntryHash(.zero)), rootGeneration: 1, transportKey: .random(), to: unusable)
    #expect(decoy.transportBox.count == admission.transportBox.count)
  }

  @Test func `An altered request enrols nobody and is named; the machine that waits posts its own again`() throws {
    let scene = try InvitationScene()
    let invitation = try scene.invite()
    let branch = try posted(scene, invitation)
    let genuine = try scene.remote.bytes(of: "request", on: branch)
    for bytes in [altered(genuine, at: 5), altered(genuine, at: 600), [], Array(genuine.dropLast())] {
      try scene.remote.serve(["request": bytes], as: branch)
      let sync = try scene.laptop.coffer("sync")
      #expect(sync.contains("A request for the invitation \(invitation.invitation) does not open"))
      let refused = try scene.approve()
      #expect(refused.exitCode == 6 && refused.errors.contains("it was altered, or its sender"), "\(refused)")
      try scene.expectNobodyElse()
    }
    let program = try scene.clone(invitation.code)
    try waitUntil("the request is posted again") { try scene.remote.bytes(of: "request", on: branch) == genuine }
    #expect(try scene.approve().exitCode == 0)
    #expect(try program.wait().exitCode == 0)
  }

  @Test func `An altered, foreign or exchanged answer is refused, and the genuine one still counts later`() throws {
    let scene = try InvitationScene()
    let first = try scene.invite("--apps", app)
    let branch = try posted(scene, first)
    #expect(try scene.approve().exitCode == 0)
    let request = try scene.remote.bytes(of: "request", on: branch)
    let genuine = try scene.remote.bytes(of: "answer", on: branch)
    // The answer to another machine, by another invitation of the same inviter.
    let second = try scene.invite()
    let other = try Machine()
    _ = try scene.clone(second.code, on: other, named: "other", timeout: "0s").wait()
    #expect(try scene.approve(second.invitation).exitCode == 0)
    let otherBranch = try #require(scene.branches().first { $0 != branch })
    let foreign = try scene.remote.bytes(of: "answer", on: otherBranch)
    for answer in [altered(genuine, at: 5), altered(genuine, at: 700), foreign, request, [1], []] {
      try scene.remote.serve(["request": request, "answer": answer], as: branch)
      let outcome = try scene.clone(first.code, timeout: "0s").wait()
      #expect(
        outcome.exitCode == 6 && outcome.errors.contains("the answer in the repository does not open: it was altered"),
        "\(outcome)")
      #expect(!scene.isEnrolled)
    }
    // Dropped, it is waited for.
    try scene.remote.serve(["request": request], as: branch)
    #expect(try scene.clone(first.code, timeout: "0s").wait().exitCode == 7)
    try scene.remote.serve(["request": request, "answer": genuine], as: branch)
    let done = try scene.clone(first.code, timeout: "0s").wait()
    #expect(done.exitCode == 0, "\(done)")
    #expect(try scene.new.roles()["tablet"] == "member")
  }

  @Test func `Requests that are swapped between invitations, replayed or copied enrol nobody else`() throws {
    let scene = try InvitationScene()
    let (first, second) = (try scene.invite(), try scene.invite("--apps", app))
    let other = try Machine()
    let branch = try posted(scene, first)
    _ = try scene.clone(second.code, on: other, named: "other", timeout: "0s").wait()
    let otherBranch = try #require(scene.branches().first { $0 != branch })
    let request = try scene.remote.bytes(of: "request", on: branch)
    let otherRequest = try scene.remote.bytes(of: "request", on: otherBranch)
    try scene.remote.serve(["request": otherRequest], as: branch)
    try scene.remote.serve(["request": request], as: otherBranch)
    for invitation in [first, second] {
      let refused = try scene.approve(invitation.invitation)
      #expect(refused.exitCode == 6 && refused.errors.contains("does not open"), "\(refused)")
    }
    try scene.expectNobodyElse()
    // A copy of a request under another label is not a second request.
    try scene.remote.serve(["request": request], as: branch)
    try scene.remote.serve(["request": otherRequest], as: otherBranch)
    let label = String(repeating: "0", count: 32)
    try scene.remote.serve(["request": request], as: "invite-\(try first.key.id)-\(label)")
    #expect(try scene.approve(first.invitation).exitCode == 0)
    #expect(try scene.clone(first.code, timeout: "0s").wait().exitCode == 0)
    // Replayed after its use, or with a later invitation, it changes nothing.
    let head = try scene.laptop.status("headPhrase")
    try scene.remote.serve(["request": request], as: branch)
    let third = try scene.invite()
    try scene.remote.serve(
      ["request": request], as: "invite-\(try third.key.id)-\(branch.split(separator: "-").last ?? "")")
    #expect(try scene.approve(first.invitation).exitCode == 2)
    #expect(try scene.approve(third.invitation).exitCode == 6)
    #expect(try scene.laptop.status("headPhrase") == head)
    #expect(try scene.laptop.roles() == ["laptop": "admin", "desktop": "admin", "tablet": "member"])
  }

  @Test func `A request that the host drops is posted again, and delayed files arrive later`() throws {
    let scene = try InvitationScene()
    let invitation = try scene.invite()
    let program = try scene.clone(invitation.code)
    let branch = try #require(scene.waitForRequests().first)
    let request = try scene.remote.bytes(of: "request", on: branch)
    for _ in 0..<2 {
      try scene.remote.drop(branch)
      try scene.waitForRequests()
      #expect(try scene.remote.bytes(of: "request", on: branch) == request)
    }
    #expect(program.isRunning)
    #expect(try scene.approve().exitCode == 0)
    #expect(try program.wait().exitCode == 0)
  }

  @Test func `The new machine accepts no older state of the vault than the answer names`() throws {
    let scene = try InvitationScene()
    let invitation = try scene.invite("--apps", app)
    let before = scene.remote.tip
    _ = try posted(scene, invitation)
    #expect(try scene.approve().exitCode == 0)
    let after = scene.remote.tip
    let states = try [before, scene.remote.git("rev-list", "--max-parents=0", after)]
    for commit in states {
      try scene.remote.serve(commit)
      let outcome = try scene.clone(invitation.code, timeout: "0s").wait()
      #expect(outcome.exitCode == 6 && !scene.isEnrolled, "\(outcome)")
      if commit == before {
        #expect(outcome.errors.contains("an older or other state of the vault than the answer names"), "\(outcome)")
      }
    }
    // Without the machine's own entry, but of the same length: another admin's entries in its place.
    try scene.remote.serve(before)
    #expect(try scene.two.desktop.addApp("one").exitCode == 0)
    #expect(try scene.two.desktop.addApp("two").exitCode == 0)
    let other = try scene.clone(invitation.code, timeout: "0s").wait()
    #expect(other.exitCode == 6 && !scene.isEnrolled, "\(other)")
    try scene.remote.serve(after)
    #expect(try scene.clone(invitation.code, timeout: "0s").wait().exitCode == 0)
    #expect(try scene.new.status("headPhrase") == scene.laptop.status("headPhrase"))
  }

  @Test func `A machine that is shown another vault is refused, and both sides are told`() throws {
    let scene = try InvitationScene()
    let invitation = try scene.invite()
    // The host shows the new machine a vault of its own, and carries the request to the real one.
    let falseRemote = try TemporaryRemote()
    let attacker = try Machine()
    try attacker.makeVault(name: "attacker")
    try attacker.coffer("remote", "set", falseRemote.path)
    try attacker.coffer("sync")
    _ = try scene.clone(invitation.code, from: falseRemote.path, timeout: "0s").wait()
    let branch = try #require(scene.branches(of: falseRemote).first)
    let request = try falseRemote.bytes(of: "request", on: branch)
    try scene.remote.serve(["request": request], as: branch)
    let refused = try scene.approve(invitation.invitation)
    #expect(refused.exitCode == 6 && refused.errors.contains("was shown another vault than this one"), "\(refused)")
    try scene.expectNobodyElse()
    let answer = try scene.remote.bytes(of: "answer", on: branch)
    try falseRemote.serve(["request": request, "answer": answer], as: branch)
    let outcome = try scene.clone(invitation.code, from: falseRemote.path, timeout: "0s").wait()
    #expect(outcome.exitCode == 6 && outcome.errors.contains("holds another vault than that"), "\(outcome)")
    // The code is still good for the right repository.
    try scene.remote.drop(branch)
    #expect(try scene.enrol(invitation).exitCode == 0)
  }

  @Test func `A vault that is exchanged after the answer is refused`() throws {
    let scene = try InvitationScene()
    let invitation = try scene.invite()
    _ = try posted(scene, invitation)
    #expect(try scene.approve().exitCode == 0)
    let attacker = try Machine()
    let falseRemote = try TemporaryRemote()
    try attacker.makeVault(name: "attacker")
    try attacker.coffer("remote", "set", falseRemote.path)
    try attacker.coffer("sync")
    let genuine = scene.remote.tip
    try scene.remote.git("fetch", "--quiet", falseRemote.path, "refs/heads/vault-1")
    try scene.remote.serve(scene.remote.git("rev-parse", "FETCH_HEAD"))
    let outcome = try scene.clone(invitation.code, timeout: "0s").wait()
    #expect(
      outcome.exitCode == 6 && outcome.errors.contains("holds another vault than when this machine asked"), "\(outcome)"
    )
    #expect(!scene.isEnrolled)
    try scene.remote.serve(genuine)
    #expect(try scene.clone(invitation.code, timeout: "0s").wait().exitCode == 0)
  }

  @Test func `Whoever has the code and is faster is shown with other words than the invited machine`() throws {
    let scene = try InvitationScene()
    let invitation = try scene.invite("--apps", app)
    let thief = try Machine()
    let stolen = try scene.clone(invitation.code, on: thief, timeout: "0s").wait()
    let thiefsBranch = try #require(scene.branches().first)
    // The host shows the owner the thief's request only, under the same name.
    let honest = try scene.clone(invitation.code, timeout: "0s").wait()
    let honestBranch = try #require(scene.branches().first { $0 != thiefsBranch })
    let honestRequest = try scene.remote.bytes(of: "request", on: honestBranch)
    try scene.remote.drop(honestBranch)
    try scene.laptop.coffer("sync")
    let shown = try InvitationScene.words(in: scene.laptop.coffer("device", "list"))
    #expect(try shown == InvitationScene.words(in: stolen.text))
    #expect(try shown != InvitationScene.words(in: honest.text))
    // Exchanged for the honest one later, the first is remembered: the code is burned.
    try scene.remote.drop(thiefsBranch)
    try scene.remote.serve(["request": honestRequest], as: honestBranch)
    let refused = try scene.approve(invitation.invitation)
    #expect(refused.exitCode == 6 && refused.errors.contains("both are refused"), "\(refused)")
    try scene.expectNobodyElse()
  }

  @Test func `Whoever has the code cannot forge an answer that the new machine follows`() throws {
    let scene = try InvitationScene()
    let invitation = try scene.invite()
    let branch = try posted(scene, invitation)
    let key = try invitation.key
    let file = try scene.remote.bytes(of: "request", on: branch)
    let request = try InvitationRequest(opening: file, with: key)
    let membership = try scene.laptop.local.settledMembership()
    let transport = try #require(scene.laptop.local.deviceFile().transportKeys.last)
    func serve(_ head: LogPosition, _ transportKey: TransportKey, root: UInt32 = 1) throws -> Machine.Outcome {
      let admission = InvitationAnswer.Admission(
        head: head, rootGeneration: root, transportKey: transportKey, to: request)
      let answer = InvitationAnswer(genesis: request.genesis, outcome: .admitted(admission))
      try scene.remote.serve(["request": file, "answer": answer.sealed(for: request.hash, under: key)], as: branch)
      return try scene.clone(invitation.code, timeout: "0s").wait()
    }
    // A key of its own, a head that does not exist, and the real ones without the machine's entry in the log.
    let unreal = LogPosition(sequence: membership.head.sequence, hash: EntryHash(.zero))
    let ahead = LogPosition(sequence: membership.head.sequence + 1, hash: membership.head.hash)
    for (head, transportKey) in [
      (membership.head, TransportKey.random()), (unreal, transport), (ahead, transport), (membership.head, transport),
    ] {
      let outcome = try serve(head, transportKey)
      #expect(outcome.exitCode == 6 && !scene.isEnrolled, "\(outcome)")
    }
    let own = try serve(membership.head, transport)
    #expect(own.errors.contains("the membership log does not enrol this machine as its request asked"), "\(own)")
    #expect(try serve(membership.head, transport, root: 2).errors.contains("an older or other state"))
    #expect(try scene.approve().exitCode == 0)
    #expect(try scene.clone(invitation.code, timeout: "0s").wait().exitCode == 0)
  }

  @Test func `An admin who uses an invitation's identifier for another machine makes its approval impossible`() throws {
    let scene = try InvitationScene()
    let invitation = try scene.invite()
    _ = try posted(scene, invitation)
    let membership = try scene.two.desktop.local.membership()
    let foreign = Statement.invitedDevice(
      InvitedDeviceStatement(
        keys: PartyKeys.random().publicKeys, deliveryKey: AgreementKey.random().publicKey,
        invitation: try invitation.key.id, name: "foreign"))
    try scene.remote.put(scene.two.desktop.sealEntry(foreign, after: membership.head))
    let refused = try scene.approve(invitation.invitation)
    #expect(refused.exitCode == 2 && refused.errors.contains("was used already: it has enrolled foreign"), "\(refused)")
    let outcome = try scene.clone(invitation.code, timeout: "0s").wait()
    #expect(outcome.exitCode == 4 && outcome.errors.contains("the code was used already"), "\(outcome)")
  }

  @Test func `Branches of any name, number and size block neither a sync nor a clone`() throws {
    let scene = try InvitationScene()
    let invitation = try scene.invite()
    let id = try invitation.key.id
    let large = [UInt8](repeating: 7, count: 3 << 20)
    try scene.remote.serve(["request": large], as: "invite-\(id)-\(String(repeating: "a", count: 32))")
    let blob = try scene.remote.git("rev-parse", "invite-\(id)-\(String(repeating: "a", count: 32)):request")
    let tree = try Command.run(
      "sh", "-c", "printf '040000 tree %s\\trequest\\n120000 blob %s\\tanswer\\n' \"$2\" \"$3\" | git -C \"$1\" mktree",
      "sh",
      scene.remote.path, scene.remote.git("rev-parse", "vault-1^{tree}"), blob)
    let commit = try scene.remote.git("commit-tree", "-m", "x", tree)
    for index in 0..<40 {
      let label = String(repeating: "0", count: 30) + String(index + 10)
      try scene.remote.git("update-ref", "refs/heads/invite-\(id)-\(label)", commit)
    }
    for name in ["invite-", "invite-x", "invite-\(id)", "invite-\(id)-x", "invite-\(id)-\(id)-\(id)", "invite-ß-\(id)"]
    {
      try scene.remote.git("update-ref", "refs/heads/\(name)", commit)
    }
    for machine in [scene.laptop, scene.two.desktop] {
      try machine.set("item of \(machine.home.path.count)", "1")
      let sync = try machine.run("coffer", "sync")
      // Only the machine that has made the invitation looks at them.
      #expect(sync.exitCode == (machine === scene.laptop ? 6 : 0), "\(sync)")
      #expect(try machine.status("unsyncedChanges") == "0")
    }
    let named = try scene.laptop.run("coffer", "sync")
    #expect(
      named.errors.contains("branches for the invitation \(invitation.invitation), of which 16 are read"), "\(named)")
    let other = try Machine()
    let cloned = try other.run(
      "coffer", "clone", "--name", "third", "--no-passphrase", "--vault-key-file", scene.two.key, scene.remote.path)
    #expect(cloned.exitCode == 0, "\(cloned)")
    // Those that are left do not keep a genuine request away.
    for branch in try scene.branches() where branch.contains("-00000") { try scene.remote.drop(branch) }
    let left = try scene.branches().count
    let program = try scene.clone(invitation.code)
    try scene.waitForRequests(left + 1)
    let approved = try scene.approve()
    #expect(approved.exitCode == 0, "\(approved)")
    #expect(try program.wait().exitCode == 0)
  }

  @Test func `A planted answer does not end the wait for the genuine one`() throws {
    let scene = try InvitationScene()
    let invitation = try scene.invite("--apps", app)
    let program = try scene.clone(invitation.code)
    let branch = try #require(scene.waitForRequests().first)
    let request = try scene.remote.bytes(of: "request", on: branch)
    for answer: [UInt8] in [[1], []] {
      try scene.remote.serve(["request": [1], "answer": answer], as: branch)
      try waitUntil("the request is posted again") { try scene.remote.bytes(of: "request", on: branch) == request }
    }
    #expect(program.isRunning)
    #expect(try scene.approve().exitCode == 0)
    #expect(try program.wait().exitCode == 0)
  }

  @Test func `Planted branches do not displace a request that is known`() throws {
    let scene = try InvitationScene()
    let invitation = try scene.invite("--apps", app)
    let branch = try posted(scene, invitation)
    try scene.laptop.coffer("sync")
    let id = try invitation.key.id
    let commit = try scene.remote.git("rev-parse", branch)
    for index in 0..<20 {
      let label = String(repeating: "0", count: 30) + String(index + 10)
      try scene.remote.git("update-ref", "refs/heads/invite-\(id)-\(label)", commit)
    }
    let approved = try scene.approve()
    #expect(approved.exitCode == 0, "\(approved)")
    #expect(try scene.clone(invitation.code, timeout: "0s").wait().exitCode == 0)
  }

  @Test func `A machine that is taken out before it has finished is told so, and gets no later key`() throws {
    let scene = try InvitationScene()
    let invitation = try scene.invite("--apps", app)
    let branch = try posted(scene, invitation)
    let request = try scene.remote.bytes(of: "request", on: branch)
    #expect(try scene.approve().exitCode == 0)
    try scene.laptop.coffer("device", "revoke", "tablet", "--yes")
    let outcome = try scene.clone(invitation.code, timeout: "0s").wait()
    #expect(outcome.exitCode == 4 && outcome.errors.contains("taken out") && !scene.isEnrolled, "\(outcome)")
    // The host shows the request again, without the answer.
    try scene.remote.serve(["request": request], as: branch)
    try scene.laptop.coffer("sync")
    let (key, hash) = (try invitation.key, try InvitationRequest(opening: request, with: invitation.key).hash)
    let answer = try InvitationAnswer(
      opening: scene.remote.bytes(of: "answer", on: branch), for: hash, with: key)
    #expect(answer.outcome == .refused(.cancelled))
    let again = try scene.clone(invitation.code, timeout: "0s").wait()
    #expect(again.exitCode == 4 && again.errors.contains("the invitation was cancelled"), "\(again)")
  }

  @Test func `A transport key that was replaced after the answer does not keep the machine out`() throws {
    let scene = try InvitationScene()
    let invitation = try scene.invite("--apps", app)
    _ = try posted(scene, invitation)
    #expect(try scene.approve().exitCode == 0)
    try scene.laptop.coffer("device", "revoke", "desktop", "--yes", "--vault-key-file", scene.two.key)
    let outcome = try scene.clone(invitation.code, timeout: "0s").wait()
    #expect(outcome.exitCode == 0, "\(outcome)")
    try scene.new.set("x", "1")
    try scene.new.coffer("sync")
  }
}
