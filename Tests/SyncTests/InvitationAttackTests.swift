import CofferAdministration
import CofferCrypto
import CofferFormat
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// Invitations against a host, or somebody who may push, that alters, swaps, replays, delays and drops what the two
/// sides exchange, without the code.
@Suite struct InvitationAttackTests {
  /// Returns bytes with one altered.
  private func altered(_ bytes: [UInt8], at index: Int) -> [UInt8] {
    var bytes = bytes
    bytes[index] ^= 1
    return bytes
  }

  @Test func `No altered byte of a request or an answer is accepted`() throws {
    let code = InvitationCode.random(for: EntryHash(.zero))
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
    let other = InvitationCode.random(for: EntryHash(.zero)).key
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
    let branch = try scene.post(invitation)
    let genuine = try scene.remote.bytes(of: "request", on: branch)
    for bytes in [altered(genuine, at: 5), altered(genuine, at: 600), [], Array(genuine.dropLast())] {
      try scene.remote.serve(["request": bytes], as: branch)
      let sync = try scene.laptop.coffer("sync")
      #expect(sync.contains("A request for the invitation \(invitation.invitation) does not open"))
      let refused = try scene.approve()
      #expect(refused.exitCode == 6, "\(refused)")
      #expect(refused.errors.contains("somebody with push access has altered it"), "\(refused)")
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
    let branch = try scene.post(first)
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
    let branch = try scene.post(first)
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
    // A copy of a request under a label that the code did not make is not a second request.
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
    #expect(try scene.approve(third.invitation).exitCode == 3)
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
    _ = try scene.post(invitation)
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

  @Test func `An admin who uses an invitation's identifier for another machine makes its approval impossible`() throws {
    let scene = try InvitationScene()
    let invitation = try scene.invite()
    _ = try scene.post(invitation)
    let membership = try scene.two.desktop.local.membership()
    let foreign = Statement.device(
      DeviceStatement(
        keys: PartyKeys.random().publicKeys,
        role: .invited(try invitation.key.id, delivery: AgreementKey.random().publicKey), name: "foreign"))
    try scene.remote.put(scene.two.desktop.sealEntry(foreign, after: membership.head))
    let refused = try scene.approve(invitation.invitation)
    #expect(refused.exitCode == 2 && refused.errors.contains("was used already: it has enrolled foreign"), "\(refused)")
    let outcome = try scene.clone(invitation.code, timeout: "0s").wait()
    #expect(outcome.exitCode == 4 && outcome.errors.contains("the code was used already"), "\(outcome)")
  }

  @Test func `A machine that is removed before it has finished is told so, and gets no later key`() throws {
    let scene = try InvitationScene()
    let invitation = try scene.invite("--apps", app)
    let branch = try scene.post(invitation)
    let request = try scene.remote.bytes(of: "request", on: branch)
    #expect(try scene.approve().exitCode == 0)
    try scene.laptop.coffer("device", "revoke", "tablet", "--yes")
    let outcome = try scene.clone(invitation.code, timeout: "0s").wait()
    #expect(outcome.exitCode == 4 && outcome.errors.contains("removed") && !scene.isEnrolled, "\(outcome)")
    // The host shows the request again, without the answer.
    try scene.remote.serve(["request": request], as: branch)
    try scene.laptop.sync()
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
    _ = try scene.post(invitation)
    #expect(try scene.approve().exitCode == 0)
    try scene.laptop.coffer("device", "revoke", "desktop", "--yes", "--vault-key-file", scene.two.key)
    let outcome = try scene.clone(invitation.code, timeout: "0s").wait()
    #expect(outcome.exitCode == 0, "\(outcome)")
    try scene.new.set("x", "1")
    try scene.new.sync()
  }

  @Test func `Keys that a member plants before those of the vault keep no invited machine out`() throws {
    let removed = try InvitationScene()
    #expect(try removed.enrol(removed.invite(), named: "removed").exitCode == 0)
    // The transport key is from an admin whom the genesis does not name.
    let desktop = removed.two.desktop
    try desktop.sync()
    try desktop.coffer("device", "revoke", "removed", "--yes")
    try removed.laptop.sync()
    let scene = InvitationScene(removed.two, new: try Machine())
    let invitation = try scene.invite()
    _ = try scene.post(invitation)
    #expect(try scene.approve(invitation.invitation).exitCode == 0)
    let membership = try scene.laptop.local.membership()
    let key = try #require(scene.laptop.local.deviceFile().transportKeys.last)
    #expect(key.generation == 2)
    let stranger = PartyKeys.random()
    let genuine = scene.remote.tip
    try scene.remote.tamper { tree in
      try FileManager.default.removeItem(at: tree.appending(path: "log"))
      for number in 1...64 {
        let entry = LogEntry(
          vault: membership.vault, after: membership.head, time: .now,
          signer: .admin(AuthorID(vault: membership.vault, keys: stranger.publicKeys)), key: stranger.signing,
          statement: .transportKey(
            TransportKeyStatement(
              generation: 2, commitment: key.commitment, wrappedPrevious: key.wrap(.random(), in: membership.vault),
              boxes: [])))
        let file = tree.appending(path: "log/\(number / 64)/\(number)")
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(Envelope(sealing: entry.bytes, as: .logEntry, key: key.key, generation: 2).bytes).write(to: file)
      }
    }
    // It looks as if it were of a later epoch, so it is read first.
    try scene.remote.git("update-ref", "refs/heads/vault-9-00000000000000ff", scene.remote.tip)
    try scene.remote.serve(genuine)
    let outcome = try scene.clone(invitation.code, timeout: "0s").wait()
    #expect(outcome.exitCode == 0 && scene.isEnrolled, "\(outcome)")
    #expect(try scene.new.roles()["tablet"] == "member")
  }
}
