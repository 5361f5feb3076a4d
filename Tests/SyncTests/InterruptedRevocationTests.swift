import Coffer
import CofferAdministration
import CofferCrypto
import CofferFormat
import CofferStore
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// Revocations that a crash, a damaged store or the host stops halfway.
@Suite struct InterruptedRevocationTests {
  private let suite: ThreeMachines
  /// The number of entries of the log before the revocation.
  private let before: UInt64

  init() throws {
    suite = try ThreeMachines()
    try suite.desktop.set("old", "by the desktop")
    try suite.sync(suite.desktop, suite.laptop, suite.third)
    before = try suite.laptop.local.membership().head.sequence
  }

  /// Removes the desktop on the laptop without a push, as a program that is killed before it.
  private func draft() throws {
    let local = try suite.laptop.local
    let desktop = try #require(try local.membership().members.first { $0.name == "desktop" })
    let key = try String(contentsOfFile: suite.key, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    _ = try Removal(of: .machines([desktop.id]), from: local).run(
      as: .root(VaultKey(parsing: SecretText(copying: Array(key.utf8)))))
    #expect(try local.membership().revocations.count == 1)
  }

  /// Expects that the laptop and the third machine have the same log, in which the desktop is removed once.
  private func expectRevoked() throws {
    for machine in [suite.laptop, suite.third] {
      let local = try machine.local
      #expect(try local.membership().revocations.count == 1)
      #expect(try local.membership().incompleteBatch == nil)
      #expect(try local.deviceFile().transportKeys.map(\.generation) == [1, 2])
      try suite.expectSound(machine)
    }
    #expect(try suite.laptop.status("headPhrase") == suite.third.status("headPhrase"))
    #expect(try suite.third.addApp("other").exitCode == 0)
  }

  @Test func `A revocation that was not sent yet passes a check and a repair, and the next sync sends it whole`() throws
  {
    try draft()
    try suite.expectSound(suite.laptop)
    try suite.laptop.coffer("check", "--repair")
    try suite.sync(suite.laptop, suite.third)
    try expectRevoked()
  }

  /// Damage to the entries of a revocation that was not sent, after their first one.
  @Test(arguments: [
    "UPDATE log SET entry = zeroblob(300), envelope = zeroblob(300) WHERE sequence = %+2",
    "UPDATE log SET envelope = zeroblob(300) WHERE sequence = %+2",
    "DELETE FROM log WHERE sequence = (SELECT max(sequence) FROM log)",
  ])
  func `A revocation that was not sent and has lost entries is given up whole, and can be made again`(sql: String)
    throws
  {
    try draft()
    let store = suite.laptop.vault.appending(path: "store.sqlite").path
    try Command.run("sqlite3", store, sql.replacingOccurrences(of: "%", with: "\(before)"))
    let check = try suite.laptop.run("coffer", "check", "--repair")
    #expect(check.exitCode == 6 && check.text.contains("not sent"), "\(check)")
    #expect(try suite.laptop.local.membership().head.sequence == before)
    #expect(try Command.run("sqlite3", store, "SELECT count(*) FROM object WHERE kind = 'record_list'") == "0")
    _ = try suite.laptop.run("coffer", "sync")
    #expect(try suite.remote.files().count { $0.hasPrefix("log/") } == Int(before))
    try suite.sync(suite.laptop, suite.third)
    #expect(try suite.third.local.membership().revocations.isEmpty)
    try suite.revoke()
    try suite.sync(suite.third)
    try expectRevoked()
  }

  @Test func `A revocation that the host refused, and of which it shows the first entry, is completed`() throws {
    try suite.remote.refuseNextPush()
    let change = try suite.remove(on: suite.laptop, "device", "revoke", "desktop")
    #expect(change.exitCode == 7 && change.errors.contains("refuses what this machine pushes"), "\(change)")
    #expect(try suite.laptop.local.membership().revocations.isEmpty)
    try suite.remote.serve(suite.remote.kept())
    let rest = try suite.remote.logFiles(after: before + 1) + [suite.listPath()]
    #expect(rest.count > 3)
    try suite.remote.put([], withholding: rest)
    let sync = try suite.third.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("belong to entry \(before + 1)"), "\(sync)")
    // Nobody but the laptop has what follows.
    _ = try suite.laptop.run("coffer", "sync")
    try suite.sync(suite.laptop, suite.third)
    try expectRevoked()
    #expect(try suite.laptop.local.store.read { try WithdrawnLog.load(from: $0).copies.isEmpty })
  }

  @Test func `Segments under a key whose entry the host withholds stay on the remote`() throws {
    try suite.revoke()
    let known = try Set(suite.remote.files())
    try suite.laptop.set("new", "by the laptop")
    try suite.sync(suite.laptop)
    let segments = try Set(suite.remote.files()).subtracting(known)
    #expect(segments.count == 1)
    try suite.remote.put([], withholding: suite.remote.logFiles(after: before + 1))
    try suite.third.set("mine", "by the third")
    let sync = try suite.third.run("coffer", "sync")
    #expect(sync.exitCode == 6, "\(sync)")
    #expect(try segments.isSubset(of: suite.remote.files()))
    _ = try suite.laptop.run("coffer", "sync")
    _ = try suite.third.run("coffer", "sync")
    try suite.sync(suite.laptop, suite.third)
    let values = ["old": "by the desktop", "new": "by the laptop", "mine": "by the third"]
    for machine in [suite.laptop, suite.third] { #expect(try machine.values() == values) }
    try expectRevoked()
  }
}
