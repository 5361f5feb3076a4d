import Coffer
import CofferTestSupport
import CofferVault
import Foundation
import Testing

/// Random changes of every table by another program, and repairs that are killed.
@Suite struct RandomHarmTests {
  private let suite: TwoMachines
  /// Every value that each item has had.
  private var values: [String: [String]] = [:]

  init() throws {
    suite = try TwoMachines()
    let (laptop, desktop) = (suite.laptop, suite.desktop)
    for (account, value) in [("a", "1"), ("b", "1"), ("gone", "1"), ("a", "2"), ("b", "2"), ("a", "3")] {
      try laptop.set(account, value)
      values[account, default: []].append(value)
      if value == "2" { try laptop.sync() }
    }
    try laptop.coffer("delete", "service", "gone", "--app", app)
    for machine in [laptop, desktop] { try machine.sync() }
    try desktop.set("b", "desktop")
    try laptop.set("b", "laptop")
    values["b"] = ["1", "2", "desktop", "laptop"]
    for machine in [desktop, laptop] { try machine.sync() }
    var local = GenericPassword(service: "service", account: "local")
    local.accessibility = .whenUnlockedThisDeviceOnly
    let plist = URL(fileURLWithPath: Machine.entitlements(of: "PhotoPro"))
    try Vault.open(.file(plist), at: VaultLocation(folder: laptop.vault)).set("stays", for: local)
    try laptop.set("unsent", "waits")
    values["local"] = ["stays"]
    values["unsent"] = ["waits"]
  }

  private var store: String { suite.laptop.vault.appending(path: "store.sqlite").path }

  private static func statement(_ generator: inout SeededGenerator) -> String {
    let some = "% \(generator.pick([2, 3, 4])) = \(generator.pick([0, 1]))"
    let column = generator.pick([
      "hash = randomblob(32)", "group_id = randomblob(16)", "item = randomblob(7)", "class = 9", "tombstone = 1",
      "time = 0", "created = -5", "arrival = 99", "author = randomblob(16)", "head = 1 - head", "standing = 2",
      "standing = 7", "bases = x'0102'",
      "bases = hash", "tokens = x''", "signed = x'00'", "attributes = x'00'", "value = x'00'",
      "standing = 3, signed = x'', tokens = x'', attributes = x'', value = x''",
    ])
    return generator.pick([
      "UPDATE record SET \(column) WHERE id \(some)", "UPDATE record SET \(column) WHERE id \(some)",
      "UPDATE record SET \(column) WHERE id \(some)", "DELETE FROM record WHERE id \(some)",
      """
      INSERT INTO record SELECT id + 1000, randomblob(32), group_id, item, class, tombstone, time, author, 1, 1, created,
        arrival, bases, tokens, signed, attributes, value FROM record WHERE id \(some)
      """,
      "DELETE FROM edge WHERE record \(some)", "INSERT OR IGNORE INTO edge SELECT hash, id + 1 FROM record",
      "DELETE FROM token WHERE record \(some)", "UPDATE token SET record = record + 3 WHERE record \(some)",
      "UPDATE item_count SET live = live + 1", "DELETE FROM item_count",
      "INSERT OR IGNORE INTO conflict SELECT group_id, item FROM record",
      "DELETE FROM superseded WHERE record \(some)", "INSERT OR IGNORE INTO superseded SELECT id, 0 FROM record",
      "DELETE FROM outbox", "INSERT OR IGNORE INTO outbox (record, group_id) SELECT id, group_id FROM record",
      "INSERT OR IGNORE INTO outbox (record, group_id) VALUES (77, x'00')",
      "DELETE FROM stream", "UPDATE stream SET number = number + 1", "UPDATE stream SET hash = x'', reported = 9",
      "INSERT INTO stream VALUES (randomblob(16), randomblob(16), 1, 3, randomblob(32), 2)",
      "DELETE FROM segment WHERE id \(some)", "UPDATE segment SET envelope = x'00' WHERE id \(some)",
      "UPDATE segment SET number = number + 40 WHERE id \(some)", "UPDATE segment SET device = x'01'",
      "DELETE FROM log WHERE sequence \(some)", "UPDATE log SET entry = x'00' WHERE sequence \(some)",
      "UPDATE log SET envelope = x'00' WHERE sequence \(some)", "DELETE FROM log WHERE sequence > 9",
      "UPDATE setting SET value = randomblob(16) WHERE name IN ('own-stream', 'validated-log', 'missing-segments')",
      "DELETE FROM setting WHERE name <> 'remote-url'", "DELETE FROM summary", "UPDATE summary SET state = x'00'",
      "DELETE FROM verified", "UPDATE verified SET record = record + 1000", "UPDATE vault SET root_slot = x'00'",
    ])
  }

  /// 100 runs and a random one if COFFER_SOAK is 1.
  private static let seeds = SeededGenerator.seedsToRun(
    unlessGiven: SeededGenerator.isSoak
      ? Array(100..<200) + [SeededGenerator.runSeed] : [3, 4, 5, 12_184_162_299_208_735_571])

  @Test(arguments: TestRun.rows(seeds))
  func `After any changes and a repair, everything is back or named as lost, and nothing differs`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let statements = (0..<generator.pick([1, 3, 8])).map { _ in Self.statement(&generator) }
    let account = "seed \(seed): \(statements.joined(separator: ";\n"))"
    for statement in statements {
      // A statement that the constraints of the table refuse changes nothing.
      _ = try? Command.run("sqlite3", store, statement)
    }
    var words = ""
    let isRepaired = generator.chance(50)
    if isRepaired {
      let repair = try suite.laptop.run("coffer", "check", "--repair")
      let isUnsettled = repair.text.contains(" of them are lost.") || repair.text.contains("`coffer sync` fetches")
      #expect(repair.exitCode == (isUnsettled ? 6 : 0), "\(repair)\n\(account)")
      words += repair.text
    }
    // Syncs compare the contents of a small store with their hashes in 64 slices, one each, and repair in the one
    // after.
    for _ in 0..<(isRepaired ? 2 : 65) {
      let sync = try suite.laptop.run("coffer", "sync")
      #expect(sync.exitCode == (sync.errors.isEmpty ? 0 : 6), "\(sync)\n\(account)")
      words += sync.errors
    }
    let check = try suite.laptop.run("coffer", "check")
    #expect(check.exitCode == 0, "\(check)\n\(words)\n\(account)")
    let sync = try suite.laptop.run("coffer", "sync")
    #expect(sync.exitCode == 0, "\(sync)\n\(words)\n\(account)")
    let found = try suite.laptop.values()
    for (account, known) in values where account != "gone" {
      if let value = found[account] {
        #expect(known.contains(value))
        if ["local", "unsent"].contains(account) { continue }
        // What was sent comes back as it was.
        #expect(account == "a" ? value == "3" : ["desktop", "laptop"].contains(value), "\(found)\n\(words)\n\(seed)")
      } else {
        #expect(["local", "unsent"].contains(account), "\(account)\n\(words)\n\(seed)")
        withKnownIssue("nothing names a version of which every row was deleted", isIntermittent: true) {
          #expect(words.contains("lost"), "\(account)\n\(words)\n\(seed)")
        } when: {
          statements.contains("DELETE FROM outbox") && statements.contains { $0.hasPrefix("DELETE FROM record") }
        }
      }
    }
    #expect(found["gone"] == nil, "\(seed)")
    try suite.desktop.sync()
    #expect(try suite.desktop.values() == found.filter { $0.key != "local" }, "\(seed)\n\(statements)")
  }

  #if os(Linux)
    @Test func `A repair that is killed at any of its writes has changed nothing, or everything`() throws {
      try Command.run("sqlite3", store, "DELETE FROM token; DELETE FROM outbox; UPDATE record SET head = 1 - head")
      let before = try suite.laptop.run("coffer", "check").text
      var kills = 0
      for number in 1...200 {
        let outcome = try suite.laptop.run(
          "coffer", "check", "--repair",
          wrapper: [
            "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=pwrite64",
            "-e", "inject=pwrite64:signal=SIGKILL:when=\(number)",
          ])
        let check = try suite.laptop.run("coffer", "check")
        if outcome.exitCode == 0 {
          #expect(check.exitCode == 0, "\(check)")
          break
        }
        kills += 1
        if check.exitCode == 0 { continue }
        #expect(check.text == before)
      }
      #expect(kills > 2)
      try suite.laptop.sync()
      #expect(try suite.laptop.get("unsent") == "waits")
    }
  #endif
}
