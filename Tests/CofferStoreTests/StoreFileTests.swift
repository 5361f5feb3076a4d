import CofferFormat
import CofferTestSupport
import Foundation
import GRDB
import Testing

@testable import CofferStore

@Suite struct StoreFileTests {
  private let fixture: TemporaryStore
  private let samples = SampleRecords()

  init() throws { fixture = try TemporaryStore() }

  private func code(_ body: () throws -> Void) -> StoreError.Code? {
    do {
      try body()
      return nil
    } catch let error as StoreError {
      return error.code
    } catch {
      return nil
    }
  }

  /// Changes the file as another program of the same user can.
  private func tamper(_ sql: String, at path: String? = nil) throws {
    let queue = try DatabaseQueue(path: path ?? fixture.path)
    try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    try queue.close()
  }

  @Test func `A file that is about to be replaced has the commits of its write-ahead log`() throws {
    try fixture.store.insert([samples.record("a")])
    func logSize() throws -> Int { try Data(contentsOf: URL(fileURLWithPath: fixture.path + "-wal")).count }
    #expect(try logSize() > 0)
    var sizes: [Int] = []
    try Store.salvage(from: fixture.path, to: fixture.folder + "/new.sqlite") { _ in sizes.append(try logSize()) }
    #expect(sizes == [0])
  }

  @Test func `A created store opens again with its genesis and is intact; creating it twice is refused`() throws {
    #expect(code { _ = try Store.create(at: fixture.path, genesis: [], rootSlot: []) } == .alreadyExists)
    let store = try Store.open(at: fixture.path)
    #expect(try store.read { try $0.genesis() } == TemporaryStore.genesis)
    #expect(try store.read { try $0.rootSlot() } == TemporaryStore.rootSlot)
    try store.checkIntegrity()
    #expect(code { _ = try Store.open(at: fixture.path + ".none") } == .missing)
    #expect(code { _ = try Store.open(at: fixture.folder) } == .corrupt)
    #expect(code { _ = try Store.create(at: fixture.folder + "/no/x", genesis: [], rootSlot: []) } == .missing)
    let names = try FileManager.default.contentsOfDirectory(atPath: fixture.folder)
    #expect(names.allSatisfy { $0.hasPrefix("vault.sqlite") && !$0.hasSuffix(".new") })
  }

  @Test func `A write-ahead log left by a deleted store is not replayed into a new one`() throws {
    let path = fixture.folder + "/second"
    #expect(FileManager.default.createFile(atPath: path + "-wal", contents: Data([1])))
    #expect(code { _ = try Store.create(at: path, genesis: [], rootSlot: []) } == .alreadyExists)
  }

  @Test func `The connection uses WAL, synchronous = FULL and foreign keys, and does not trust the schema`() throws {
    let mode = try fixture.store.read { try $0.connection.text("PRAGMA journal_mode") }
    #expect(mode == "wal")
    let expected: [(String, Int64)] = [
      ("synchronous", 2), ("foreign_keys", 1), ("trusted_schema", 0), ("busy_timeout", 30_000),
    ]
    for (name, value) in expected {
      let found = try fixture.store.read { try $0.connection.integer("PRAGMA \(name)") }
      #expect(found == value, "\(name)")
    }
  }

  @Test func `The file and its companions are accessible to their owner only`() throws {
    try fixture.store.insert([samples.record("a")])
    for suffix in ["", "-wal", "-shm"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: fixture.path + suffix)
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(suffix)")
    }
  }

  @Test(arguments: [Schema.version + 1, Schema.version - 1])
  func `A store of another version is refused and remains unchanged`(version: Int64) throws {
    let path = fixture.folder + "/other"
    do { _ = try Store.create(at: path, genesis: [1], rootSlot: []) }
    try tamper("PRAGMA user_version = \(version)", at: path)
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(code { _ = try Store.open(at: path) } == .otherVersion)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
  }

  @Test func `A store that becomes newer while it is open is refused by the next access`() throws {
    let store = fixture.store
    try store.insert([samples.record("a")])
    try tamper("CREATE TABLE future (x); PRAGMA user_version = \(Schema.version + 1)")
    #expect(code { try store.insert([samples.record("b")]) } == .otherVersion)
    #expect(code { _ = try store.read { try $0.genesis() } } == .otherVersion)
  }

  @Test(arguments: [
    ("CREATE TRIGGER t AFTER INSERT ON record BEGIN DELETE FROM log; END", "another program added trigger t"),
    ("CREATE VIEW v AS SELECT 1", "another program added view v"),
    ("CREATE TABLE x (y)", "another program added table x"),
    ("DROP INDEX record_item", "a table or index is missing"),
    ("CREATE INDEX i ON record (author)", "another program added index i"),
    ("ALTER TABLE record ADD COLUMN z BLOB", "record differs from what this program created"),
    ("DROP TABLE token; CREATE VIEW token AS SELECT 1 AS group_id", "token differs from what this program created"),
  ])
  func `Any other schema is refused with what differs, also while the store is open`(
    sql: String, difference: String
  ) throws {
    let store = fixture.store
    try store.write { try $0.appendLogEntry(sequence: 1, entry: [1], envelope: [1], published: []) }
    try tamper(sql)
    let error = #expect(throws: StoreError.self) { try store.insert([samples.record("a")]) }
    #expect(error?.code == .corrupt)
    #expect(error?.detail == difference)
    #expect(code { _ = try Store.open(at: fixture.path) } == .corrupt)
    let left = try DatabaseQueue(path: fixture.path).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM log") }
    #expect(left == 1)
  }

  @Test func `A trigger fails instead of running even if the schema was not compared`() throws {
    #expect(
      code {
        try fixture.store.write { writer in
          try writer.connection.run("CREATE TEMP TRIGGER t AFTER INSERT ON log BEGIN DELETE FROM vault; END")
          try writer.appendLogEntry(sequence: 1, entry: [], envelope: [], published: [])
        }
      } == .corrupt)
    #expect(try fixture.store.read { try $0.genesis() } == TemporaryStore.genesis)
  }

  @Test(arguments: [(0, ""), (1, ""), (100, " (SQLite 26)"), (4096, " (SQLite 26)"), (70_000, " (SQLite 26)")])
  func `A file that is not a store is corrupt, named and unchanged`(byteCount: Int, reason: String) throws {
    let path = fixture.folder + "/noise"
    let noise = Data((0..<byteCount).map { _ in UInt8.random(in: 0...255) })
    try noise.write(to: URL(fileURLWithPath: path))
    let error = #expect(throws: StoreError.self) { _ = try Store.open(at: path) }
    #expect(error?.code == .corrupt)
    #expect(error?.detail == "the file is damaged or not a store" + reason)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == noise)
  }

  @Test func `A foreign SQLite database is corrupt and unchanged`() throws {
    let path = fixture.folder + "/foreign"
    try tamper("CREATE TABLE t (x); INSERT INTO t VALUES (1)", at: path)
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(code { _ = try Store.open(at: path) } == .corrupt)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }

  @Test func `Columns with invalid contents give an error and never a crash`() throws {
    let record = samples.record("a")
    try fixture.store.insert([record], intoOutbox: true)
    let plants = [
      "UPDATE record SET item = x'01'", "UPDATE record SET group_id = x''", "UPDATE record SET bases = x'0102'",
      "UPDATE record SET tokens = x'0102'", "UPDATE record SET standing = 77", "UPDATE record SET hash = x'00'",
      "UPDATE record SET signed = x'00', attributes = x''", "UPDATE outbox SET group_id = x'00'",
      "INSERT INTO log VALUES (-5, NULL, x'', x'')", "UPDATE record SET value = zeroblob(100000000)",
      "INSERT INTO stream VALUES (x'00', x'', 7, -1, x'', -9)",
      "UPDATE verified SET mac = x'00', record = 99", "INSERT INTO superseded VALUES (-7, -7)",
      "INSERT INTO segment VALUES (-1, x'', -1, x'', x'', NULL, x'')", "UPDATE segment SET published = x'00'",
      "INSERT INTO rival VALUES (x'00', -3, x'', x'')",
      "UPDATE record SET created = -9223372036854775808, arrival = 9223372036854775807",
      "UPDATE item_count SET live = 9223372036854775807",
      "INSERT INTO item_count VALUES (x'', -1, -9223372036854775808)",
      "INSERT INTO conflict VALUES (x'', x'00')", "UPDATE token SET item = x'00', created = -1",
    ]
    for plant in plants {
      try tamper(plant)
      let store = try Store.open(at: fixture.path)
      let actions: [() throws -> Void] = [
        { _ = try store.heads(samples.item("a"), samples.group) },
        { _ = try store.found([samples.token(account: "a")], samples.group) },
        { _ = try store.read { try $0.page(of: samples.group, after: nil, limit: 9, withValues: true) } },
        { _ = try store.read { try $0.outbox(in: samples.group, byteLimit: 9) } },
        { _ = try store.read { try $0.outboxGroups() } },
        { _ = try store.read { try $0.logEntries(after: 0) } }, { _ = try store.read { try $0.logLength() } },
        { _ = try store.read { try $0.streamHeads() } }, { _ = try store.read { try $0.unpublishedSegments() } },
        { try store.insert([samples.record("a", over: [record])]) }, { try store.write { try $0.remove(record.hash) } },
      ]
      for action in actions {
        do { try action() } catch let error as StoreError {
          #expect(error.code == .corrupt, "\(plant)")
        } catch is FormatError {}
      }
    }
  }

  @Test(arguments: [SeededGenerator.runSeed])
  func `Flipped bytes of the file give a named error or the true value, and never a crash`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    try fixture.store.insert((0..<20).map { samples.record("a\($0)") }, intoOutbox: true)
    let copy = fixture.folder + "/copy"
    try tamper("VACUUM INTO '\(copy)'")
    try tamper("PRAGMA journal_mode = WAL", at: copy)
    let good = [UInt8](try Data(contentsOf: URL(fileURLWithPath: copy)))
    for _ in 0..<300 {
      var bad = good
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0..<bad.count, using: &random)
        bad[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
      for suffix in ["-wal", "-shm", "-journal"] where FileManager.default.fileExists(atPath: copy + suffix) {
        try FileManager.default.removeItem(atPath: copy + suffix)
      }
      try Data(bad).write(to: URL(fileURLWithPath: copy))
      do {
        let store = try Store.open(at: copy)
        for number in 0..<20 {
          for stored in try store.read({ try $0.heads(of: samples.item("a\(number)"), in: samples.group) }) {
            _ = try stored.record()
          }
        }
        try store.insert([samples.record("new")])
      } catch is StoreError {} catch is FormatError {}
    }
  }

  @Test func `Plain text and primary keys are never in the file`() throws {
    let canary = "canary-4c1f"
    try fixture.store.insert([samples.record(canary, value: Array(canary.utf8), label: canary)], intoOutbox: true)
    for suffix in ["", "-wal"] {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: fixture.path + suffix))
      #expect(bytes.range(of: Data(canary.utf8)) == nil)
    }
  }
}
