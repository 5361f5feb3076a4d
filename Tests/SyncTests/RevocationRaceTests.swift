import Coffer
import CofferAdministration
import CofferFormat
import CofferStore
import CofferExchange
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Logging
import Testing

/// Changes that reach the remote while a revocation is being made.
@Suite struct RevocationRaceTests {
  private let suite: ThreeMachines
  /// The tip that all machines have seen.
  private let shared: String

  init() throws {
    suite = try ThreeMachines()
    try suite.desktop.set("old", "by the desktop")
    try suite.sync(suite.desktop, suite.laptop, suite.third)
    shared = suite.remote.tip
  }

  /// Runs a change, and takes it back on the host. Returns the tip with the change.
  private func tip(_ change: () throws -> Void) throws -> String {
    try change()
    let tip = suite.remote.tip
    #expect(tip != shared)
    try suite.remote.serve(shared)
    return tip
  }

  private func prefer(_ tip: String) throws { try suite.remote.prefer(tip) }

  /// Makes the host serve one commit after the other instead of the next pushes.
  private func prefer(_ tips: [String]) throws {
    try Data((tips.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: suite.remote.path + "/tips"))
    try suite.remote.setPushHook(
      """
      tip=$(head -n 1 tips)
      [ -z "$tip" ] && exit 0
      sed -i 1d tips
      touch raced
      unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES
      git update-ref refs/heads/vault-1 $tip
      exit 1
      """)
  }

  private func expectRaced() { suite.remote.expectRaced() }

  /// Expects that the machines have the same log, in which the desktop is removed once.
  private func expectAgreement() throws {
    for machine in [suite.laptop, suite.third, suite.laptop] { _ = try machine.run("coffer", "sync") }
    try suite.sync(suite.third)
    for machine in [suite.laptop, suite.third] {
      #expect(try machine.status("logFork") == "none")
      #expect(try machine.local.membership().revocations.count == 1)
      #expect(try machine.status("refusedRecords") == "0")
      try suite.expectSound(machine)
    }
    #expect(try suite.laptop.status("headPhrase") == suite.third.status("headPhrase"))
  }

  @Test func `A record that reaches the remote before the push of a revocation stays valid`() throws {
    let late = try tip {
      try suite.desktop.set("late", "by the desktop")
      try suite.sync(suite.desktop)
    }
    try prefer(late)
    try suite.revoke()
    expectRaced()
    try expectAgreement()
    let later = try suite.clone(named: "later")
    for machine in [suite.laptop, suite.third, later] {
      #expect(try machine.values() == ["old": "by the desktop", "late": "by the desktop"])
    }
    let sync = try suite.desktop.run("coffer", "sync")
    #expect(sync.exitCode == 4 && sync.errors.contains("removed"), "\(sync)")
  }

  @Test func `A machine that goes on pushing while it is removed is removed; its later records are refused`() throws {
    var tips: [String] = []
    for number in 1...4 {
      try suite.desktop.set("late \(number)", "by the desktop")
      try suite.sync(suite.desktop)
      tips.append(suite.remote.tip)
    }
    // Another machine names the last segment of these as one that it has seen.
    try suite.third.set("beside", "by the third")
    try suite.sync(suite.third)
    tips.append(suite.remote.tip)
    try suite.remote.serve(shared)
    try prefer(tips)
    try suite.revoke()
    expectRaced()
    for machine in [suite.third, suite.laptop, suite.third] { _ = try machine.run("coffer", "sync") }
    let later = try suite.clone(named: "later")
    try suite.sync(suite.laptop, suite.third, later)
    for machine in [suite.laptop, suite.third, later] {
      #expect(try machine.local.membership().revocations.count == 1)
      // What arrived during the first attempt.
      #expect(
        try machine.values() == ["old": "by the desktop", "late 1": "by the desktop", "beside": "by the third"])
      try suite.expectSound(machine)
    }
    for machine in [suite.laptop, suite.third] { #expect(try machine.status("refusedRecords") == "3") }
    let refused = try suite.laptop.coffer("refused")
    for number in 2...4 { #expect(refused.contains("late \(number)"), "\(refused)") }
  }

  @Test func `An app that goes on writing while it is removed is removed; its later records are refused`() throws {
    try suite.laptop.set("mine", "by the laptop")
    try suite.sync(suite.laptop)
    let local = try suite.laptop.local
    let removal = try Removal(of: .app(local.application(named: app), on: nil), from: local)
    func sync() throws -> SyncReport {
      try Synchronizer(local, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }).run()
    }
    // The first list waits for what the app writes meanwhile, the second does not.
    #expect(try removal.run(as: .admin(.unavailable)) != nil)
    try suite.laptop.set("first", "by the laptop")
    let first = try sync()
    #expect(first.membershipDiscarded > 0 && first.membershipSent == 0)
    let position = try #require(try removal.run(as: .admin(.unavailable), despiteNewRecords: true))
    try suite.laptop.set("second", "by the laptop")
    let second = try sync()
    #expect(try local.isPublished(position) && second.membershipDiscarded == 0)
    _ = try suite.third.run("coffer", "sync")
    for machine in [suite.laptop, suite.third] {
      #expect(try machine.status("refusedRecords") == "1")
      let list = try machine.coffer("list", "--group", app)
      #expect(list.contains("first") && list.contains("mine") && !list.contains("second"), "\(list)")
      try suite.expectSound(machine)
    }
  }

  @Test func `What only a discarded revocation would have refused counts as before`() throws {
    let local = try suite.laptop.local
    let removal = try Removal(of: .app(local.application(named: app), on: nil), from: local)
    func sync() throws {
      _ = try Synchronizer(local, logger: Logger(label: "t") { _ in SwiftLogNoOpLogHandler() }).run()
    }
    _ = try removal.run(as: .admin(.unavailable), despiteNewRecords: true)
    try suite.laptop.set("mine", "by the laptop")
    // The host takes no push, so the revocation is given up.
    try suite.remote.setPushHook("exit 1")
    #expect(throws: (any Error).self) { try sync() }
    try local.discardUnpublishedLog()
    try suite.remote.setPushHook("exit 0")
    for _ in 0..<2 { try sync() }
    try suite.sync(suite.third)
    for machine in [suite.laptop, suite.third] {
      #expect(try machine.get("mine") == "by the laptop")
      #expect(try machine.status("refusedRecords") == "0")
      try suite.expectSound(machine)
    }
  }

  @Test func `Of two machines that remove the same machine at once, the second is told that it was removed`() throws {
    let first = try tip { try suite.revoke() }
    try prefer(first)
    let second = try suite.remove(on: suite.third, "device", "revoke", "desktop")
    expectRaced()
    #expect(second.exitCode == 3 && second.errors.contains("desktop was removed from the vault on"), "\(second)")
    try expectAgreement()
  }

  @Test func `Of two machines that remove each other at once, the first on the remote stays`() throws {
    let first = try tip { try suite.laptop.coffer("device", "revoke", "third", "--vault-key-file", suite.key, "--yes") }
    try prefer(first)
    let second = try suite.remove(on: suite.third, "device", "revoke", "laptop")
    expectRaced()
    #expect(second.exitCode == 4 && second.errors.contains("this machine was removed"), "\(second)")
    try suite.sync(suite.laptop, suite.desktop)
    #expect(try suite.desktop.local.membership().revocations.count == 1)
    #expect(try suite.desktop.addApp("other").exitCode == 0)
  }

  @Test func `A registration that loses the race to a revocation is made again on top of it, for who remains`() throws {
    let first = try tip { try suite.revoke() }
    try prefer(first)
    #expect(try suite.third.addApp("other").exitCode == 0)
    expectRaced()
    try expectAgreement()
    try suite.laptop.coffer("app", "install", "com.example.other")
    try suite.third.coffer("set", "service", "account", "--app", "com.example.other", input: "value")
    try suite.sync(suite.third, suite.laptop)
    #expect(try suite.laptop.coffer("get", "service", "account", "--app", "com.example.other") == "value")
    // Nothing of it was sealed for the machine that was removed.
    let (membership, keys) = (try suite.laptop.local.membership(), try suite.desktop.local.deviceFile())
    #expect(membership.groups.values.filter { $0.name.description.hasSuffix("other") }.count == 1)
    #expect(keys.transportKeys.count == 1)
  }

  @Test func `A revocation that loses the race to a registration replaces the new group's keys too`() throws {
    let first = try tip { _ = try suite.third.addApp("other") }
    try prefer(first)
    try suite.revoke()
    expectRaced()
    try expectAgreement()
    let groups = try suite.laptop.local.membership().groups.values
    #expect(groups.count == 4 && groups.allSatisfy { $0.generations.count == 2 })
  }

  @Test func `A new credential that loses the race to a revocation works after it`() throws {
    try suite.third.coffer("app", "add", Machine.entitlements(of: "PhotoPro"))
    try FileManager.default.removeItem(
      at: suite.third.vault.appending(path: "apps/\(suite.third.local.application(named: app))/credential"))
    let first = try tip { try suite.revoke() }
    try prefer(first)
    try suite.third.coffer("app", "install", app)
    expectRaced()
    try expectAgreement()
    try suite.third.set("new", "value")
    try suite.sync(suite.third, suite.laptop)
    #expect(try suite.laptop.get("new") == "value")
  }

  @Test func `A clone that loses the race to a revocation says so, and succeeds when it is repeated`() throws {
    let first = try tip { try suite.revoke() }
    try prefer(first)
    let machine = try Machine()
    let clone = try machine.run(
      "coffer", "clone", "--name", "later", "--no-passphrase", "--vault-key-file", suite.key, suite.remote.path)
    expectRaced()
    #expect(
      clone.exitCode == 7 && clone.errors.contains("a machine was removed from the vault meanwhile")
        && clone.errors.contains("run `coffer clone` again"), "\(clone)")
    try expectAgreement()
    #expect(try suite.clone(named: "later").values() == ["old": "by the desktop"])
  }
}
