import CofferFormat
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// Branches of epochs that insiders sign, with a log that ends before they lost their rights, or one that says
/// otherwise.
@Suite struct ForgedEpochTests {
  /// A past of the vault, and somebody who reads it.
  private static let readers = [InsiderVault.Past(), .init(epoch: 2)].flatMap { past in
    VaultReader.allCases.map { (past, $0) }
  }

  private static let pasts = [InsiderVault.Past(), .init(epoch: 2, hasNewVaultKey: true)]

  /// Forges the next epoch as the admin that was revoked, of what it had.
  private func forge(_ vault: InsiderVault, number: Int, _ options: String...) throws -> String {
    try vault.attacker(.revokedAdmin).run(
      ["epoch", "--from", vault.commitBefore, "--number", String(number)] + options, on: vault.branch
    ).branch
  }

  @Test(arguments: TestRun.rows(readers))
  func `Nobody follows an epoch that a revoked admin forges with the log from before its revocation`(
    past: InsiderVault.Past, reader: VaultReader
  ) throws {
    let vault = try InsiderVault(past)
    let forged = try forge(vault, number: 2)
    try vault.expect(reader, names: forged, hidingFrom: [.revokedAdmin, .revokedMachine])
  }

  @Test(arguments: TestRun.rows(readers))
  func `Nobody follows an epoch that a revoked admin forges after the newest one`(
    past: InsiderVault.Past, reader: VaultReader
  ) throws {
    let vault = try InsiderVault(past)
    // It names a position of the log at which its author was an admin.
    let named = try #require(try vault.attacker(.revokedAdmin).opened().branches[vault.branch]?.entries)
    #expect(named > 20)
    let forged = try vault.attacker(.revokedAdmin).run(
      "epoch", "--number", String(past.epoch + 1), "--named-entry", "20", on: vault.branch
    ).branch
    try vault.expect(reader, names: forged, hidingFrom: [.revokedAdmin, .revokedMachine])
  }

  @Test(arguments: TestRun.rows(pasts, Insider.allCases))
  func `Nobody follows an epoch that somebody begins who is no admin`(past: InsiderVault.Past, insider: Insider) throws
  {
    let vault = try InsiderVault(past)
    let attacker = try vault.attacker(insider)
    let number = String(past.epoch + 1)
    let forged = try attacker.run("epoch", "--number", number, "--signer", insider.machine, on: vault.branch).branch
    for reader in [VaultReader.existing, .clone] {
      let hidden = Insider.allCases.filter { !$0.readsOn && ($0 != .oldRoot || past.hasNewVaultKey) }
      try InsiderVault(copying: vault).expect(reader, names: forged, hidingFrom: hidden)
    }
  }

  @Test(arguments: TestRun.rows(InsiderVault.Past.all))
  func `A branch that is deleted beside a forged one is pushed again, and named`(past: InsiderVault.Past) throws {
    let vault = try InsiderVault(past)
    let forged = try forge(vault, number: past.epoch + 1)
    try vault.attacker(.revokedAdmin).run("delete-branch", vault.branch)
    let problems = try vault.problems(vault.third)
    #expect(problems.contains(forged) && problems.contains(vault.branch), "\(problems)")
    #expect(try vault.branches().contains(vault.branch))
    _ = try vault.laptop.run("coffer", "sync")
    let clone = try Machine()
    #expect(try vault.clone(on: clone).exitCode == 0)
    try clone.set("typed", "5 typed")
    for machine in [clone, vault.third, vault.laptop] { _ = try machine.run("coffer", "sync") }
    let expected = vault.acknowledged.merging(["typed": "5 typed"]) { $1 }
    try vault.expectAgreement(of: [clone, vault.third, vault.laptop], on: expected)
    try vault.expectHidden(from: [.revokedAdmin])
  }

  @Test(arguments: TestRun.rows(VaultReader.allCases))
  func `Entries that a revoked admin signs on a forged branch are followed by nobody`(reader: VaultReader) throws {
    let vault = try InsiderVault()
    let attacker = try vault.attacker(.revokedAdmin)
    // A key for those who are to write, and a machine of its own.
    try attacker.run("copy-branch", vault.commitBefore, "vault-3-00000000000000aa")
    try attacker.run("entry", "--transport-key", "--for", "root", "laptop", "third", on: "vault-3-00000000000000aa")
    try attacker.run("entry", "--enrol", "tablet", on: "vault-3-00000000000000aa")
    let forged = try attacker.run(
      "epoch", "--from", "vault-3-00000000000000aa", "--number", "2", on: vault.branch
    ).branch
    try attacker.run("delete-branch", "vault-3-00000000000000aa")
    try vault.expect(reader, names: forged, hidingFrom: [.revokedAdmin, .revokedMachine])
    #expect(try vault.laptop.status("logFork") == "none")
  }

  @Test(arguments: TestRun.rows(pasts, Insider.allCases))
  func `A branch that nobody can follow stops no machine, whoever of the log has opened it`(
    past: InsiderVault.Past, insider: Insider
  ) throws {
    let vault = try InsiderVault(past)
    let attacker = try vault.attacker(insider)
    let number = String(past.epoch + 1)
    let forged = try attacker.run("epoch", "--number", number, "--signer", insider.machine, on: vault.branch).branch
    try attacker.run("plant", "snapshot/0", on: forged)
    try attacker.run("delete-branch", vault.branch)
    try vault.third.set("pending", "5 pending")
    let problems = try vault.problems(vault.third)
    #expect(problems.contains(forged) && problems.contains(vault.branch), "\(problems)")
    let expected = vault.acknowledged.merging(["pending": "5 pending"]) { $1 }
    _ = try vault.laptop.run("coffer", "sync")
    let clone = try Machine()
    let outcome = try vault.clone(on: clone)
    #expect(outcome.exitCode == 0, "\(outcome)")
    try vault.expectAgreement(of: [clone, vault.third, vault.laptop], on: expected)
  }

  /// Removes from a branch what shows that an admin was removed: the entries of the log that its keys do not open.
  private func hideRevocation(on branch: String, by attacker: Attacker, from machine: Machine) throws {
    let known = try #require(try attacker.opened().branches[branch]?.entries)
    for entry in (UInt64(known) + 1)...(try machine.local.membership().head.sequence) {
      try attacker.run("plant", "log/\(entry / 64)/\(entry)", "--remove", on: branch)
    }
  }

  @Test(arguments: TestRun.rows([VaultReader.existing, .clone, .rejoined, .headless]))
  func `What somebody removes from the true branch misleads nobody to a forged one`(reader: VaultReader) throws {
    let vault = try InsiderVault()
    let attacker = try vault.attacker(.revokedAdmin)
    let forged = try forge(vault, number: 2)
    try hideRevocation(on: vault.branch, by: attacker, from: vault.laptop)
    try attacker.run("plant", "genesis", on: vault.branch)
    try vault.expect(reader, names: forged, hidingFrom: [.revokedAdmin, .revokedMachine])
  }

  @Test func `A machine that was away follows no forged branch, although the true one was altered`() throws {
    let three = try ThreeMachines()
    let copy = try three.desktop.copied()
    defer { extendLifetime(copy) }
    let attacker = Attacker(remote: three.remote, keys: [copy.home.path])
    let before = three.remote.tip
    try three.revoke()
    try three.laptop.coffer("compact")
    try three.laptop.set("after", "5 after")
    try three.laptop.sync()
    let branch = try #require(
      try three.remote.git("for-each-ref", "--format=%(refname:short)", "refs/heads/vault-2-*").split(separator: "\n")
        .first.map(String.init))
    let forged = try attacker.run(["epoch", "--from", before, "--number", "2"], on: branch).branch
    try hideRevocation(on: branch, by: attacker, from: three.laptop)
    let outcome = try three.third.run("coffer", "sync")
    #expect(outcome.exitCode == 6 && outcome.errors.contains(forged), "\(outcome)")
    #expect(try three.third.get("after") == "5 after")
    #expect(try !three.third.roles().keys.contains("desktop"))
    try three.sync(three.laptop, three.third)
    #expect(try three.third.local.membership().head == three.laptop.local.membership().head)
  }

  @Test func `Whoever replaces the genesis stops no machine`() throws {
    let vault = try InsiderVault()
    try vault.attacker(.headless).run("plant", "genesis", on: vault.branch)
    try vault.expect(.existing, names: "genesis", hidingFrom: [])
  }

  // MARK: Nothing but the forged branch is shown

  @Test(arguments: TestRun.rows([InsiderVault.Past(), .init(epoch: 2)]))
  func `With a head phrase, a headless read and a clone refuse a log that ends before it`(past: InsiderVault.Past)
    throws
  {
    let vault = try InsiderVault(past)
    let phrase = try vault.laptop.status("headPhrase")
    let pinned = ["COFFER_HEAD_PHRASE": phrase]
    #expect(try vault.readHeadless(environment: pinned).text == vault.acknowledged["after"])
    // The phrase need not be that of the last entry.
    try vault.laptop.coffer("app", "install", app, "--on", "ci")
    _ = try vault.laptop.addApp("other")
    try vault.laptop.sync()
    #expect(try vault.readHeadless(environment: pinned).text == vault.acknowledged["after"])

    let forged = try forge(vault, number: 2)
    let beside = try vault.readHeadless(environment: pinned)
    #expect(beside.text == vault.acknowledged["after"] && beside.errors.contains(forged), "\(beside)")
    try vault.attacker(.revokedAdmin).run("delete-branch", vault.branch)
    let refused = try vault.readHeadless(environment: pinned)
    #expect(refused.exitCode == 6 && refused.output.isEmpty && refused.errors.contains(phrase), "\(refused)")
    let clone = try Machine()
    let outcome = try vault.clone(on: clone, "--head-phrase", phrase)
    #expect(outcome.exitCode == 6 && outcome.errors.contains(phrase), "\(outcome)")
    #expect(clone.files().isEmpty)
  }

  @Test func `A headless read says which head phrase it saw`() throws {
    let vault = try InsiderVault()
    let phrase = try vault.laptop.status("headPhrase")
    let environment = [
      "COFFER_CREDENTIAL_FILE": try vault.credential, "COFFER_REPOSITORY": vault.remote.path,
    ]
    let machine = try Machine()
    for options in [[], ["--json"]] {
      let status = try machine.start("coffer", ["status"] + options, environment: environment).wait()
      #expect(status.text.contains(phrase), "\(status)")
    }
  }
}
