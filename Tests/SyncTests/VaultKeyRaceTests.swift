import CofferFormat
import CofferStore
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// Changes that reach the remote while the vault key is being replaced, and others of the vault key beside it.
@Suite struct VaultKeyRaceTests {
  private let suite: ThreeMachines
  /// The tip that all machines have seen.
  private let shared: String

  init() throws {
    suite = try ThreeMachines()
    try suite.desktop.set("old", "before")
    try suite.sync(suite.desktop, suite.laptop, suite.third)
    shared = suite.remote.tip
  }

  /// Runs a change, and takes it back on the host. Returns the tip with the change.
  private func tip<Result>(_ change: () throws -> Result) throws -> (tip: String, result: Result) {
    let result = try change()
    let tip = suite.remote.tip
    #expect(tip != shared)
    try suite.remote.serve(shared)
    return (tip, result)
  }

  private func rotate(on machine: Machine, with key: String? = nil) throws -> (outcome: Machine.Outcome, file: String) {
    let file = machine.directory.path("vault-key-\(UUID().uuidString)")
    let outcome = try machine.run(
      "coffer", "vault-key", "rotate", "--vault-key-file", key ?? suite.key, "--new-vault-key-file", file)
    return (outcome, file)
  }

  /// Expects that machines have the same log, in which the vault key was replaced some times, and that a key opens
  /// it.
  private func expectAgreement(_ count: Int = 1, key: String, on machines: Machine...) throws {
    for _ in 0..<2 { for machine in machines { _ = try machine.run("coffer", "sync") } }
    for machine in machines {
      try suite.sync(machine)
      #expect(try machine.status("logFork") == "none")
      #expect(try machine.status("vaultKeyNumber") == "\(count + 1)")
      #expect(try machine.status("headPhrase") == machines[0].status("headPhrase"))
      try machine.coffer("vault-key", "check", "--vault-key-file", key)
      #expect(try machine.get("old") == "before")
      try suite.expectSound(machine)
    }
    #expect(try suite.clone(named: "later", key: key).get("old") == "before")
  }

  // MARK: Lost races

  @Test func `Of two machines that replace the vault key at once, the second is told, and its key opens nothing`()
    throws
  {
    let first = try tip { try suite.rotate() }
    try suite.remote.prefer(first.tip)
    let second = try rotate(on: suite.third)
    suite.remote.expectRaced()
    #expect(
      second.outcome.exitCode == 5 && second.outcome.errors.contains("this vault key was replaced on"), "\(second)")
    // The host has seen what it did not take.
    #expect(second.outcome.errors.contains("Keep both vault keys"), "\(second)")
    #expect(FileManager.default.fileExists(atPath: second.file))
    try expectAgreement(key: first.result, on: suite.laptop, suite.third, suite.desktop)
    #expect(try suite.third.run("coffer", "vault-key", "check", "--vault-key-file", second.file).exitCode == 5)
    let again = try rotate(on: suite.third, with: first.result)
    #expect(again.outcome.exitCode == 0, "\(again)")
    try expectAgreement(2, key: again.file, on: suite.third, suite.laptop)
    // What the host kept of the race is stated to be withdrawn.
    let withdrawn = try suite.laptop.local.store.read { try $0.logEntries(after: 0) }.contains { stored in
      if case .withdrawal? = try Statement.parse(LogEntry(bytes: stored.entry)) { true } else { false }
    }
    #expect(withdrawn)
  }

  @Test
  func `A rotation that loses the race to a registration replaces the new group's key too, with the same vault key`()
    throws
  {
    let first = try tip { try suite.third.addApp("other") }
    try suite.remote.prefer(first.tip)
    let new = try suite.rotate()
    suite.remote.expectRaced()
    try expectAgreement(key: new, on: suite.laptop, suite.third)
    let groups = try suite.third.local.membership().groups.values
    #expect(groups.count == 4 && groups.allSatisfy { $0.generations.count == 2 })
  }

  @Test func `A registration that loses the race to a rotation is made again on top of it`() throws {
    let first = try tip { try suite.rotate() }
    try suite.remote.prefer(first.tip)
    #expect(try suite.third.addApp("other").exitCode == 0)
    suite.remote.expectRaced()
    try expectAgreement(key: first.result, on: suite.laptop, suite.third)
  }

  @Test func `A removal or a clone with the old vault key that loses the race to a rotation is refused`() throws {
    let first = try tip { try suite.rotate() }
    try suite.remote.prefer(first.tip)
    let revoke = try suite.remove(on: suite.third, "device", "revoke", "desktop")
    suite.remote.expectRaced()
    #expect(revoke.exitCode == 5 && revoke.errors.contains("this vault key was replaced on"), "\(revoke)")
    try suite.remote.serve(shared)
    try suite.remote.prefer(first.tip)
    let clone = try Machine().run(
      "coffer", "clone", "--name", "late", "--no-passphrase", "--vault-key-file", suite.key, suite.remote.path)
    suite.remote.expectRaced()
    #expect(clone.exitCode == 5 && clone.errors.contains("this vault key was replaced on"), "\(clone)")
    try expectAgreement(key: first.result, on: suite.laptop, suite.desktop)
    #expect(try suite.desktop.local.membership().revocations.isEmpty)
  }

  @Test func `A rotation that loses the race to a removal is made again for who remains`() throws {
    let first = try tip {
      try suite.laptop.coffer("device", "revoke", "desktop", "--vault-key-file", suite.key, "--yes")
    }
    try suite.remote.prefer(first.tip)
    let new = try suite.rotate(on: suite.third)
    suite.remote.expectRaced()
    try expectAgreement(key: new, on: suite.third, suite.laptop)
    #expect(try !suite.third.local.membership().members.map(\.name).contains("desktop"))
    #expect(try suite.desktop.run("coffer", "sync").exitCode == 4)
  }

  @Test func `A rotation that the host refuses changes nothing, and is repeated with the old key`() throws {
    try suite.remote.setPushHook("exit 1")
    let refused = try rotate(on: suite.laptop)
    #expect(refused.outcome.exitCode == 7 && refused.outcome.errors.contains("Keep both vault keys"), "\(refused)")
    #expect(FileManager.default.fileExists(atPath: refused.file))
    #expect(try suite.laptop.status("vaultKeyNumber") == "1")
    try suite.laptop.coffer("vault-key", "check", "--vault-key-file", suite.key)
    // The host may have kept the change, and this machine has what it needs to follow that.
    let kept = try suite.laptop.local.store.read { try $0.objects(.rootSlot) }
    #expect(kept.map(\.published) == [nil])
    try suite.remote.setPushHook(nil)
    let again = try rotate(on: suite.laptop)
    #expect(again.outcome.exitCode == 0, "\(again)")
    let slots = try suite.laptop.local.store.read { try $0.objects(.rootSlot) }
    #expect(slots.count == 1 && slots[0].published != nil && slots[0].key != kept[0].key)
    try expectAgreement(key: again.file, on: suite.laptop, suite.third)
    #expect(try suite.laptop.run("coffer", "vault-key", "check", "--vault-key-file", refused.file).exitCode == 5)
  }

  @Test
  func
    `Who was shown a rotation that was refused and repeated is told, moves nowhere by itself, and overwrites nothing`()
    throws
  {
    try suite.remote.refuseNextPush()
    let refused = try rotate(on: suite.laptop)
    #expect(refused.outcome.exitCode == 7 && refused.outcome.errors.contains("coffer clone --rejoin"), "\(refused)")
    let again = try rotate(on: suite.laptop)
    #expect(again.outcome.exitCode == 0, "\(again)")
    let whole = suite.remote.tip
    // Two machines are shown what the host kept.
    for machine in [suite.third, suite.desktop] {
      try suite.remote.serve(suite.remote.kept())
      _ = try machine.run("coffer", "sync")
      #expect(try machine.status("vaultKeyNumber") == "2")
    }
    let followed = try suite.third.status("headPhrase")
    #expect(try followed != suite.laptop.status("headPhrase"))
    try suite.remote.serve(whole)
    for machine in [suite.third, suite.desktop, suite.third] {
      let sync = try machine.run("coffer", "sync")
      #expect(
        sync.exitCode == 6 && sync.errors.contains("withdraws the replacement of the vault key in entry"), "\(sync)")
      #expect(!sync.errors.contains("hands the vault to another"), "\(sync)")
      #expect(suite.remote.tip == whole)
      #expect(try machine.status("headPhrase") == followed && machine.status("logFork") == "none")
    }
    #expect(try suite.third.addApp("other").exitCode == 6)
    #expect(suite.remote.tip == whole)
    // The machine that repeated it goes on.
    try suite.sync(suite.laptop)
    try suite.laptop.set("later", "of the laptop")
    try suite.sync(suite.laptop)
    // The owner decides: this log is the right one for the third, and the other one for the desktop.
    try suite.third.coffer("clone", "--rejoin", "--accept-fork", suite.remote.path)
    try suite.sync(suite.third, suite.laptop, suite.third)
    #expect(try suite.third.status("headPhrase") == suite.laptop.status("headPhrase"))
    #expect(try suite.third.get("later") == "of the laptop")
    try suite.third.coffer("vault-key", "check", "--vault-key-file", again.file)
    let other = try TemporaryRemote()
    try suite.desktop.coffer("remote", "set", other.path)
    try suite.sync(suite.desktop)
    #expect(try suite.desktop.status("headPhrase") == followed)
    let late = try Machine()
    try late.coffer(
      "clone", "--name", "late", "--no-passphrase", "--vault-key-file", refused.file, other.path)
    #expect(try late.get("old") == "before")
    // Who has the withdrawal knows that the first attempt was given up, and restores the log.
    try suite.remote.serve(suite.remote.kept())
    let sync = try suite.laptop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("its signer withdrew it"), "\(sync)")
    #expect(!sync.errors.contains("somebody with the old vault key"), "\(sync)")
    _ = try suite.laptop.run("coffer", "sync")
    try suite.sync(suite.laptop)
  }

  @Test func `Who is shown a part of a rotation and then another one is told to compare, and not to follow`() throws {
    let thief = try suite.third.copied()
    let competing = try tip { try suite.rotate(on: thief) }
    let length = try #require(Int(suite.laptop.status("logLength")))
    let owners = try tip { try suite.rotate() }
    // The host withholds all but the first entry of each.
    func partial(_ tip: String) throws -> String {
      try suite.remote.serve(tip)
      let withheld = try suite.remote.logFiles(after: UInt64(length) + 1)
      #expect(!withheld.isEmpty)
      try suite.remote.put([], withholding: withheld)
      return suite.remote.tip
    }
    let (first, second) = (try partial(owners.tip), try partial(competing.tip))
    try suite.remote.serve(first)
    _ = try suite.desktop.run("coffer", "sync")
    try suite.remote.serve(second)
    let sync = try suite.desktop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("has forked"), "\(sync)")
    let change = try suite.desktop.addApp("other")
    #expect(
      change.exitCode == 6 && change.errors.contains("the vault key was replaced on both branches"), "\(change)")
    #expect(!change.errors.contains("counts for nothing there"), "\(change)")
    // The rest of the owner's settles it.
    try suite.remote.serve(owners.tip)
    _ = try suite.desktop.run("coffer", "sync")
    #expect(try suite.desktop.status("logFork") == "none" && suite.desktop.status("vaultKeyNumber") == "2")
    try suite.desktop.coffer("vault-key", "check", "--vault-key-file", owners.result)
  }

  @Test func `A rotation that nothing was sent of leaves no vault key behind`() throws {
    try FileManager.default.moveItem(atPath: suite.remote.path, toPath: suite.remote.path + "-away")
    let offline = try rotate(on: suite.laptop)
    #expect(offline.outcome.exitCode == 7, "\(offline)")
    #expect(!FileManager.default.fileExists(atPath: offline.file))
    try FileManager.default.moveItem(atPath: suite.remote.path + "-away", toPath: suite.remote.path)
    try suite.laptop.coffer("vault-key", "check", "--vault-key-file", suite.key)
  }

  // MARK: Other branches

  /// Expects that a machine has seen a handover, names what a host shows beside it, obeys nothing of that and restores
  /// its own log.
  private func expectRefused(by machine: Machine, naming words: String, instead genuine: Machine) throws {
    let sync = try machine.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains(words), "\(sync)")
    #expect(try machine.status("logFork") == "none" && machine.status("vaultKeyNumber") == "2")
    #expect(try machine.status("headPhrase") == genuine.status("headPhrase"))
    _ = try machine.run("coffer", "sync")
    try suite.sync(machine)
  }

  @Test func `Who has seen a rotation names a branch from before it, obeys nothing of it, and puts the log back`()
    throws
  {
    let other = try tip { try suite.third.addApp("other") }
    let new = try suite.rotate()
    try suite.sync(suite.desktop)
    let right = suite.remote.tip
    for machine in [suite.desktop, suite.laptop] {
      try suite.remote.serve(other.tip)
      try expectRefused(
        by: machine, naming: "it is of a branch from before the vault key was replaced", instead: suite.laptop)
      #expect(try !machine.local.membership().apps.keys.contains { $0.description.hasSuffix(".other") })
      #expect(try machine.addApp(machine === suite.laptop ? "laptop" : "desktop").exitCode == 0)
      // Each of them also names that the host has rewritten the history.
      for each in [suite.laptop, suite.desktop] { _ = try each.run("coffer", "sync") }
      try suite.sync(suite.laptop, suite.desktop)
    }
    // It cannot even choose that branch.
    try suite.remote.serve(other.tip)
    let rejoin = try suite.desktop.run("coffer", "clone", "--rejoin", "--accept-fork", suite.remote.path)
    #expect(rejoin.exitCode == 6 && rejoin.errors.contains("has seen that the vault key was replaced"), "\(rejoin)")
    // Who has followed it is told to change, and can.
    try suite.remote.serve(right)
    let sync = try suite.third.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("has forked"), "\(sync)")
    #expect(try suite.third.addApp("again").errors.contains("coffer clone --rejoin --accept-fork"))
    try suite.third.coffer("clone", "--rejoin", "--accept-fork", suite.remote.path)
    #expect(try suite.third.status("vaultKeyNumber") == "2")
    try suite.third.coffer("vault-key", "check", "--vault-key-file", new)
  }

  @Test
  func `A rival handover with the old vault key is named by who has seen the owner's, and the head phrase shows it`()
    throws
  {
    // A thief with a machine's files and the vault key.
    let thief = try suite.third.copied()
    let competing = try tip { try suite.rotate(on: thief) }
    let owners = try suite.rotate()
    try suite.sync(suite.desktop)
    // Who is shown the competing entry's first follows it: nothing tells the two apart but the phrase.
    let right = suite.remote.tip
    try suite.remote.serve(competing.tip)
    _ = try suite.third.run("coffer", "sync")
    #expect(try suite.third.status("vaultKeyNumber") == "2")
    #expect(try suite.third.status("headPhrase") != suite.laptop.status("headPhrase"))
    for machine in [suite.desktop, suite.laptop] {
      try suite.remote.serve(competing.tip)
      try expectRefused(
        by: machine, naming: "it hands the vault to another vault key than entry", instead: suite.laptop)
    }
    // The owner's machines have put their log back: a clone with the owner's key works, and the other machine can join.
    #expect(try suite.clone(named: "later", key: owners).get("old") == "before")
    let late = try Machine().run(
      "coffer", "clone", "--name", "late", "--no-passphrase", "--vault-key-file", competing.result, suite.remote.path)
    #expect(late.exitCode == 6, "\(late)")
    try suite.remote.serve(right)
    let forked = try suite.third.run("coffer", "sync")
    #expect(forked.exitCode == 6 && forked.errors.contains("another vault key than entry"), "\(forked)")
    try suite.remote.serve(right)
    try suite.third.coffer("clone", "--rejoin", "--accept-fork", suite.remote.path)
    try suite.sync(suite.third)
    #expect(try suite.third.status("vaultKeyNumber") == "2")
    try suite.third.coffer("vault-key", "check", "--vault-key-file", owners)
    #expect(try suite.third.get("old") == "before")
  }
}
