import CofferAdministration
import CofferCrypto
import CofferFormat
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// Somebody else has the code of an invitation, and the host helps or is deceived.
@Suite struct StolenCodeTests {
  /// A thief's own vault with a repository, which waits for requests with a stolen code.
  private struct Thief {
    let machine: Machine
    let remote: TemporaryRemote

    init(with invitation: InvitationScene.Invitation) throws {
      (machine, remote) = (try Machine(), try TemporaryRemote())
      try machine.makeVault(name: "thief")
      try machine.coffer("remote", "set", remote.path)
      try machine.sync()
      let (key, now) = (try invitation.key, Timestamp.now)
      try machine.local.invitationBook().update { (invitations) throws(VaultError) in
        invitations.append(
          CofferFormat.Invitation(
            key: key, created: now, expires: Timestamp(microseconds: now.microseconds + 3_600_000_000),
            isForAdmin: false, applications: [], name: nil))
      }
    }
  }

  /// Expects that a clone has refused a repository, and that the new machine has written nothing.
  private func expectRefused(
    _ outcome: Machine.Outcome, _ scene: InvitationScene, location: SourceLocation = #_sourceLocation
  ) {
    #expect(
      outcome.exitCode == 6 && outcome.errors.contains("another vault than the one for which the code was made")
        && outcome.errors.contains("compare the URL with `coffer remote show` on the machine that made the code"),
      "\(outcome)", sourceLocation: location)
    #expect(!outcome.text.contains("words"), "\(outcome)", sourceLocation: location)
    #expect(scene.new.files().isEmpty && !scene.isEnrolled, sourceLocation: location)
    #expect(!FileManager.default.fileExists(atPath: scene.waitingFolder.path), sourceLocation: location)
  }

  @Test func `A thief's vault at another URL gets no request of a machine that has the code of the right one`() throws {
    let scene = try InvitationScene()
    let invitation = try scene.invite()
    let thief = try Thief(with: invitation)
    expectRefused(try scene.clone(invitation.code, from: thief.remote.path, timeout: "0s").wait(), scene)
    #expect(try scene.branches(of: thief.remote).isEmpty && scene.branches().isEmpty)
    let approval = try thief.machine.start("coffer", ["device", "approve", "--yes"]).wait()
    #expect(approval.exitCode == 3, "\(approval)")
    // The code is still good for the right repository.
    #expect(try scene.enrol(invitation).exitCode == 0)
  }

  @Test func `A host that shows the thief's vault in place of the right one gets no request`() throws {
    let scene = try InvitationScene()
    let invitation = try scene.invite()
    let thief = try Thief(with: invitation)
    let genuine = scene.remote.tip
    try scene.remote.git("fetch", "--quiet", thief.remote.path, "refs/heads/vault-1")
    try scene.remote.serve(scene.remote.git("rev-parse", "FETCH_HEAD"))
    expectRefused(try scene.clone(invitation.code, timeout: "0s").wait(), scene)
    #expect(try scene.branches().isEmpty)
    try scene.remote.serve(genuine)
    #expect(try scene.enrol(invitation).exitCode == 0)
  }

  @Test func `A branch of a later epoch with the thief's vault does not keep a machine from the vault of its code`()
    throws
  {
    let scene = try InvitationScene()
    let invitation = try scene.invite()
    let thief = try Thief(with: invitation)
    try thief.machine.coffer("compact")
    try scene.remote.git("fetch", "--quiet", thief.remote.path, "refs/heads/vault-2-*:refs/heads/vault-2-*")
    #expect(try scene.remote.git("for-each-ref", "refs/heads/vault-2-*") != "")
    let outcome = try scene.clone(invitation.code, timeout: "0s").wait()
    #expect(outcome.exitCode == 7 && outcome.errors.contains("no answer to the request"), "\(outcome)")
    try scene.laptop.run("coffer", "sync")
    #expect(try scene.states() == [invitation.invitation: "requested"])
  }

  @Test func `A vault that is exchanged after the answer is refused`() throws {
    let scene = try InvitationScene()
    let invitation = try scene.invite()
    _ = try scene.post(invitation)
    #expect(try scene.approve().exitCode == 0)
    let attacker = try Machine()
    let falseRemote = try TemporaryRemote()
    try attacker.makeVault(name: "attacker")
    try attacker.coffer("remote", "set", falseRemote.path)
    try attacker.sync()
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
    try scene.laptop.sync()
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
    let branch = try scene.post(invitation)
    let key = try invitation.key
    let file = try scene.remote.bytes(of: "request", on: branch)
    let request = try InvitationRequest(opening: file, with: key)
    let membership = try scene.laptop.local.publishedMembership()
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

  @Test func `More branches than are read, which only the code can have made, are named`() throws {
    let scene = try InvitationScene()
    let invitation = try scene.invite()
    let key = try invitation.key
    let labels = (0..<20).map { key.label(of: Hash.digest([$0], domain: .invitationRequest)).hex }
    try scene.remote.plant(labels.map { "invite-\(key.id)-\($0)" }, at: scene.remote.tip)
    let sync = try scene.laptop.run("coffer", "sync")
    #expect(
      sync.exitCode == 6
        && sync.errors.contains(
          "has 20 branches that were made with the code of the invitation \(invitation.invitation), of which 16 are read"
        ), "\(sync)")
    #expect(try scene.states() == [invitation.invitation: "altered"])
  }
}
