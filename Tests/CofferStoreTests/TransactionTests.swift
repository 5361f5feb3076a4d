import CofferCrypto
import CofferFormat
import Foundation
import Testing

@testable import CofferStore

@Suite struct TransactionTests {
  private let fixture: TemporaryStore
  private let samples = SampleRecords()

  init() throws { fixture = try TemporaryStore() }

  private struct Change: Error, Equatable { let reason: Int }

  @Test func `If the body throws, nothing is written and the error is passed on unchanged`() throws {
    let error = #expect(throws: Change.self) {
      try fixture.store.write { writer in
        try writer.insert(samples.record("a"), validity: .valid, intoOutbox: true)
        try writer.setSetting(.lastSync, [1])
        throw Change(reason: 5)
      }
    }
    #expect(error == Change(reason: 5))
    #expect(try fixture.store.heads(samples.item("a"), samples.group).isEmpty)
    #expect(try fixture.store.read { try $0.setting(.lastSync) } == nil)
    #expect(throws: Change(reason: 6)) { try fixture.store.read { _ in throw Change(reason: 6) } }
    try fixture.store.insert([samples.record("a")])
  }

  @Test func `A transaction that a full disk has undone throws and stores nothing, whatever its body catches`()
    throws
  {
    let store = fixture.store
    let key = SymmetricKey.random()
    store.setSummaryKey { key }
    try store.write { try $0.replaceSummary(key) }
    try store.insert([samples.record("kept")])
    try store.withDatabase { (database) throws(StoreError) in
      let connection = StoreConnection(database: database, path: store.path)
      let pageCount = try connection.integer("PRAGMA page_count") ?? 0
      try connection.run("PRAGMA max_page_count = \(pageCount + 32)")
    }
    let large = samples.record("large", value: [UInt8](repeating: 1, count: 1 << 20))
    for isNested in [false, true] {
      let error = #expect(throws: StoreError.self) {
        try store.write { writer in
          try writer.insert(samples.record("small"), validity: .valid, intoOutbox: true)
          if isNested {
            try? store.insert([large])
          } else {
            _ = try? writer.insert(large, validity: .valid, intoOutbox: true)
          }
          try? writer.setSetting(.lastSync, [1])
          try? store.insert([samples.record("next")])
        }
      }
      #expect(error?.code == .diskFull)
      for account in ["small", "large", "next"] {
        #expect(try store.heads(samples.item(account), samples.group).isEmpty)
      }
      #expect(try store.read { try $0.setting(.lastSync) } == nil)
      #expect(try store.read { try $0.itemCount(in: samples.group) } == 1)
      #expect(try store.read { try $0.compareSummary(key) } == .equal)
    }
    try store.insert([samples.record("small")])
    #expect(try store.read { try $0.itemCount(in: samples.group) } == 2)
    try store.checkIntegrity()
  }

  @Test func `A read sees one snapshot during another connection's commit, and the log stamp changes`() throws {
    func stamp() throws -> LogStamp { try fixture.store.read { _ in fixture.store.logStamp } }
    let other = try Store.open(at: fixture.path)
    let before = try stamp()
    try fixture.store.read { reader in
      #expect(try reader.setting(.lastSync) == nil)
      try other.write { try $0.setSetting(.lastSync, [1]) }
      #expect(try reader.setting(.lastSync) == nil)
    }
    #expect(try fixture.store.read { try $0.setting(.lastSync) } == [1])
    #expect(try stamp() != before)
    let published = try stamp()
    try fixture.store.insert([samples.record("a")])
    #expect(try stamp() == published)
  }

  @Test func `Concurrent writes over many connections lose nothing`() async throws {
    let path = fixture.path
    let samples = samples
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          let store = try Store.open(at: path)
          for number in 0..<40 {
            try store.write { transaction in
              let heads = try transaction.heads(of: samples.item("shared"), in: samples.group).map { try $0.record() }
              try transaction.insert(
                samples.record("shared", over: heads, time: Int64(number)), validity: .valid, intoOutbox: true)
              try transaction.insert(samples.record("own\(writer)-\(number)"), validity: .valid, intoOutbox: true)
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try fixture.store.read { try $0.versions(of: samples.item("shared"), in: samples.group) }.count == 160)
    #expect(try fixture.store.heads(samples.item("shared"), samples.group).count == 1)
    #expect(try fixture.store.read { try $0.itemCount(in: samples.group) } == 161)
    #expect(try fixture.store.read { try $0.outboxCount() } == 320)
    try fixture.store.checkIntegrity()
  }

  @Test func `If several create one store at once, exactly one succeeds`() async throws {
    let path = fixture.folder + "/contested"
    let created = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<8 {
        group.addTask {
          do throws(StoreError) {
            _ = try Store.create(at: path, genesis: [UInt8(number)], rootSlot: [])
            return true
          } catch {
            #expect(error.code == .alreadyExists)
            return false
          }
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(created == 1)
    try Store.open(at: path).checkIntegrity()
  }
}
