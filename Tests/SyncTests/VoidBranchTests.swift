import CofferCrypto
import CofferFormat
import CofferKeys
import CofferStore
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// Long branches of the log that count for nothing.
@Suite struct VoidBranchTests {
  private static let entryCount = 2_000

  @Test func `Thousands of entries from before a new vault key cost one pass, and few of them are kept`() throws {
    let suite = try ThreeMachines()
    let parent = try suite.third.local.membership().head
    // A copy of a machine from before the new vault key signs entries that cost it nothing.
    let thief = try suite.third.copied()
    let new = try suite.rotate()
    try suite.sync(suite.desktop)
    let right = suite.remote.tip
    let own = try suite.laptop.local.membership()
    let sealed = try thief.dismissals(count: Self.entryCount, after: parent)
    try suite.remote.put(sealed)
    let wrong = suite.remote.tip
    #expect(wrong != right)
    for machine in [suite.laptop, suite.desktop] {
      try suite.remote.serve(wrong)
      let sync = try machine.run("coffer", "sync")
      #expect(sync.exitCode == 6 && sync.errors.contains("from before the vault key was replaced"), "\(sync)")
      let competingEntries = try machine.local.store.read { try $0.competingEntries() }
      let byteCount = competingEntries.reduce(0) { $0 + $1.entry.count + $1.envelope.count }
      #expect(!competingEntries.isEmpty && byteCount <= Limits.voidCompetingByteCount, "\(competingEntries.count)")
      // The first ones stay: without them, nobody can tell what those are worth that follow.
      #expect(competingEntries.map(\.sequence) == (0..<competingEntries.count).map { parent.sequence + 1 + UInt64($0) })
      #expect(try machine.status("logFork") == "none")
      #expect(try machine.local.membership().head == own.head)
      // All of them are gone from the remote.
      #expect(try suite.remote.logFiles(after: own.head.sequence).isEmpty)
      _ = try machine.run("coffer", "sync")
      try suite.sync(machine)
      #expect(try machine.local.store.read { try $0.competingEntries() }.count == competingEntries.count)
    }
    try suite.laptop.coffer("vault-key", "check", "--vault-key-file", new)
    #expect(try suite.desktop.addApp("later").exitCode == 0)
  }
}

extension Machine {
  /// Signs a chain of entries as this machine's admin that change nothing.
  fileprivate func dismissals(count: Int, after parent: LogPosition) throws -> [SealedEntry] {
    let local = try local
    let membership = try local.membership()
    let admin = try local.folder.adminFile.read { try AdminFile(secretBytes: $0).open(passphrase: nil) }
    let signer = LogEntry.Signer.admin(AuthorID(vault: membership.vault, keys: admin.publicKeys))
    let statement = Statement.dismissal(
      DismissalStatement(of: [], after: parent.hash, reason: "nothing"))
    let key = try #require(try local.deviceFile().transportKeys.last)
    var position = parent
    return (0..<count).map { _ in
      let entry = LogEntry(
        vault: membership.vault, after: position, time: .now, signer: signer, key: admin.signing, statement: statement)
      position = entry.position
      let envelope = Envelope(sealing: entry.bytes, as: .logEntry, key: key.key, generation: key.generation)
      return SealedEntry(entry: entry, path: "log/\(entry.sequence / 64)/\(entry.sequence)", file: envelope.bytes)
    }
  }
}
