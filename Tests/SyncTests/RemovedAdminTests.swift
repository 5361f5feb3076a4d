import CofferFormat
import CofferKeys
import CofferStore
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// An admin that root makes a member, and whose owner uses a copy of its files from before.
@Suite struct RemovedAdminTests {
  private let suite: MemberMachines
  /// The desktop's files from before its removal.
  private let copy: Machine
  /// The tip that all machines have seen.
  private let shared: String

  init() throws {
    suite = try MemberMachines()
    try suite.desktop.set("old", "by the desktop")
    try suite.sync(suite.desktop, suite.laptop, suite.member, suite.desktop)
    copy = try suite.desktop.copied()
    shared = suite.remote.tip
  }

  private func remove() throws {
    let removal = try suite.asRoot(on: suite.laptop, "admin", "remove", "desktop", "--yes")
    #expect(removal.exitCode == 0, "\(removal)")
  }

  /// The removed admin's owner registers an app and removes the laptop's app, on the log before the removal. Returns
  /// the tip with that.
  private func attack() throws -> String {
    try suite.remote.serve(shared)
    #expect(try copy.addApp("attack").exitCode == 0)
    try copy.coffer("app", "remove", app, "--device", "ci", "--yes")
    return suite.remote.tip
  }

  private func expectRemoved(on machine: Machine) throws {
    let membership = try machine.local.membership()
    #expect(try machine.roles()["desktop"] == "member")
    #expect(membership.adminMachines.map(\.name) == ["laptop"])
    #expect(!membership.apps.keys.contains { $0.description.hasSuffix("attack") })
    #expect(try machine.get("old") == "by the desktop")
  }

  @Test func `An admin that races its removal keeps nothing but what everybody saw before`() throws {
    // Its entry comes first: it is in the log like any other, and the removal is made again after it.
    #expect(try copy.addApp("first").exitCode == 0)
    let first = suite.remote.tip
    try suite.remote.serve(shared)
    try suite.remote.prefer(first)
    try remove()
    suite.remote.expectRaced()
    let membership = try suite.laptop.local.membership()
    #expect(membership.adminMachines.map(\.name) == ["laptop"])
    // The key of the group that its entry made is replaced like all others, and not sealed to it.
    let own = try copy.local.membership()
    let admin = try #require(own.devices.values.first { $0.name == "desktop" }?.admin)
    #expect(membership.groups.count == own.groups.count)
    for group in membership.groups.values {
      #expect(group.generations.count == 2 && group.generations.last?.boxes[admin] == nil, "\(group.name)")
    }
    // What it does from now on is refused, and it is told why.
    let sync = try copy.run("coffer", "sync")
    #expect(sync.exitCode == 0, "\(sync)")
    for command in [["app", "remove", "com.example.first", "--yes"], ["get", "service", "old"]] {
      let outcome = try copy.start("coffer", command).wait()
      #expect(outcome.exitCode == 4 && outcome.errors.contains("since its admin was removed"), "\(outcome)")
    }
    try suite.sync(suite.member, suite.laptop)
    #expect(try suite.laptop.status("headPhrase") == suite.member.status("headPhrase"))
  }

  @Test func `An admin that forks its removal changes nothing for who has followed the removal`() throws {
    let attack = try attack()
    try suite.remote.serve(shared)
    try remove()
    var genuine = suite.remote.tip
    try suite.sync(suite.member)
    let head = try suite.member.status("headPhrase")
    for machine in [suite.member, suite.laptop] {
      try suite.remote.serve(attack)
      let sync = try machine.run("coffer", "sync")
      #expect(sync.exitCode == 6 && sync.errors.contains("log entry"), "\(sync)")
      #expect(try machine.status("logFork") == "none" && machine.status("headPhrase") == head)
      try expectRemoved(on: machine)
      // What it pushed on top of the attack is gone again, and it restores that.
      try suite.remote.serve(genuine)
      _ = try machine.run("coffer", "sync")
      genuine = suite.remote.tip
    }
    try suite.sync(suite.laptop, suite.member)
    #expect(try suite.laptop.addApp("other").exitCode == 0)
    try suite.member.set("still", "allowed")
    try suite.sync(suite.member, suite.laptop)
    #expect(try suite.laptop.get("still") == "allowed")
  }

  @Test func `In a fork, a new passphrase seals the keys of an admin that one branch removes`() throws {
    _ = try attack()
    try suite.remote.serve(shared)
    try remove()
    #expect(try copy.run("coffer", "sync").exitCode == 6)
    #expect(try copy.local.fork() != nil && copy.roles()["desktop"] == "member")
    try copy.coffer("passphrase", "set", "--new-passphrase-file", try copy.directory.write("new", "horse"))
    let file = try copy.local.folder.adminFile.read { try AdminFile(secretBytes: $0) }
    #expect(file.needsPassphrase)
  }

  @Test func `Who has followed a removed admin's branch obeys the removal as soon as it is shown`() throws {
    let attack = try attack()
    // The host shows the attack to the member alone.
    _ = try suite.member.run("coffer", "sync")
    #expect(try suite.member.run("coffer", "get", "service", "old", "--app", app).exitCode == 4)
    try suite.remote.serve(shared)
    try remove()
    #expect(suite.remote.tip != attack)
    let sync = try suite.member.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("forked"), "\(sync)")
    try expectRemoved(on: suite.member)
    // It comes back to the branch that root has signed. What it has signed on the other one tells the laptop of it.
    try suite.member.coffer("clone", "--rejoin", "--accept-fork", suite.remote.path)
    try suite.sync(suite.member)
    let claim = try suite.laptop.run("coffer", "sync")
    #expect(claim.exitCode == 6 && claim.errors.contains("which ci has seen there"), "\(claim)")
    let plist = try suite.laptop.directory.write(
      "other.entitlements", entitlementsPlist("com.example.other", groups: ["~com.example.other"]))
    try suite.laptop.coffer("app", "add", "--despite-claims", plist)
    try suite.sync(suite.member, suite.laptop)
    try expectRemoved(on: suite.member)
    #expect(try suite.member.status("headPhrase") == suite.laptop.status("headPhrase"))
  }
}
