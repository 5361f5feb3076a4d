import CofferFormat
import CofferTestSupport
import Foundation
import GRDB
import Testing

@testable import CofferStore

/// The order of lists, and the numbers that are kept beside the records.
@Suite struct ListPlaceTests {
  private let fixture: TemporaryStore
  private let samples = SampleRecords()
  private var store: Store { fixture.store }

  init() throws { fixture = try TemporaryStore() }

  private func listed(after last: ListPlace? = nil, limit: Int = .max) throws -> [ListPlace] {
    try store.read { try $0.places(in: samples.group, of: .genericPassword, after: last, limit: limit) }.map(\.place)
  }

  private func tagged(after last: ListPlace? = nil, limit: Int = .max) throws -> [ListPlace] {
    try store.read { try $0.places(in: samples.group, matching: [samples.serviceToken], after: last, limit: limit) }
  }

  private func items(_ accounts: [String]) -> [ItemID] { accounts.map { samples.item($0) } }

  private func count() throws -> Int { try store.read { try $0.itemCount(in: samples.group, of: .genericPassword) } }

  @Test func `A list brings the head of an item that has only one, and leaves a conflict to a look-up`() throws {
    let alone = samples.record("alone")
    let root = samples.record("deleted and kept", time: 2)
    let (gone, kept) = (
      samples.record("deleted and kept", over: [root], time: 3, isTombstone: true),
      samples.record("deleted and kept", over: [root], time: 4)
    )
    try store.insert([alone, root, gone, kept, samples.record("twice", time: 5), samples.record("twice", time: 6)])
    let found = try store.read {
      try $0.places(
        in: samples.group, of: .genericPassword, after: nil, limit: 9, headsVerifiedBy: alone.header.author)
    }
    #expect(try found.map { try $0.head?.record().hash } == [alone.hash, nil, nil, nil])
    #expect(found.map(\.place) == (try listed()) && found.allSatisfy { $0.head?.sealedValue == nil })
  }

  @Test func `The oldest item comes first, then the one that arrived first, also after an update`() throws {
    let late = samples.record("late", created: 9)
    let early = samples.record("early", created: 2)
    let ties = ["c", "a", "b"].map { samples.record($0, created: 5) }
    try store.insert([late] + ties + [early])
    let expected = items(["early", "c", "a", "b", "late"])
    #expect(try listed().map(\.item) == expected && tagged().map(\.item) == expected)
    // Versions that follow have higher row numbers.
    try store.insert([
      samples.record("c", over: [ties[0]], time: 70, created: 5),
      samples.record("early", over: [early], time: 71, created: 2),
    ])
    #expect(try listed().map(\.item) == expected && tagged().map(\.item) == expected)
    let again = try Store.open(at: fixture.path)
    #expect(
      try again.read { try $0.places(in: samples.group, of: .genericPassword, after: nil, limit: 9) }.map(\.place.item)
        == expected)
  }

  @Test(arguments: [1, 2, 7, 256])
  func `Pages have every item once, in the order of one long list`(limit: Int) throws {
    try store.insert((0..<90).map { samples.record("account \($0 * 7 % 90)", created: Int64($0 / 4)) })
    let whole = try listed()
    #expect(whole.count == 90 && whole == whole.sorted())
    for page in [listed, tagged] {
      var paged: [ListPlace] = []
      while let next = try? page(paged.last, limit), !next.isEmpty { paged += next }
      #expect(paged == whole)
    }
  }

  @Test func `An item that was deleted and added again is as new as it is`() throws {
    let first = samples.record("first", created: 1)
    let second = samples.record("second", created: 2)
    let deleted = samples.record("first", over: [first], time: 3, isTombstone: true)
    try store.insert([first, second, deleted, samples.record("first", over: [deleted], time: 4, created: 2)])
    #expect(try listed().map(\.item) == items(["second", "first"]))
  }

  @Test func `A record without the creation of its item has its place by its time`() throws {
    try store.insert([samples.record("new", time: 1, created: 8), samples.record("old", time: 3)])
    #expect(try listed().map(\.item) == items(["old", "new"]))
  }

  @Test func `A list walks over an index of current items alone and sorts nothing`() throws {
    try store.insert([samples.record("a")])
    for (statement, count, index) in [
      (
        FrequentStatement.placesOfClass, 6,
        "COVERING INDEX record_live (group_id=? AND class=? AND (created,arrival,item)>(?,?,?))"
      ),
      (.headsOfClass, 9, "INDEX record_live (group_id=? AND class=? AND (created,arrival,item)>(?,?,?))"),
      (.headsOfClass, 9, "COVERING INDEX record_item (group_id=? AND item=? AND head=?)"),
      (.placesOfToken, 5, "PRIMARY KEY (group_id=? AND token=? AND (created,arrival,item)>(?,?,?))"),
    ] {
      let plan = try DatabaseQueue(path: fixture.path).read {
        try Row.fetchAll(
          $0, sql: "EXPLAIN QUERY PLAN \(statement.sql)",
          arguments: StatementArguments(repeatElement(nil as Int?, count: count))
        ).map { $0["detail"] as String }
      }
      #expect(plan.contains { $0.contains(index) }, "\(plan)")
      #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
    }
  }

  // MARK: Numbers

  @Test func `The number of items follows each write, and each one that fails`() throws {
    let first = samples.record("a")
    try store.insert([first, samples.record("b"), samples.record("c")])
    #expect(try count() == 3)
    try store.insert([samples.record("a", over: [first], time: 2)])
    #expect(try count() == 3)
    let heads = try store.read { try $0.heads(of: samples.item("b"), in: samples.group).map { try $0.record() } }
    try store.insert([samples.record("b", over: heads, time: 3, isTombstone: true)])
    #expect(try count() == 2)
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try store.write { writer in
        try writer.insert(samples.record("d"), validity: .valid, intoOutbox: false)
        #expect(try writer.itemCount(in: samples.group) == 3)
        throw Stop()
      }
    }
    #expect(try count() == 2)
    try store.write { writer in
      try writer.insert(samples.record("e"), validity: .valid, intoOutbox: false)
      #expect(throws: Stop.self) {
        try store.write { nested in
          try nested.insert(samples.record("f"), validity: .valid, intoOutbox: false)
          throw Stop()
        }
      }
      #expect(try writer.itemCount(in: samples.group) == 3)
    }
    #expect(try count() == 3)
    try #require(try Store.open(at: fixture.path).read { try $0.itemCount(in: samples.group) } == 3)
  }

  @Test(arguments: SeededGenerator.seeds)
  func `After any writes, the kept numbers and conflicts are those of the records`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var versions: [String: [CofferFormat.Record]] = [:]
    for step in 0..<120 {
      let account = "account \(Int.random(in: 0..<6, using: &random))"
      let known = versions[account] ?? []
      let bases = known.filter { _ in Bool.random(using: &random) }
      let record = samples.record(
        account, over: bases, time: Int64(step), isTombstone: Int.random(in: 0..<4, using: &random) == 0)
      versions[account, default: []].append(record)
      if Int.random(in: 0..<5, using: &random) == 0, let removed = known.randomElement(using: &random) {
        try store.write { try $0.remove(removed.hash) }
      } else {
        try store.insert([record])
      }
    }
    try DatabaseQueue(path: fixture.path).read { database in
      let counted = try Row.fetchAll(
        database,
        sql: """
          SELECT group_id, class, count(DISTINCT item) AS live FROM record WHERE head = 1 AND tombstone = 0
          GROUP BY group_id, class ORDER BY 1, 2
          """)
      let kept = try Row.fetchAll(
        database, sql: "SELECT group_id, class, live FROM item_count WHERE live <> 0 ORDER BY 1, 2")
      #expect(counted == kept, "seed \(seed)")
      let conflicting = try Row.fetchAll(
        database,
        sql: """
          SELECT group_id, item FROM record WHERE head = 1
          GROUP BY group_id, item HAVING count(*) > 1 AND min(tombstone) = 0 ORDER BY 1, 2
          """)
      #expect(try conflicting == Row.fetchAll(database, sql: "SELECT * FROM conflict ORDER BY 1, 2"), "seed \(seed)")
    }
  }
}
