import CofferCrypto
import CofferFormat
import CofferTestSupport
import CofferVault
import Foundation
import Testing

/// Branches and files in the place of requests, by somebody who may push and does not have the code.
@Suite struct PlantedRequestTests {
  @Test func `Ten thousand planted branches neither hide a request nor keep the new machine out`() throws {
    let scene = try InvitationScene()
    let invitation = try scene.invite("--apps", app)
    let id = try invitation.key.id
    try scene.remote.serve(["request": [1]], as: "planted")
    // Their names come before that of any request.
    let planted = (0..<10_000).map { "invite-\(id)-\(String(repeating: "0", count: 26))\(100_000 + $0)" }
    try scene.remote.plant(planted, at: scene.remote.git("rev-parse", "planted"))
    try scene.remote.drop("planted")
    let program = try scene.clone(invitation.code)
    try scene.waitForRequests(planted.count + 1)
    let sync = try scene.laptop.run("coffer", "sync")
    #expect(sync.exitCode == 0 && sync.text.contains("The machine tablet asks to be enrolled"), "\(sync)")
    let approved = try scene.approve()
    #expect(approved.exitCode == 0, "\(approved)")
    let cloned = try program.wait()
    #expect(cloned.exitCode == 0, "\(cloned)")
    #expect(try scene.new.roles()["tablet"] == "member")
    #expect(try scene.branches().count == planted.count)
  }

  @Test func `Branches of any name and size block neither a sync nor a clone`() throws {
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
    try scene.remote.plant(
      ["invite-", "invite-x", "invite-\(id)", "invite-\(id)-x", "invite-\(id)-\(id)-\(id)", "invite-ß-\(id)"],
      at: commit)
    for machine in [scene.laptop, scene.two.desktop] {
      try machine.set("item of \(machine.home.path.count)", "1")
      let sync = try machine.run("coffer", "sync")
      #expect(sync.exitCode == 0, "\(sync)")
      #expect(try machine.status("unsyncedChanges") == "0")
    }
    let other = try Machine()
    let cloned = try other.run(
      "coffer", "clone", "--name", "third", "--no-passphrase", "--vault-key-file", scene.two.key, scene.remote.path)
    #expect(cloned.exitCode == 0, "\(cloned)")
    // In place of the request, they are named, and the machine that waits posts its own again.
    let left = try scene.branches()
    let program = try scene.clone(invitation.code)
    let branch = try #require(scene.waitForRequests(left.count + 1).first { !left.contains($0) })
    let request = try scene.remote.bytes(of: "request", on: branch)
    program.kill()
    _ = try program.wait()
    for planted in [commit, "invite-\(id)-\(String(repeating: "a", count: 32))"] {
      try scene.remote.git("update-ref", "refs/heads/\(branch)", planted)
      let sync = try scene.laptop.run("coffer", "sync")
      #expect(sync.exitCode == 0 && sync.text.contains("somebody with push access has altered it"), "\(sync)")
    }
    let again = try scene.clone(invitation.code)
    try waitUntil("the request is posted again") {
      (try? scene.remote.bytes(of: "request", on: branch)) == request
    }
    let approved = try scene.approve()
    #expect(approved.exitCode == 0, "\(approved)")
    #expect(try again.wait().exitCode == 0)
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
}
