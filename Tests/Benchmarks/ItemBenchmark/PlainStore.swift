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
  }

  let database: PlainDatabase
  let primitives = Primitives()
  let sizes: RowSizes
  /// Rows of existing items, in random order.
  let sample: [Int64]
  private var heads: [Head] = []
  private var next = 0
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
  private let insertRecord: PlainStatement
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
      "SELECT length(signed), length(attributes), length(value), length(tokens) / 16, group_id, author FROM record")
    let sizes = RowSizes(
      signed: Int(first.integer(0)), attributes: Int(first.integer(1)), value: Int(first.integer(2)),
      tokens: Int(first.integer(3)))
    self.sizes = sizes
    group = PlainBytes(first.bytes(4))
    author = PlainBytes(first.bytes(5))
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
      "SELECT id, hash, group_id, item, standing, head, bases, tokens FROM record WHERE hash = ?1")
    findCover = try database.prepare(
      """
      SELECT 1 FROM edge e CROSS JOIN record r ON r.id = e.record
      WHERE e.base = ?1 AND r.standing IN (1, 3) AND r.item = ?2 AND r.group_id = ?3 LIMIT 1
      """)
    insertRecord = try database.prepare(
      """
      INSERT INTO record (hash, group_id, item, class, tombstone, time, author, head, standing, bases, tokens, signed,
        attributes, value)
      VALUES (?1, ?2, ?3, 1, 0, ?6, ?7, 1, 1, ?10, ?11, ?12, ?13, ?14)
      """)
    insertEdge = try database.prepare("INSERT INTO edge (base, record) VALUES (?1, ?2)")
    loseHead = try database.prepare("UPDATE record SET head = 0 WHERE id = ?1")
    supersede = try database.prepare(
      """
      INSERT OR REPLACE INTO superseded (record, time)
      VALUES (?1, CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER))
      """)
    deleteToken = try database.prepare("DELETE FROM token WHERE group_id = ?1 AND token = ?2 AND record = ?3")
    insertToken = try database.prepare("INSERT OR REPLACE INTO token (group_id, token, record) VALUES (?1, ?2, ?3)")
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
    let read = try database.prepare("SELECT item, hash, tokens FROM record WHERE id = ?1")
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
        tokens: own.map { [tokens[$0]] + tokens[..<$0] + tokens[($0 + 1)...] } ?? tokens)
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
    try commit.run()
  }

  /// Measures the lower bound of `count` new items in one transaction.
  func importItems(_ count: Int) throws {
    try begin.run()
    try version.run()
    for _ in 0..<count { try insertNew() }
    try runPrune()
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
    let row = try insert(hash, item: old.item, bases: old.hash)
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
      deleteToken.bind(old.row, at: 3)
      try deleteToken.run()
    }
    try finish(row, tokens: old.tokens)
    try runPrune()
    try commit.run()
    heads[index] = Head(row: row, item: old.item, hash: hash, tokens: old.tokens)
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
    let row = try insert(hash, item: item, bases: none)
    let tokens = (0..<sizes.tokens).map { _ in
      let token = PlainBytes(count: 16)
      token.randomize(&generator)
      return token
    }
    try finish(row, tokens: tokens)
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

  private func insert(_ hash: PlainBytes, item: PlainBytes, bases: PlainBytes) throws -> Int64 {
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
    return database.lastRow
  }

  private func finish(_ row: Int64, tokens: [PlainBytes]) throws {
    for token in tokens {
      insertToken.bind(group, at: 1)
      insertToken.bind(token, at: 2)
      insertToken.bind(row, at: 3)
      try insertToken.run()
    }
    enqueue.bind(row, at: 1)
    enqueue.bind(group, at: 2)
    try enqueue.run()
    verify.bind(row, at: 1)
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
      FROM record r INDEXED BY record_item WHERE r.group_id = ?1 AND r.head = 1 ORDER BY r.item
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

  /// Measures the lower bound of a count of all items.
  func count() throws {
    let count = try database.prepare(
      "SELECT count(DISTINCT item) FROM record INDEXED BY record_item WHERE group_id = ?1 AND head = 1 AND tombstone = 0"
    )
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
