import Coffer
import CofferAdministration
import CofferCrypto
import CofferFormat
import CofferSystem
import CofferTestSupport
import CofferVault
import Foundation
import Testing

/// An approval that ends before the machine has its answer.
@Suite struct InterruptedApprovalTests {
  /// A scene with an approval that was killed at a step, together with the sync that it had started.
  private func killed(at point: FaultPoint, _ scene: InvitationScene) throws -> InvitationScene.Invitation {
    let invitation = try scene.invite("--apps", app)
    _ = try scene.post(invitation)
    try scene.laptop.sync()
    // The push of the entries is the first of the command.
    try scene.laptop.kill("coffer", ["device", "approve", "--yes"], at: FaultStep(point: point, occurrence: 1))
    return invitation
  }

  private func expire(_ scene: InvitationScene) throws {
    try scene.change { old in
      CofferFormat.Invitation(
        key: old.key, created: old.created, expires: Timestamp(microseconds: old.created.microseconds + 1),
        isForAdmin: old.isForAdmin, applications: old.applications, name: old.name, state: old.state,
        requests: old.requests)
    }
  }

  @Test func `An approval that was killed before its push is discarded once its invitation has expired`() throws {
    let scene = try InvitationScene()
    let invitation = try killed(at: .commitWritten, scene)
    let tip = scene.remote.tip
    try expire(scene)
    let sync = try scene.laptop.run("coffer", "sync")
    #expect(
      sync.exitCode == 6
        && sync.errors.contains(
          "the approval of the invitation \(invitation.invitation) was not published before the invitation ended, and is discarded"
        ), "\(sync)")
    #expect(scene.remote.tip == tip)
    // The owner is told once, and the new machine when it asks.
    #expect(try scene.laptop.run("coffer", "sync").exitCode == 0)
    try scene.expectNobodyElse()
    let told = try scene.clone(invitation.code, timeout: "0s").wait()
    #expect(told.exitCode == 4 && told.errors.contains("the invitation had expired"), "\(told)")
    // Nothing is left that keeps the next one out.
    #expect(try scene.enrol(scene.invite("--apps", app)).exitCode == 0)
  }

  @Test func `An approval that was killed before its push is published by the next sync while the invitation is valid`()
    throws
  {
    let scene = try InvitationScene()
    let invitation = try killed(at: .commitWritten, scene)
    try scene.laptop.sync()
    #expect(try scene.clone(invitation.code, timeout: "0s").wait().exitCode == 0)
    #expect(try scene.new.roles()["tablet"] == "member")
  }

  @Test func `An approval that was killed before its push does not count because the remote is removed`() throws {
    let scene = try InvitationScene()
    _ = try killed(at: .commitWritten, scene)
    let tip = scene.remote.tip
    try scene.laptop.coffer("remote", "remove")
    #expect(try scene.laptop.roles()["tablet"] == nil)
    try expire(scene)
    try scene.laptop.coffer("remote", "set", scene.remote.path)
    try scene.laptop.sync()
    #expect(scene.remote.tip == tip)
    try scene.expectNobodyElse()
  }

  @Test func `An approval that was killed after its push counts, although the invitation has expired since`() throws {
    let scene = try InvitationScene()
    let invitation = try killed(at: .pushAccepted, scene)
    try expire(scene)
    try scene.laptop.sync()
    #expect(try scene.clone(invitation.code, timeout: "0s").wait().exitCode == 0)
    #expect(try scene.new.roles()["tablet"] == "member")
  }

  @Test func `An approval that is interrupted before the answer is answered by the next sync`() throws {
    let scene = try InvitationScene()
    let invitation = try scene.invite("--apps", app)
    let program = try scene.clone(invitation.code)
    try scene.waitForRequests()
    try scene.laptop.sync()
    // The push of the entries is the first that the remote accepts.
    let killed = try scene.laptop.start(
      "coffer", ["device", "approve", "--yes"],
      environment: [
        "COFFER_FAULT_POINT": "pushRecorded:1", "COFFER_FAULT_LOG": scene.laptop.directory.path("steps"),
      ]
    ).wait()
    // The program that it has started is killed, and it says so.
    #expect(killed.exitCode == 1, "\(killed)")
    #expect(program.isRunning)
    try scene.laptop.sync()
    #expect(try program.wait().exitCode == 0)
    #expect(try scene.new.roles()["tablet"] == "member")
  }

  @Test func `An approval that was interrupted before its push is discarded when the invitation is cancelled`() throws {
    let scene = try InvitationScene()
    let invitation = try scene.invite("--apps", app)
    let program = try scene.clone(invitation.code)
    try scene.waitForRequests()
    try scene.laptop.sync()
    // The state after a kill between the change of the log and its push.
    let approval = InvitationApproval(in: try scene.laptop.local)
    #expect(try approval.run(approval.proposal(of: invitation.key.id), passphrase: .unavailable) != nil)
    #expect(try scene.laptop.coffer("device", "invite", "--cancel").contains("is cancelled"))
    #expect(try program.wait().exitCode == 4)
    try scene.expectNobodyElse()
  }
}
