import CofferCrypto
import CofferFormat
import CofferStore
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// A host that withholds or replaces parts of a revocation.
@Suite struct WithheldRevocationTests {
  private let suite: ThreeMachines
  /// The desktop's files before it was removed.
  private let copy: Machine
  private let group = "com.example.photo.pro"
  /// The number of entries of the log before the revocation.
  private let before: UInt64

  init() throws {
    suite = try ThreeMachines()
    try suite.desktop.set("old", "by the desktop")
    try suite.sync(suite.desktop, suite.laptop, suite.third)
    copy = try suite.desktop.copied()
    before = try suite.laptop.local.membership().head.sequence
    try suite.revoke()
  }

  /// The hash of a record that no machine has.
  private static let unknownRecord = RecordHash(.zero)

  /// Expects that the revocation has no effect on the third machine, which says so at each sync, and that it changes no
  /// membership meanwhile.
  private func expectIncomplete(naming words: String) throws {
    for _ in 0..<2 {
      let sync = try suite.third.run("coffer", "sync")
      #expect(sync.exitCode == 6 && sync.errors.contains(words), "\(sync)")
    }
    let change = try suite.third.addApp("other")
    #expect(
      change.exitCode == 6 && change.errors.contains("a part of the last change of membership is missing"), "\(change)")
    #expect(try suite.third.local.membership().revocations.isEmpty)
    #expect(try suite.third.get("old") == "by the desktop")
    #expect(try suite.third.coffer("check") == "The store matches its signed objects.")
  }

  /// Expects that everything is in effect and nothing is lost after all parts have arrived.
  private func expectComplete(_ values: [String: String] = [:]) throws {
    _ = try suite.third.run("coffer", "sync")
    _ = try suite.laptop.run("coffer", "sync")
    try suite.sync(suite.third, suite.laptop)
    for machine in [suite.third, suite.laptop] {
      #expect(try machine.values() == ["old": "by the desktop"].merging(values) { $1 })
    }
    try suite.expectSound(suite.third, suite.laptop)
    #expect(try suite.third.addApp("other").exitCode == 0)
  }

  @Test func `A revocation whose record list is withheld takes effect when the list arrives, and nothing is lost`()
    throws
  {
    let path = try suite.listPath()
    try suite.remote.put([], withholding: [path])
    try expectIncomplete(naming: "lacks a record list of entry \(before + 1)")
    let backup = suite.third.directory.path("list.backup")
    let refused = try suite.third.run("coffer", "backup", backup)
    #expect(
      refused.exitCode == 6 && refused.errors.contains("the backup would not be complete")
        && refused.errors.contains("with: coffer sync"), "\(refused)")
    // What arrives meanwhile is valid for now.
    let record = try copy.forge(Array("forged".utf8), account: "planted", in: group, by: app)
    let planted = try copy.sealSegment(of: [record.bytes], in: record.header.group)
    try suite.remote.put([planted])
    _ = try suite.third.run("coffer", "sync")
    #expect(try suite.third.get("planted") == "forged")
    try suite.third.set("mine", "value")
    // A new machine finds the list in the history.
    let (clone, copy) = (try Machine(), try TemporaryRemote(copying: suite.remote))
    try clone.coffer("clone", "--name", "later", "--no-passphrase", "--vault-key-file", suite.key, copy.path)
    #expect(try clone.values()["planted"] == nil)
    let sync = try suite.laptop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("has lost \(path)"), "\(sync)")
    try expectComplete(["mine": "value"])
    #expect(try suite.third.status("refusedRecords") == "1")
    try suite.third.coffer("backup", backup)
  }

  /// What a host shows in place of a record list.
  enum Replacement: CaseIterable { case altered, otherList, otherVault, logEntry }

  @Test(arguments: Replacement.allCases)
  func `Other bytes in place of a record list are named and replaced, and have no effect`(
    replacement: Replacement
  ) throws {
    let path = try suite.listPath()
    let genuine = try suite.remote.bytes(of: path)
    let local = try suite.laptop.local
    let key = try #require(try local.deviceFile().transportKeys.last)
    let vault = replacement == .otherVault ? VaultID.random() : try local.membership().vault
    let list = try #require(RecordList.lists(of: [Self.unknownRecord], in: vault).first)
    var bytes: [UInt8]
    switch replacement {
    case .altered:
      bytes = genuine
      bytes[bytes.count - 1] ^= 1
    case .otherList, .otherVault:
      bytes = Envelope(sealing: list.bytes, as: .recordList, key: key.key, generation: key.generation).bytes
    case .logEntry: bytes = try suite.remote.bytes(of: "log/0/\(before + 1)")
    }
    try suite.remote.tamper { try Data(bytes).write(to: $0.appending(path: path)) }
    let sync = try suite.third.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("that is not valid"), "\(sync)")
    try expectIncomplete(naming: "lacks a record list of entry \(before + 1)")
    let repair = try suite.laptop.run("coffer", "sync")
    #expect(repair.exitCode == 6, "\(repair)")
    try expectComplete()
  }

  @Test func `A record list that another branch has only had, before somebody replaced it, takes effect`() throws {
    let path = try suite.listPath()
    let whole = suite.remote.tip
    try suite.remote.tamper { try Data("replaced".utf8).write(to: $0.appending(path: path)) }
    try suite.remote.git("update-ref", "refs/heads/vault-2-00000000000000ff", suite.remote.tip)
    try suite.remote.serve(whole)
    try suite.remote.put([], withholding: [path])
    let sync = try suite.third.run("coffer", "sync")
    #expect(sync.exitCode == 6, "\(sync)")
    #expect(try suite.third.local.membership().revocations.count == 1)
    try expectComplete()
  }

  @Test func `A revocation without the entries that belong to it has no effect, and everything follows with them`()
    throws
  {
    let whole = suite.remote.tip
    let later = try suite.remote.logFiles(after: before + 1)
    #expect(later.count > 2)
    try suite.remote.put([], withholding: later)
    try expectIncomplete(naming: "lacks entries of the membership log that belong to entry \(before + 1)")
    try suite.third.set("mine", "value")
    _ = try suite.third.run("coffer", "sync")
    try suite.remote.serve(whole)
    try expectComplete(["mine": "value"])
  }

  @Test func `A file among the record lists that no revocation names is named and removed`() throws {
    try suite.sync(suite.third)
    let local = try suite.laptop.local
    let key = try #require(try local.deviceFile().transportKeys.last)
    let list = try #require(RecordList.lists(of: [Self.unknownRecord], in: local.membership().vault).first)
    let sealed = Envelope(sealing: list.bytes, as: .recordList, key: key.key, generation: key.generation).bytes
    for name in [list.hash.hex, "junk"] {
      try suite.remote.tamper { try Data(sealed).write(to: $0.appending(path: "lists/\(name)")) }
      try suite.third.set(name, "value")
      let sync = try suite.third.run("coffer", "sync")
      #expect(
        sync.exitCode == 6
          && sync.errors.contains(name == "junk" ? "an unknown file lists/junk" : "no entry of the log names it"),
        "\(sync)")
      #expect(!(try suite.remote.files().contains("lists/\(name)")))
    }
    try suite.sync(suite.third, suite.laptop)
    try suite.expectSound(suite.third, suite.laptop)
  }

  @Test(
    arguments: ["UPDATE object SET bytes = zeroblob(100)", "DELETE FROM object"].map {
      "\($0) WHERE kind = 'record_list'"
    })
  func `A damaged record list is named by a check, and the next sync brings it back`(sql: String) throws {
    let record = try copy.forge(Array("forged".utf8), account: "planted", in: group, by: app)
    try suite.sync(suite.third)
    try suite.remote.put([suite.third.sealSegment(of: [record.bytes], in: record.header.group)])
    _ = try suite.third.run("coffer", "sync")
    #expect(try suite.third.status("refusedRecords") == "1")
    let store = suite.third.vault.appending(path: "store.sqlite").path
    try Command.run("sqlite3", store, sql)
    let check = try suite.third.run("coffer", "check")
    #expect(check.exitCode == 6 && check.text.contains("record_list"), "\(check)")
    _ = try suite.third.run("coffer", "sync")
    try suite.sync(suite.third)
    #expect(try suite.third.status("refusedRecords") == "1")
    try suite.expectSound(suite.third)
    // The host withholds the list too, so that the revocation is not in effect until another machine sends it.
    try Command.run("sqlite3", store, sql)
    try suite.remote.put([], withholding: [suite.listPath()])
    let sync = try suite.third.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("lacks a record list"), "\(sync)")
    _ = try suite.laptop.run("coffer", "sync")
    _ = try suite.third.run("coffer", "sync")
    try suite.sync(suite.third)
    #expect(try suite.third.status("refusedRecords") == "1")
    #expect(try suite.third.values() == ["old": "by the desktop"])
    try suite.expectSound(suite.third)
  }
}
