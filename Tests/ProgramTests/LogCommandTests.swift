import CofferTestSupport
import Foundation
import Testing

@Suite struct LogCommandTests {
  private struct Report: Decodable {
    struct Entry: Decodable {
      let number: Int
      let signedBy: String
      let signerMachine: String?
      let kind: String
      let what: String
      let hash: String
      let phrase: String
      let isPublished: Bool
      let isAfterFork: Bool
    }
    let entries: [Entry]
    let entryCount: Int
    let headPhrase: String
    let fork: String?
  }

  private struct Verification: Decodable {
    struct Problem: Decodable {
      let message: String
      let recoverySuggestion: String?
    }
    let verifiedCount: Int
    let entryCount: Int
    let headPhrase: String
    let isSound: Bool
    let firstInvalidEntry: Int?
    let problems: [Problem]
  }

  private let machine: Machine

  init() throws { machine = try Machine.withExamples() }

  @Test func `log lists who did what, newest first, with the head phrase of status at the end`() throws {
    let status = try machine.json(StatusReport.self, "status")
    let lines = try machine.coffer("log").split(separator: "\n")
    #expect(lines.count == status.logLength + 2 && lines[0].hasPrefix("ENTRY  TIME"))
    #expect(lines[1].hasPrefix("\(status.logLength)  ") && lines[1].contains("  the owner on laptop  "))
    #expect(lines[lines.count - 2].contains(#/  the vault key +created the transport key/#))
    #expect(lines.last == "Head phrase of \(status.logLength) entries: \(status.headPhrase)")
    // Without a remote, no entry waits for it.
    #expect(!lines.contains { $0.contains("not on the remote") })
    let report = try machine.json(Report.self, "log")
    #expect(report.entries.map(\.number) == Array((1...status.logLength).reversed()))
    #expect(report.entryCount == status.logLength && report.headPhrase == status.headPhrase && report.fork == nil)
    #expect(report.entries[0].phrase == status.headPhrase && report.entries.allSatisfy { $0.hash.count == 64 })
  }

  @Test func `Entries are limited, reversed, and chosen by kind and signer`() throws {
    let all = try machine.json(Report.self, "log").entries
    #expect(try machine.json(Report.self, "log", "-n", "3").entries.map(\.number) == all.prefix(3).map(\.number))
    #expect(try machine.json(Report.self, "log", "--limit", "0").entries.isEmpty)
    #expect(try machine.json(Report.self, "log", "--reverse").entries.map(\.number) == all.reversed().map(\.number))
    // The newest ones, in the order of the log.
    #expect(
      try machine.json(Report.self, "log", "--reverse", "-n", "2").entries.map(\.number)
        == all.prefix(2).reversed().map(\.number))
    let apps = try machine.json(Report.self, "log", "--kind", "app").entries
    #expect(apps.map(\.what).allSatisfy { $0.hasPrefix("registered the app ") } && apps.count == 2)
    #expect(try machine.json(Report.self, "log", "--kind", "app", "--kind", "machine").entries.count == 3)
    let root = try machine.json(Report.self, "log", "--signed-by", "the vault key").entries
    #expect(root.map(\.number) == [2, 1] && root.map(\.kind) == ["machine", "transportKey"])
    #expect(root.allSatisfy { $0.signedBy == "the vault key" && $0.signerMachine == nil })
    let own = try machine.json(Report.self, "log", "--signed-by", "laptop").entries
    #expect(own.map(\.number) == all.map(\.number).filter { $0 > 2 } && own[0].signerMachine == "laptop")
    #expect(try machine.json(Report.self, "log", "--signed-by", "the owner on laptop").entries.count == own.count)
    #expect(try machine.json(Report.self, "log", "--signed-by", "nobody").entries.isEmpty)
  }

  @Test(arguments: [
    ["--limit", "-1"], ["--verify", "--limit", "1"], ["--verify", "--reverse"], ["--kind", "none"],
    ["--verify", "--kind", "app"], ["--verify", "--signed-by", "x"],
  ])
  func `Options that the log does not have, or that exclude each other, are incorrect usage`(options: [String]) throws {
    expectFailure(try machine.start("coffer", ["log"] + options).wait(), 2, "see: coffer log show --help")
  }

  @Test func `log --verify counts the valid entries and prints the phrase to compare`() throws {
    let status = try machine.json(StatusReport.self, "status")
    let outcome = try machine.run("coffer", "log", "--verify")
    #expect(outcome.exitCode == 0 && outcome.errors.isEmpty)
    #expect(
      outcome.text.hasPrefix(
        "Verified: \(status.logLength) of \(status.logLength) entries\nHead phrase: \(status.headPhrase)\n"))
    let report = try machine.json(Verification.self, "log", "--verify")
    #expect(report.isSound && report.verifiedCount == report.entryCount && report.headPhrase == status.headPhrase)
  }

  /// Changes of the store, the first entry that is not valid then, and a part of what is printed.
  private static let harms: [(script: String, entry: Int?, problem: String)] = [
    ("db.execute('UPDATE log SET entry = zeroblob(length(entry)) WHERE sequence = 5')", 5, "it is damaged"),
    (
      // The last byte belongs to the signature, which the chain of hashes does not cover.
      """
      entry = bytearray(db.execute('SELECT entry FROM log WHERE sequence = 4').fetchone()[0])
      entry[-1] ^= 1
      db.execute('UPDATE log SET entry = ? WHERE sequence = 4', (bytes(entry),))
      """, 4, "did not sign it"
    ),
    (
      "db.execute('UPDATE log SET entry = (SELECT entry FROM log WHERE sequence = 3) WHERE sequence = 6')", 6,
      "it does not follow entry 5"
    ),
    ("db.execute('DELETE FROM log WHERE sequence = 4')", 4, "entry 4 of the membership log is missing"),
    ("db.execute('DELETE FROM log WHERE sequence > 8')", nil, "has seen an entry 10 of the membership log"),
    (
      "db.execute('UPDATE vault SET root_slot = zeroblob(length(root_slot))')", nil,
      "the root slot is missing or damaged"
    ),
  ]

  @Test(arguments: harms.indices)
  func `log --verify names what is wrong with a changed store, and exits with 6`(index: Int) throws {
    let harm = Self.harms[index]
    try Command.run(
      "python3", "-c",
      "import sqlite3, sys\ndb = sqlite3.connect(sys.argv[1])\n\(harm.script)\ndb.commit()",
      machine.vault.appending(path: "store.sqlite").path)
    let outcome = try machine.run("coffer", "log", "--verify")
    #expect(outcome.exitCode == 6 && outcome.errors.contains(harm.problem), "\(outcome)")
    let isOlder = harm.problem.contains("has seen")
    #expect(outcome.errors.contains(isOlder ? "restore the right folder" : "coffer check --repair"), "\(outcome)")
    let report = try JSONDecoder().decode(
      Verification.self, from: machine.run("coffer", "log", "--verify", "--json").output)
    #expect(!report.isSound && report.firstInvalidEntry == harm.entry, "\(report)")
    if let entry = harm.entry {
      #expect(report.verifiedCount == entry - 1 && outcome.text.hasPrefix("Verified: \(entry - 1) of "))
    }
    #expect(report.problems.first?.message.contains(harm.problem) == true)
  }

  @Test func `log --verify notices an older store by the entries that an app has seen`() throws {
    let store = machine.vault.appending(path: "store.sqlite")
    // Without its log, the file alone is the store.
    try Command.run("sqlite3", store.path, "PRAGMA wal_checkpoint(TRUNCATE)")
    let older = try Data(contentsOf: store)
    try machine.coffer("app", "add", machine.plist("com.example.later", groups: []))
    #expect(try machine.coffer("log", "--verify").hasPrefix("Verified"))
    for name in ["store.sqlite-wal", "store.sqlite-shm"] {
      try? FileManager.default.removeItem(at: machine.vault.appending(path: name))
    }
    try older.write(to: store)
    let outcome = try machine.run("coffer", "log", "--verify")
    #expect(outcome.exitCode == 6 && outcome.errors.contains("com.example.later has seen an entry"), "\(outcome)")
  }
}
