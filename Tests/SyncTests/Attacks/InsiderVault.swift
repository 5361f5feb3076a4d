import CofferTestSupport
import Foundation
import Testing

/// A vault with two admins, the laptop and the third, and everybody who may push and has keys: two machines that were
/// revoked, an admin's and a member's, a member, the holder of a headless credential, and that of a vault key.
struct InsiderVault {
  /// What happened to the vault after two machines were revoked.
  struct Past: Hashable {
    /// The number of the epoch. The laptop has begun all after the first.
    var epoch = 1
    /// Whether the vault key was replaced.
    var hasNewVaultKey = false

    static let all = [false, true].flatMap { key in [1, 2, 3].map { Past(epoch: $0, hasNewVaultKey: key) } }
  }

  let past: Past
  let remote: TemporaryRemote
  let laptop: Machine
  let third: Machine
  /// The files of the machine of an insider, as they were before it was revoked.
  private let copies: [Insider: Machine]
  /// The path of the vault key.
  let key: String
  /// The commit of the vault's branch before the machines were revoked.
  let commitBefore: String
  /// The branch on which the vault is.
  private(set) var branch = "vault-1"
  /// The commits at which earlier epochs ended.
  private(set) var ends: [String] = []
  /// The values of all items. Those that were written after the machines were revoked begin with 5.
  private(set) var acknowledged = ["laptop": "1", "desktop": "2", "tablet": "3", "ci": "4"]

  // Each is made once, and its files are only copied.
  nonisolated(unsafe) private static let template = Result { try InsiderVault.make() }
  nonisolated(unsafe) private static let templates = Past.all.map { past in
    Result { try unsafe InsiderVault(continuing: template.get(), to: past) }
  }

  /// Copies machines that were enrolled once.
  init(_ past: Past = Past()) throws {
    let index = try #require(Past.all.firstIndex(of: past))
    try self.init(copying: unsafe Self.templates[index].get())
  }

  /// Copies everything with its state.
  init(copying other: InsiderVault) throws {
    remote = try TemporaryRemote(copying: other.remote)
    laptop = try other.laptop.copied(syncingWith: remote)
    third = try other.third.copied(syncingWith: remote)
    // Attackers only read their files.
    (past, copies, commitBefore) = (other.past, other.copies, other.commitBefore)
    (branch, ends, acknowledged) = (other.branch, other.ends, other.acknowledged)
    let new = laptop.directory.path("new-vault-key")
    key = other.past.hasNewVaultKey ? new : laptop.directory.path("vault-key")
    if other.past.hasNewVaultKey { try FileManager.default.copyItem(atPath: other.key, toPath: new) }
  }

  private init(_ vault: InsiderVault, past: Past, key: String) {
    (remote, laptop, third, copies) = (vault.remote, vault.laptop, vault.third, vault.copies)
    (commitBefore, acknowledged) = (vault.commitBefore, vault.acknowledged)
    (self.past, self.key) = (past, key)
  }

  private init(_ three: ThreeMachines, copies: [Insider: Machine]) {
    (past, remote, laptop, third, key) = (Past(), three.remote, three.laptop, three.third, three.key)
    (self.copies, commitBefore) = (copies, three.remote.tip)
  }

  private static func make() throws -> InsiderVault {
    let three = try ThreeMachines()
    let laptop = three.laptop
    let (tablet, ci, runner) = (try Machine(), try Machine(), try Machine())
    for (machine, name) in [(tablet, "tablet"), (ci, "ci")] {
      let options = ["--member", "--app", app, "--name", name, "--no-passphrase", "--vault-key-file", three.key]
      try machine.succeed("coffer", ["clone"] + options + [three.remote.path])
    }
    try three.sync(laptop)
    let credential = runner.directory.path("credential")
    try laptop.coffer("device", "create", "--name", "runner", "--apps", app, "--read-only", "--out", credential)
    for (name, machine) in [("laptop", laptop), ("desktop", three.desktop), ("tablet", tablet), ("ci", ci)] {
      try machine.sync()
      try machine.set(name, ["laptop": "1", "desktop": "2", "tablet": "3", "ci": "4"][name] ?? "")
      try machine.sync()
    }
    try three.sync(laptop, three.desktop, tablet, ci, three.third)
    var vault = InsiderVault(
      three,
      copies: [
        .revokedAdmin: try three.desktop.copied(), .revokedMachine: try tablet.copied(), .member: ci,
        .headless: runner,
      ])
    try laptop.coffer("device", "revoke", "desktop", "tablet", "--yes", "--vault-key-file", three.key)
    try vault.acknowledge("after")
    try three.sync(three.third, ci, laptop)
    vault.deleteAtExit()
    return vault
  }

  /// Copies a vault, and lets happen to it what comes next.
  private init(continuing vault: InsiderVault, to past: Past) throws {
    let copy = try InsiderVault(copying: vault)
    var key = copy.key
    if past.hasNewVaultKey {
      key = copy.laptop.directory.path("new-vault-key")
      try copy.laptop.coffer("vault-key", "rotate", "--vault-key-file", copy.key, "--new-vault-key-file", key)
    }
    self.init(copy, past: past, key: key)
    // The member goes on with a copy of its machine, because each vault has a remote of its own.
    let ci = try #require(copies[.member]).copied(syncingWith: remote)
    for epoch in 1..<past.epoch {
      ends.append(try remote.git("rev-parse", branch))
      try laptop.coffer("compact")
      branch = try #require(try branches().last)
      try acknowledge("epoch \(epoch + 1)")
    }
    for machine in [third, ci, laptop] { try machine.sync() }
    self = InsiderVault(self, member: ci)
    deleteAtExit()
  }

  private init(_ vault: InsiderVault, member: Machine) {
    (past, remote, laptop, third, key) = (vault.past, vault.remote, vault.laptop, vault.third, vault.key)
    (commitBefore, branch, ends) = (vault.commitBefore, vault.branch, vault.ends)
    acknowledged = vault.acknowledged
    copies = vault.copies.merging([.member: member]) { $1 }
  }

  /// Writes an item on the laptop that the revoked machines must not read.
  private mutating func acknowledge(_ account: String) throws {
    acknowledged[account] = "5 \(account)"
    try laptop.set(account, "5 \(account)")
    try laptop.sync()
  }

  private func deleteAtExit() {
    for directory in [remote.directory, laptop.directory, third.directory] + copies.values.map(\.directory) {
      directory.deleteAtExit()
    }
  }

  // MARK: Insiders

  /// Returns somebody with the keys of insiders.
  func attacker(_ insiders: Insider...) throws -> Attacker { try attacker(insiders) }

  func attacker(_ insiders: [Insider]) throws -> Attacker {
    let paths = try insiders.map { insider in
      switch insider {
      case .oldRoot: laptop.directory.path("vault-key")
      case .headless: try credential
      case .member, .revokedAdmin, .revokedMachine: try #require(copies[insider]).home.path
      }
    }
    return Attacker(remote: remote, keys: paths)
  }

  /// The path of the headless credential.
  var credential: String { get throws { try #require(copies[.headless]).directory.path("credential") } }
}
