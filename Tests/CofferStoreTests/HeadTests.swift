import CofferCrypto
import CofferFormat
import CofferKeys
import CofferSystem
import CofferTestSupport
import Foundation
import class GRDB.DatabaseQueue
import Testing

@testable import CofferStore

@Suite struct HeadTests {
  private let fixture: TemporaryStore
  private let samples = SampleRecords()
  private var store: Store { fixture.store }

  init() throws { fixture = try TemporaryStore() }

  private func heads(_ account: String = "a") throws -> Set<RecordHash> {
    try store.heads(samples.item(account), samples.group)
  }

  @Test func `A record is returned byte for byte, and inserting it twice changes nothing`() throws {
    let record = samples.record("a", value: [9, 9, 9])
    #expect(try store.write { try $0.insert(record, validity: .valid, intoOutbox: true) })
    #expect(try !store.write { try $0.insert(record, validity: .valid, intoOutbox: true) })
    let stored = try #require(try store.read { try $0.record(record.hash) })
    #expect(try stored.record() == record)
    #expect(try stored.record().contents(with: samples.keys).value == [9, 9, 9])
    #expect(try store.read { try $0.outboxCount() } == 1)
    #expect(try heads() == [record.hash])
  }

  @Test func `Programs see the removal of a version, and what is written after the removal of the last row`() throws {
    let last: () throws -> Int64 = { [store] in try store.read { try $0.groupsChanged(after: .max).last } }
    let one = samples.record("a")
    let tombstone = samples.record("a", over: [one], time: 2, isTombstone: true)
    try store.insert([one, tombstone])
    let beforeRemoval = try last()
    try store.write { try $0.remove(tombstone.hash) }
    #expect(try heads() == [one.hash])
    #expect(try store.read { try $0.groupsChanged(after: beforeRemoval).groups == nil })
    #expect(try store.read { try $0.itemsChanged(after: beforeRemoval).items == nil })
    let afterRemoval = try last()
    #expect(try store.read { try $0.groupsChanged(after: afterRemoval).groups?.isEmpty == true })
    try store.insert([samples.record("b")])
    #expect(try store.read { try $0.groupsChanged(after: beforeRemoval).groups?.isEmpty != true })
    #expect(try store.read { try $0.groupsChanged(after: afterRemoval).groups == [samples.group] })
    #expect(try store.read { try $0.itemsChanged(after: afterRemoval).items?.map { $0.item } == [samples.item("b")] })
    // So does what was no version of its item.
    let copy = samples.record("c")
    try store.insert([copy], validity: .unadmitted)
    let beforeDiscarding = try last()
    #expect(try store.write { try $0.discardContents(copy.copyHash) })
    try store.insert([samples.record("d")])
    #expect(try store.read { try $0.groupsChanged(after: beforeDiscarding).groups?.isEmpty != true })
  }

  @Test func `A version that names another covers it, and a token look-up finds the new one only`() throws {
    let one = samples.record("a", label: "old")
    let two = samples.record("a", over: [one], label: "new")
    try store.insert([one, two])
    #expect(try heads() == [two.hash])
    #expect(try store.found([samples.token(label: "new")], samples.group) == [two.hash])
    #expect(try store.found([samples.token(label: "old")], samples.group).isEmpty)
  }

  @Test(arguments: [SeededGenerator.runSeed])
  func `Any order of insertion leads to the same heads and the same look-ups`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var records: [Record] = []
    // A history with branches, merges and a tombstone; the bases may be any earlier records.
    for number in 0..<14 {
      let bases = records.shuffled(using: &generator).prefix(Int.random(in: 0...3, using: &generator))
      records.append(
        samples.record(
          "a", over: Array(bases), time: Int64(number), value: [UInt8(number)], label: "l\(number % 3)",
          isTombstone: number % 5 == 4))
    }
    let named = Set(records.flatMap(\.header.bases))
    let expected = Set(records.map(\.hash)).subtracting(named)
    for _ in 0..<12 {
      let other = try TemporaryStore().keeping()
      let order = records.shuffled(using: &generator)
      for record in order {
        // Some are inserted as unadmitted and validated later.
        if Bool.random(using: &generator) {
          try other.store.insert([record], validity: .unadmitted)
          try other.store.admitAll()
        } else {
          try other.store.insert([record])
        }
      }
      #expect(try other.store.heads(samples.item("a"), samples.group) == expected)
      for label in ["l0", "l1", "l2"] {
        let hasOne = records.contains {
          expected.contains($0.hash) && $0.header.tokens.contains(samples.token(label: label))
        }
        #expect(try other.store.found([samples.token(label: label)], samples.group) == (hasOne ? expected : []))
      }
      // Removing records, in any order, always leaves the result of the remaining ones alone.
      var rest = records
      for record in order.prefix(8) {
        try other.store.write { try $0.remove(record.hash) }
        rest.removeAll { $0.hash == record.hash }
        let left = Set(rest.map(\.hash)).subtracting(rest.flatMap(\.header.bases))
        #expect(try other.store.heads(samples.item("a"), samples.group) == left)
        #expect(try other.store.tokenMarksAreRight(samples.group))
      }
    }
  }

  @Test func `A look-up returns every head of an item of which one head has all the tokens`() throws {
    let root = samples.record("a")
    let left = samples.record("a", over: [root], time: 2, label: "x")
    let right = samples.record("a", over: [root], time: 3, label: "y")
    let other = samples.record("b", label: "x")
    try store.insert([root, left, right, other])
    #expect(try store.found([samples.token(label: "x")], samples.group) == [left.hash, right.hash, other.hash])
    #expect(
      try store.found([samples.token(label: "x"), samples.token(account: "a")], samples.group) == [
        left.hash, right.hash,
      ])
    // Neither head has both.
    #expect(try store.found([samples.token(label: "x"), samples.token(label: "y")], samples.group).isEmpty)
    #expect(try store.read { try $0.conflictCount(in: samples.group) } == 1)
    let merge = samples.record("a", over: [left, right], time: 4, label: "z")
    try store.insert([merge])
    #expect(try store.found([samples.token(label: "z")], samples.group) == [merge.hash])
    #expect(try store.found([samples.token(account: "a")], samples.group) == [merge.hash])
    #expect(try store.read { try $0.conflictCount(in: samples.group) } == 0)
    #expect(try store.read { try $0.itemCount(in: samples.group) } == 2)
  }

  @Test func `A look-up returns a tombstone that is a head beside a value`() throws {
    let root = samples.record("a")
    let gone = samples.record("a", over: [root], time: 2, isTombstone: true)
    let kept = samples.record("a", over: [root], time: 3)
    try store.insert([root, gone, kept])
    #expect(try store.found([samples.token(account: "a")], samples.group) == [gone.hash, kept.hash])
    try store.write { try $0.remove(kept.hash) }
    #expect(try heads() == [gone.hash])
    #expect(try store.found([samples.token(account: "a")], samples.group).isEmpty)
    #expect(try store.read { try $0.itemCount(in: samples.group) } == 0)
  }

  @Test func `Items are counted as synced unless they stay here, wait in the outbox, or are deleted`() throws {
    let first = samples.record("a", label: "x")
    let second = samples.record("b")
    try store.insert([first, second, samples.record("a", over: [first], time: 2)])
    try store.insert([samples.record("here", isDeviceLocal: true), samples.record("waits")], intoOutbox: true)
    #expect(try store.read { try $0.itemCount(in: samples.group) } == 4)
    #expect(try store.read { try $0.syncedItemCount(in: samples.group) } == 2)
    // An item in conflict is one item.
    try store.insert([samples.record("b", time: 3)])
    #expect(try store.read { try $0.syncedItemCount(in: samples.group) } == 2)
    try store.insert([samples.record("a", over: [first], time: 4, isTombstone: true)])
    try store.insert([samples.record("b", over: [second], time: 4, isTombstone: true)])
    #expect(try store.read { try $0.syncedItemCount(in: samples.group) } == 2)
  }

  @Test func `Kept contents are counted, measured, and read in pages, each once and in insertion order`() throws {
    let records = (0..<7).map { samples.record("account-\($0)", value: [UInt8](repeating: 1, count: 1_000)) }
    try store.insert(records, validity: .unadmitted)
    let bytes = records.map { $0.signedBytes.count + $0.sealedAttributes.count + $0.sealedValue.count }
    #expect(try store.read { try $0.unadmittedCounts(after: 0) }.map(\.count) == [7])
    #expect(try store.read { try $0.unadmittedByteCounts().all } == bytes.reduce(0, +))
    var pages: [[StoredRecord]] = []
    while pages.last?.isEmpty != true {
      let last = pages.last?.last?.row ?? .min
      pages.append(try store.read { try $0.unadmittedContents(after: last, byteLimit: bytes[0] * 3) })
    }
    #expect(pages.map(\.count) == [3, 3, 1, 0])
    #expect(try pages.joined().map { try $0.record().hash } == records.map(\.hash))
  }

  @Test func `An unadmitted record is no head and covers none until it is valid`() throws {
    let one = samples.record("a")
    let two = samples.record("a", over: [one])
    try store.insert([one])
    try store.insert([two], validity: .unadmitted)
    #expect(try heads() == [one.hash])
    let pending = try store.read { try $0.unadmittedContents(after: 0, byteLimit: 0) }
    #expect(try pending.map { try $0.record().hash } == [two.hash])
    try store.admitAll()
    #expect(try heads() == [two.hash])
    #expect(try store.read { try $0.unadmittedContents(after: 0, byteLimit: 0) }.isEmpty)
  }

  @Test func `Copies of an unadmitted record that differ in the signature are all kept, and the valid one counts`()
    throws
  {
    let record = samples.record("a")
    let forged = try (1...2).map { try record.withFlippedSignature($0) }
    for copy in [forged[0], record, forged[1], forged[0]] { try store.insert([copy], validity: .unadmitted) }
    let rows = try store.read { try $0.unadmittedContents(after: .min, byteLimit: .max) }
    #expect(Set(rows.map(\.signedBytes)) == Set([record, forged[0], forged[1]].map(\.signedBytes)))
    try store.write { writer in
      for row in rows {
        if row.signedBytes == record.signedBytes {
          try writer.admit(record, from: row)
        } else {
          try writer.removeContents(row)
        }
      }
    }
    #expect(try heads() == [record.hash])
    #expect(try store.read { try $0.record(record.hash)?.signedBytes } == record.signedBytes)
    #expect(try store.read { try $0.unadmittedByteCounts().all } == 0)
    // A forged copy that arrives later changes nothing.
    #expect(try store.write { try !$0.insert(forged[0], validity: .unadmitted, intoOutbox: false) })
    #expect(try store.read { try $0.record(record.hash)?.signedBytes } == record.signedBytes)
  }

  @Test func `A record whose base is another item's record does not cover that record`() throws {
    let victim = samples.record("victim")
    let stranger = SampleRecords(group: "another")
    try store.insert([victim, samples.record("attacker", over: [victim]), stranger.record("victim", over: [victim])])
    #expect(try heads("victim") == [victim.hash])
    #expect(try store.found([samples.token(account: "victim")], samples.group) == [victim.hash])
  }

  @Test func `Pruning deletes records superseded before a time, and they do not become heads again`() throws {
    let old = samples.record("a", time: 10)
    let waiting = samples.record("a", over: [old], time: 20)
    let last = samples.record("a", over: [waiting], time: 30)
    try store.insert([old])
    try store.insert([waiting], intoOutbox: true)
    try store.insert([last])
    // The clock of their author says 1970; they were superseded now.
    #expect(try store.write { try $0.pruneHistory(supersededBefore: Timestamp(microseconds: 1_000_000)) } == 0)
    let later = Timestamp(microseconds: 4_000_000_000_000_000)
    #expect(try store.write { try $0.pruneHistory(supersededBefore: later) } == 1)
    let held = try store.read { try $0.versions(of: samples.item("a"), in: samples.group) }.map { try $0.record().hash }
    #expect(held == [last.hash, waiting.hash])
    #expect(try store.read { try $0.record(old.hash) } == nil)
    #expect(try !store.write { try $0.insert(old, validity: .valid, intoOutbox: false) })
    #expect(try heads() == [last.hash])
    // If every record that covered it is refused, it may be inserted again.
    try store.write { for record in [waiting, last] { try $0.remove(record.hash) } }
    #expect(try heads().isEmpty)
    #expect(try store.write { try $0.insert(old, validity: .valid, intoOutbox: false) })
    #expect(try heads() == [old.hash])
    #expect(try store.found([samples.token(account: "a")], samples.group) == [old.hash])
  }

  @Test func `A version is superseded at the time on the machine's clock, also on that of a simulation`() throws {
    let old = samples.record("a", time: 10)
    try WallClock.withTime(30) { try store.insert([old, samples.record("a", over: [old], time: 20)]) }
    #expect(try store.write { try $0.pruneHistory(supersededBefore: Timestamp(microseconds: 30)) } == 0)
    #expect(try store.write { try $0.pruneHistory(supersededBefore: Timestamp(microseconds: 31)) } == 1)
  }

  @Test func `A version that was superseded while the clock was slow is kept as long as others from then on`() throws {
    let now = Int64(Date.now.timeIntervalSince1970) * 1_000_000
    for (account, time) in [("a", now), ("b", 10)] {
      let old = samples.record(account, time: time)
      try store.insert([old, samples.record(account, over: [old], time: time + 1)])
    }
    _ = try store.write { try $0.connection.run("UPDATE superseded SET time = 20") }
    let lastHour = Timestamp(microseconds: now - 3_600_000_000)
    #expect(try store.write { try $0.pruneHistory(supersededBefore: lastHour) } == 1)
    func versionCount(_ account: String) throws -> Int {
      try store.read { try $0.versions(of: samples.item(account), in: samples.group) }.count
    }
    #expect(try versionCount("a") == 2)
    #expect(try versionCount("b") == 1)
    let nextHour = Timestamp(microseconds: now + 3_600_000_000)
    #expect(try store.write { try $0.pruneHistory(supersededBefore: nextHour) } == 1)
    #expect(try versionCount("a") == 1)
  }

  @Test func `A pruned version is sent again with its contents, and stays superseded`() throws {
    let old = samples.record("a", time: 10)
    let last = samples.record("a", over: [old], time: 20)
    try store.insert([old, last])
    #expect(try store.write { try $0.pruneHistory(supersededBefore: Timestamp(microseconds: .max)) } == 1)
    try store.write { try $0.addToOutbox([old.hash]) }
    #expect(try store.read { try $0.outboxCount() } == 0)
    try store.write { try $0.resend(old) }
    let sent = try store.read { try $0.outbox(in: samples.group, byteLimit: .max) }
    #expect(sent.map(\.1) == [old.bytes])
    #expect(try heads() == [last.hash])
    // A record that this store never had stays out.
    try store.write { try $0.resend(samples.record("b")) }
    #expect(try store.read { try $0.outboxCount() } == 1)
  }

  @Test func `Items are listed page by page in ascending order, with all their heads and without duplicates`() throws {
    let other = SampleRecords(group: "another")
    let records = (0..<50).flatMap { number -> [Record] in
      let root = samples.record("a\(number)")
      return [
        root, samples.record("a\(number)", over: [root], time: 2), samples.record("a\(number)", over: [root], time: 3),
      ]
    }
    try store.insert(records + [other.record("x")])
    var seen: [ItemID] = []
    while true {
      let page = try store.read { reader in
        try reader.page(of: samples.group, after: seen.last, limit: 7, withValues: false)
      }
      #expect(page.allSatisfy { $0.heads.count == 2 && $0.heads.allSatisfy { $0.sealedValue == nil } })
      seen += page.map(\.item)
      if page.count < 7 { break }
    }
    #expect(seen.count == 50 && seen == seen.sorted())
  }

  @Test func `An item whose columns mark every version as covered has no heads, but keeps its versions`() throws {
    try store.insert([samples.record("a"), samples.record("b")])
    try DatabaseQueue(path: fixture.path).write { try $0.execute(sql: "UPDATE record SET head = 0 WHERE id = 1") }
    let page = try store.read { try $0.page(of: samples.group, after: nil, limit: 9, withValues: true) }
    #expect(page.count == 2 && page.first { $0.item == samples.item("a") }?.heads.isEmpty == true)
    #expect(try store.read { try $0.hasVersions(of: samples.item("a"), in: samples.group) })
    #expect(try !store.read { try $0.hasVersions(of: samples.item("c"), in: samples.group) })
    #expect(try store.read { try $0.versions(of: samples.item("a"), in: samples.group) }.count == 1)
  }
}

extension TemporaryStore {
  /// Returns the store, to keep it alive to the end of the scope that names it.
  func keeping() -> TemporaryStore { self }
}

extension Store {
  /// Returns true if each token row belongs to a head and states correctly whether its item has other heads.
  func tokenMarksAreRight(_ group: GroupID) throws -> Bool {
    try read { reader in
      try reader.connection.integer(
        """
        SELECT 1 FROM token t LEFT JOIN record r ON r.id = t.record
        WHERE r.id IS NULL OR r.head = 0
        """) == nil
    }
  }
}
