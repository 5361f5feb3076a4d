/// The cost that an operation cannot avoid, measured with plain SQLite and libsodium on a copy of a vault's store.
///
/// Runs every statement that Coffer runs for the operation, prepared once, on rows of the same sizes, and seals, hashes
/// and signs as many bytes as Coffer does.
final class PlainStore {
  /// The sizes of a stored row's parts, in bytes.
  struct RowSizes {
    let signed: Int
    let attributes: Int
    let value: Int
    let tokens: Int
  }

  private struct Head {
    let row: Int64
    let item: PlainBytes
    let hash: PlainBytes
    let tokens: [PlainBytes]
    let created: Int64
    let arrival: Int64
  }

  let database: PlainDatabase
  let primitives = Primitives()
  let sizes: RowSizes
  /// Rows of existing items, in random order.
  let sample: [Int64]
  private var heads: [Head] = []
  private var next = 0
  /// The creation time of the next new item, after that of all others.
  private var created: Int64 = 1 << 60
  private var generator = SystemRandomNumberGenerator()

  private let group: PlainBytes
  private let author: PlainBytes
  private let signed: PlainBytes
  private let attributes: PlainBytes
  private let value: PlainBytes
  private let tokenList: PlainBytes
  private let mac = PlainBytes(count: 16)
  private let none = PlainBytes(count: 0)

  private let begin: PlainStatement
  private let commit: PlainStatement
  private let version: PlainStatement
  private let lookUp: PlainStatement
  private let findHeads: PlainStatement
  private let findVersions: PlainStatement
  private let findHash: PlainStatement
  private let findCover: PlainStatement
  private let lastRow: PlainStatement
  private let insertRecord: PlainStatement
  private let headMarks: PlainStatement
  private let addCount: PlainStatement
  private let insertEdge: PlainStatement
  private let loseHead: PlainStatement
  private let supersede: PlainStatement
  private let deleteToken: PlainStatement
  private let insertToken: PlainStatement
  private let enqueue: PlainStatement
  private let verify: PlainStatement
  private let prune: PlainStatement
  private let searchToken: PlainStatement

  /// Opens the copy of a store that holds items of the benchmark.
  init(path: String) throws {
    let database = try PlainDatabase(path: path)
    self.database = database
    func one(_ sql: String) throws -> PlainStatement {
      let statement = try database.prepare(sql)
      guard try statement.step() else { throw PlainDatabase.Failure(description: "the copied store is empty") }
      return statement
    }
    let first = try one(
      """
      SELECT length(signed), length(attributes), length(value), length(tokens) / 16, group_id, author, class
      FROM record
      """)
    let sizes = RowSizes(
      signed: Int(first.integer(0)), attributes: Int(first.integer(1)), value: Int(first.integer(2)),
      tokens: Int(first.integer(3)))
    self.sizes = sizes
    group = PlainBytes(first.bytes(4))
    author = PlainBytes(first.bytes(5))
    let classCode = first.integer(6)
    first.reset()
    signed = PlainBytes(count: sizes.signed)
    attributes = PlainBytes(count: sizes.attributes)
    value = PlainBytes(count: sizes.value)
    tokenList = PlainBytes(count: sizes.tokens * 16)

    let bounds = try one("SELECT min(id), max(id) FROM record")
    sample = (0..<2_000).map { _ in Int64.random(in: bounds.integer(0)...bounds.integer(1)) }
    bounds.reset()

    begin = try database.prepare("BEGIN IMMEDIATE")
    commit = try database.prepare("COMMIT")
    version = try database.prepare("PRAGMA data_version")
    lookUp = try database.prepare("SELECT value FROM record WHERE group_id = ?1 AND item = ?2 AND head = 1")
    findHeads = try database.prepare(
      """
      SELECT r.id, r.signed, r.attributes, r.standing,
        (SELECT mac FROM verified v WHERE v.record = r.id AND v.author = ?9)
      FROM record r WHERE r.group_id = ?1 AND r.item = ?2 AND r.head = 1
      """)
    findVersions = try database.prepare("SELECT 1 FROM record WHERE group_id = ?1 AND item = ?2 LIMIT 1")
    findHash = try database.prepare(
      """
      SELECT id, hash, group_id, item, class, tombstone, standing, head, bases, tokens, created, arrival FROM record
      WHERE hash = ?1
      """)
    findCover = try database.prepare(
      """
      SELECT 1 FROM edge e CROSS JOIN record r ON r.id = e.record
      WHERE e.base = ?1 AND r.standing IN (1, 3) AND r.item = ?2 AND r.group_id = ?3 LIMIT 1
      """)
    insertRecord = try database.prepare(
      """
      INSERT INTO record (id, hash, group_id, item, class, tombstone, time, author, head, standing, created, arrival, bases,
        tokens, signed, attributes, value)
      VALUES (?9, ?1, ?2, ?3, \(classCode), 0, ?6, ?7, 1, 1, ?4, ?5, ?10, ?11, ?12, ?13, ?14)
      """)
    lastRow = try database.prepare("SELECT ifnull(max(id), 0) FROM record")
    headMarks = try database.prepare(
      "SELECT class, tombstone FROM record INDEXED BY record_item WHERE group_id = ?1 AND item = ?2 AND head = 1")
    addCount = try database.prepare(
      """
      INSERT INTO item_count (group_id, class, live) VALUES (?1, \(classCode), ?2)
      ON CONFLICT (group_id, class) DO UPDATE SET live = live + ?2
      """)
    insertEdge = try database.prepare("INSERT INTO edge (base, record) VALUES (?1, ?2)")
    loseHead = try database.prepare("UPDATE record SET head = 0 WHERE id = ?1")
    supersede = try database.prepare(
      """
      INSERT OR REPLACE INTO superseded (record, time)
      VALUES (?1, CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER))
      """)
    deleteToken = try database.prepare(
      """
      DELETE FROM token
      WHERE group_id = ?1 AND token = ?2 AND created = ?3 AND arrival = ?4 AND item = ?5 AND record = ?6
      """)
    insertToken = try database.prepare(
      """
      INSERT OR REPLACE INTO token (group_id, token, created, arrival, item, record) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      """)
    enqueue = try database.prepare(
      "INSERT INTO outbox (record, group_id) VALUES (?1, ?2) ON CONFLICT (record) DO NOTHING")
    verify = try database.prepare("INSERT OR REPLACE INTO verified (record, author, mac) VALUES (?1, ?2, ?3)")
    prune = try database.prepare(
      """
      SELECT s.record FROM superseded s INDEXED BY superseded_time CROSS JOIN record r ON r.id = s.record
      WHERE s.time < ?1 AND r.head = 0 AND r.standing = 1
        AND NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.record = r.id)
      LIMIT 16
      """)
    searchToken = try database.prepare(
      """
      SELECT r.id, r.signed, r.attributes, r.standing,
        (SELECT mac FROM verified v WHERE v.record = r.id AND v.author = ?9)
      FROM token t CROSS JOIN record r ON r.id = t.record WHERE t.group_id = ?1 AND t.token = ?2 AND r.head = 1
      """)
    heads = try readHeads()
    primitives.seal(BenchmarkVault.valueByteCount)
  }

  private func readHeads() throws -> [Head] {
    let read = try database.prepare("SELECT item, hash, tokens, created, arrival FROM record WHERE id = ?1")
    let count = try database.prepare("SELECT 1 FROM token WHERE group_id = ?1 AND token = ?2 LIMIT 2")
    count.bind(group, at: 1)
    return try Set(sample).map { row in
      defer { read.reset() }
      read.bind(row, at: 1)
      guard try read.step() else { throw PlainDatabase.Failure(description: "the copied store has gaps") }
      let bytes = read.bytes(2)
      let tokens = stride(from: 0, to: bytes.count, by: 16).map { PlainBytes(Array(bytes[$0..<$0 + 16])) }
      // A token that no other item has comes first, as a label's does: a service's token matches many items.
      let own = try tokens.firstIndex { token in
        count.bind(token, at: 2)
        return try count.run() == 1
      }
      return Head(
        row: row, item: PlainBytes(read.bytes(0)), hash: PlainBytes(read.bytes(1)),
        tokens: own.map { [tokens[$0]] + tokens[..<$0] + tokens[($0 + 1)...] } ?? tokens,
        created: read.integer(3), arrival: read.integer(4))
    }
  }

  private func nextHead() -> Int {
    next = (next + 1) % heads.count
    return next
  }

  // MARK: Reading

  /// Measures the lower bound of a get: a look-up, the hash that identifies the item, a MAC, and one opened value.
  func get() throws {
    let head = heads[nextHead()]
    primitives.keyedHash(80)
    try find(head.item)
    primitives.keyedHash(32)
    primitives.open()
  }

  /// Measures the lower bound of a get of an item that does not exist.
  func miss() throws {
    primitives.keyedHash(80)
    try find(mac)
  }

  private func find(_ item: PlainBytes) throws {
    defer { lookUp.reset() }
    lookUp.bind(group, at: 1)
    lookUp.bind(item, at: 2)
    if try lookUp.step() { _ = lookUp.touch(0) }
  }

  // MARK: Writing

  /// Measures the lower bound of a durable insert, with everything that is sealed, hashed and signed for the item.
  func setNew() throws {
    try begin.run()
    try version.run()
    try insertNew()
    try runPrune()
    try runAddCount(1)
    try commit.run()
  }

  /// Measures the lower bound of `count` new items in one transaction.
  func importItems(_ count: Int) throws {
    try begin.run()
    try version.run()
    for _ in 0..<count { try insertNew() }
    try runPrune()
    try runAddCount(count)
    try commit.run()
  }

  /// Measures the lower bound of a durable new version of an item.
  func setAgain() throws {
    let index = nextHead()
    let old = heads[index]
    try begin.run()
    try version.run()
    primitives.keyedHash(80)
    try runFindHeads(old.item)
    // Coffer verifies the stored version and opens its attributes.
    hashRecord()
    primitives.keyedHash(32)
    primitives.open()
    encrypt()
    let hash = freshHash()
    try runFindHash(hash)
    try runFindHash(old.hash)
    try runFindCover(hash, old.item)
    let row = try insert(hash, item: old.item, bases: old.hash, created: old.created, arrival: old.arrival)
    insertEdge.bind(old.hash, at: 1)
    insertEdge.bind(row, at: 2)
    try insertEdge.run()
    loseHead.bind(old.row, at: 1)
    try loseHead.run()
    supersede.bind(old.row, at: 1)
    try supersede.run()
    for token in old.tokens {
      deleteToken.bind(group, at: 1)
      deleteToken.bind(token, at: 2)
      deleteToken.bind(old.created, at: 3)
      deleteToken.bind(old.arrival, at: 4)
      deleteToken.bind(old.item, at: 5)
      deleteToken.bind(old.row, at: 6)
      try deleteToken.run()
    }
    let head = Head(
      row: row, item: old.item, hash: hash, tokens: old.tokens, created: old.created, arrival: old.arrival)
    try finish(head)
    try runPrune()
    try commit.run()
    heads[index] = head
  }

  private func insertNew() throws {
    primitives.keyedHash(80)
    let item = PlainBytes(count: 16)
    item.randomize(&generator)
    try runFindHeads(item)
    try runFindVersions(item)
    encrypt()
    let hash = freshHash()
    try runFindHash(hash)
    try runFindCover(hash, item)
    created += 1
    let row = try insert(hash, item: item, bases: none, created: created, arrival: nil)
    let tokens = (0..<sizes.tokens).map { _ in
      let token = PlainBytes(count: 16)
      token.randomize(&generator)
      return token
    }
    try finish(Head(row: row, item: item, hash: hash, tokens: tokens, created: created, arrival: row))
  }

  /// Computes the tokens, two seals, the hashes of the signed bytes, the signature and the author's MAC.
  private func encrypt() {
    for _ in 0..<sizes.tokens { primitives.keyedHash(32) }
    primitives.seal(sizes.attributes - 40)
    primitives.seal(sizes.value - 40)
    hashRecord()
    primitives.hash(sizes.value)
    primitives.sign()
    primitives.keyedHash(32)
  }

  /// Hashes the header without the parts' hashes, the attributes, and all signed bytes.
  private func hashRecord() {
    primitives.hash(sizes.signed - 128)
    primitives.hash(sizes.attributes)
    primitives.hash(sizes.signed - 64)
  }

  private func freshHash() -> PlainBytes {
    let hash = PlainBytes(count: 32)
    hash.randomize(&generator)
    return hash
  }

  private func insert(
    _ hash: PlainBytes, item: PlainBytes, bases: PlainBytes, created: Int64, arrival: Int64?
  ) throws -> Int64 {
    guard try lastRow.step() else { throw PlainDatabase.Failure(description: "there is no last row") }
    let row = lastRow.integer(0) + 1
    lastRow.reset()
    insertRecord.bind(row, at: 9)
    insertRecord.bind(created, at: 4)
    insertRecord.bind(arrival ?? row, at: 5)
    insertRecord.bind(hash, at: 1)
    insertRecord.bind(group, at: 2)
    insertRecord.bind(item, at: 3)
    insertRecord.bind(1_700_000_000_000_000, at: 6)
    insertRecord.bind(author, at: 7)
    insertRecord.bind(bases, at: 10)
    insertRecord.bind(tokenList, at: 11)
    insertRecord.bind(signed, at: 12)
    insertRecord.bind(attributes, at: 13)
    insertRecord.bind(value, at: 14)
    try insertRecord.run()
    return row
  }

  private func finish(_ head: Head) throws {
    for token in head.tokens {
      insertToken.bind(group, at: 1)
      insertToken.bind(token, at: 2)
      insertToken.bind(head.created, at: 3)
      insertToken.bind(head.arrival, at: 4)
      insertToken.bind(head.item, at: 5)
      insertToken.bind(head.row, at: 6)
      try insertToken.run()
    }
    headMarks.bind(group, at: 1)
    headMarks.bind(head.item, at: 2)
    try headMarks.run()
    enqueue.bind(head.row, at: 1)
    enqueue.bind(group, at: 2)
    try enqueue.run()
    verify.bind(head.row, at: 1)
    verify.bind(author, at: 2)
    verify.bind(mac, at: 3)
    try verify.run()
  }

  private func runFindHeads(_ item: PlainBytes) throws {
    findHeads.bind(group, at: 1)
    findHeads.bind(item, at: 2)
    findHeads.bind(author, at: 9)
    try findHeads.run()
  }

  private func runFindVersions(_ item: PlainBytes) throws {
    findVersions.bind(group, at: 1)
    findVersions.bind(item, at: 2)
    try findVersions.run()
  }

  private func runFindHash(_ hash: PlainBytes) throws {
    findHash.bind(hash, at: 1)
    try findHash.run()
  }

  private func runFindCover(_ hash: PlainBytes, _ item: PlainBytes) throws {
    findCover.bind(hash, at: 1)
    findCover.bind(item, at: 2)
    findCover.bind(group, at: 3)
    try findCover.run()
  }

  private func runAddCount(_ count: Int) throws {
    addCount.bind(group, at: 1)
    addCount.bind(Int64(count), at: 2)
    try addCount.run()
  }

  private func runPrune() throws {
    prune.bind(0, at: 1)
    try prune.run()
  }

  // MARK: Lists

  /// Reads every row of a list: its columns, and the parts that are hashed and opened.
  func list() throws {
    let rows = try database.prepare(
      """
      SELECT r.id, r.signed, r.attributes, r.standing,
        (SELECT mac FROM verified v WHERE v.record = r.id AND v.author = ?2)
      FROM record r INDEXED BY record_live
      WHERE r.group_id = ?1 AND r.class = (SELECT class FROM record LIMIT 1) AND r.head = 1 AND r.tombstone = 0
      ORDER BY r.created, r.arrival, r.item
      """)
    rows.bind(group, at: 1)
    rows.bind(author, at: 2)
    primitives.seal(sizes.attributes - 40)
    while try rows.step() {
      _ = rows.touch(1) + rows.touch(2) + rows.touch(4)
      hashRecord()
      primitives.keyedHash(32)
      primitives.open()
    }
    primitives.seal(BenchmarkVault.valueByteCount)
  }

  /// Measures a count of all items by their rows.
  func count() throws {
    let count = try database.prepare("SELECT sum(live) FROM item_count WHERE group_id = ?1")
    count.bind(group, at: 1)
    try count.run()
  }

  /// Measures the lower bound of a search by a token: its look-up, the row's look-up, and the opened attributes.
  func findToken() throws {
    primitives.keyedHash(32)
    let head = heads[nextHead()]
    searchToken.bind(group, at: 1)
    searchToken.bind(head.tokens[0], at: 2)
    searchToken.bind(author, at: 9)
    try searchToken.run()
    hashRecord()
    primitives.keyedHash(32)
    primitives.open()
  }
}
