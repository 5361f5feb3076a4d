import Coffer
import CofferCrypto
import CofferFormat
import CofferKeys
import CofferStore
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

@Suite struct DiscardedMembershipTests {
  @Test func `Entries that a running sync may push are not discarded; unpublished ones are afterwards`() throws {
    let suite = try TwoMachines()
    try suite.laptop.sync()
    let local = try LocalVault.open(VaultFolder(suite.laptop.vault))
    let membership = try local.membership()
    let admin = try local.folder.adminFile.read { try AdminFile(secretBytes: $0).open(passphrase: nil) }
    var last = membership.head
    for _ in 0..<2 {
      // A copy of an existing statement, so that every reader accepts it.
      let entry = LogEntry(
        vault: membership.vault, after: last, time: .now,
        signer: .admin(AuthorID(vault: membership.vault, keys: admin.publicKeys)), key: admin.signing,
        statement: .app(try #require(membership.apps.values.first).statement))
      try local.store.write {
        try $0.appendLogEntry(sequence: entry.sequence, entry: entry.bytes, envelope: [], published: nil)
      }
      last = entry.position
    }
    do {
      let running = try FileLock.acquire(path: local.folder.syncLockPath, timeout: longestWait, purpose: "sync")
      defer { extendLifetime(running) }
      #expect(throws: VaultError.self) { try local.discardUnpublishedLog(timeout: .milliseconds(100)) }
      #expect(try local.membership().head == last)
      try local.store.write { try $0.markLogPublished(last.sequence - 1, as: []) }
    }
    // A child process that another test has just forked holds copies of the locks' descriptors until it executes.
    try local.discardUnpublishedLog(timeout: longestWait)
    #expect(try local.membership().head.sequence == last.sequence - 1)
  }
}
