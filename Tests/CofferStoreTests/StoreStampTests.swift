import CofferCrypto
import CofferFormat
import CofferTestSupport
import Foundation
import Testing

@testable import CofferStore

/// When a store is known to match its summary without reading its rows.
@Suite struct StoreStampTests {
  private let directory: TemporaryDirectory
  private var path: String { directory.path("store.sqlite") }
  private var stampPath: String { directory.path("store-stamp") }
  private let key = SymmetricKey.random()
  private let samples = SampleRecords()

  /// Makes a store with a summary and closes it.
  init() throws {
    directory = try TemporaryDirectory()
    let path = directory.path("store.sqlite")
    let store = try Store.create(at: path, genesis: TemporaryStore.genesis, rootSlot: TemporaryStore.rootSlot)
    try store.write { [key] in try $0.replaceSummary(key) }
  }

  /// Opens the store as Coffer's programs do.
  private func open() throws -> Store {
    let store = try Store.open(at: path)
    store.setSummaryKey { [key] in key }
    return store
  }

  private func isKnown(_ store: Store, _ key: SymmetricKey? = nil) throws -> Bool {
    try store.read { reader in
      try #require(reader.connection.stamp).examine(reader.connection) { key ?? self.key }
    }
  }

  private func isKnownWhenOpened() throws -> Bool { try isKnown(open()) }

  private func run(_ sql: String) throws { try Command.run("sqlite3", path, sql) }

  /// Seals the state of the file into a stamp, as of a time.
  private func stamp(_ seconds: Double) throws {
    let state = try #require(FileState.read(path))
    var writer = ByteWriter()
    for field in state.fields { writer.i64(field) }
    writer.i64(Int64(Date.now.timeIntervalSince1970 + seconds))
    let sealed = key.seal(writer.bytes, associated: Array("store stamp 1".utf8))
    try Data(sealed).write(to: URL(filePath: stampPath))
  }

  @Test func `Reads and writes of Coffer's programs leave the store known`() throws {
    #expect(try isKnownWhenOpened())
    for account in ["a", "b"] {
      try open().insert([samples.record(account)], intoOutbox: true)
      #expect(try isKnownWhenOpened())
    }
    do {
      let store = try open()
      #expect(try store.read { try $0.compareSummary(key) } == .equal)
      try store.insert([samples.record("c")])
    }
    #expect(try isKnownWhenOpened())
    #expect(try open().read { try $0.syncedItemCount(in: samples.group) } == 1)
  }

  @Test func `A store is known again after all rows were compared`() throws {
    try FileManager.default.removeItem(atPath: stampPath)
    #expect(try !isKnownWhenOpened())
    #expect(try open().read { try $0.compareSummary(key) } == .equal)
    #expect(try isKnownWhenOpened())
  }

  @Test(arguments: [
    "DELETE FROM token", "UPDATE record SET head = 0", "PRAGMA user_version = \(Schema.version)", "VACUUM",
  ])
  func `What another program has written makes the store unknown`(sql: String) throws {
    try open().insert([samples.record("a")])
    #expect(try isKnownWhenOpened())
    try run(sql)
    #expect(try !isKnownWhenOpened())
    // A write of Coffer's does not hide it.
    try open().insert([samples.record("b")])
    #expect(try !isKnownWhenOpened())
  }

  @Test func `A time of modification that another program has set back does not hide what it has written`() throws {
    try open().insert([samples.record("a")])
    let before = try #require(FileState.read(path)).fields
    try run("UPDATE record SET head = 0")
    let times = [
      timespec(tv_sec: 0, tv_nsec: 0), timespec(tv_sec: Int(before[3]), tv_nsec: Int(before[4])),
    ]
    #expect(unsafe utimensat(AT_FDCWD, path, times, 0) == 0)
    let after = try #require(FileState.read(path)).fields
    #expect(Array(before[..<5]) == Array(after[..<5]) && before != after)
    #expect(try !isKnownWhenOpened())
    #expect(try open().read { try $0.compareSummary(key) } == .different(["record"]))
  }

  @Test func `What another program writes while the store is open makes the store unknown`() throws {
    do {
      let store = try open()
      try store.insert([samples.record("a")])
      try run("UPDATE record SET head = 0")
      try store.insert([samples.record("b")])
    }
    #expect(try !isKnownWhenOpened())
  }

  @Test func `A program that has the store open while it is stamped makes it unknown with its next write`() throws {
    let other = try open()
    try other.insert([samples.record("a")])
    #expect(try !isKnownWhenOpened())
    do {
      let store = try open()
      #expect(try store.read { try $0.compareSummary(key) } == .equal)
      try store.insert([samples.record("b")])
    }
    #expect(try isKnownWhenOpened())
    try other.insert([samples.record("c")])
    #expect(try !isKnownWhenOpened())
  }

  @Test func `Rows that are written without the key of the summary make the store unknown`() throws {
    #expect(try isKnownWhenOpened())
    try Store.open(at: path).insert([samples.record("a")])
    #expect(try !isKnownWhenOpened())
    #expect(try open().read { try $0.compareSummary(key) } != .equal)
  }

  @Test func `A summary that was undone leaves the store unknown`() throws {
    struct Undone: Error {}
    do {
      let store = try Store.open(at: path)
      try store.insert([samples.record("a")])
      #expect(throws: Undone.self) {
        try store.write { writer in
          try writer.replaceSummary(key)
          throw Undone()
        }
      }
      try store.write { try $0.setSetting(.lastSync, [1]) }
    }
    #expect(try !isKnownWhenOpened())
  }

  @Test func `A stamp is bound to its key, its file and its day`() throws {
    try stamp(0)
    #expect(try isKnownWhenOpened())
    #expect(try !isKnown(open(), .random()))
    try stamp(-86_000)
    #expect(try isKnownWhenOpened())
    try stamp(-86_500)
    #expect(try !isKnownWhenOpened())
    try stamp(60)
    #expect(try !isKnownWhenOpened())
    try stamp(0)
    try FileManager.default.copyItem(atPath: path, toPath: path + ".copy")
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.moveItem(atPath: path + ".copy", toPath: path)
    #expect(try !isKnownWhenOpened())
  }

  private func note() -> [UInt8]? { Store.note(ofStoreAt: path) { key } }

  @Test func `A note is there until anybody writes to the store`() throws {
    #expect(note() == nil)
    func leave() throws {
      let store = try open()
      try store.insert([samples.record("\(UUID())")])
      store.leaveNote([1, 2, 3])
    }
    try leave()
    #expect(note() == [1, 2, 3])
    #expect(Store.note(ofStoreAt: path) { .random() } == nil)
    // Reading is no write.
    #expect(try open().read { try $0.compareSummary(key) } == .equal)
    #expect(note() == [1, 2, 3])
    try open().insert([samples.record("b")])
    #expect(note() == nil)
    try leave()
    try run("UPDATE record SET head = 0")
    #expect(note() == nil)
  }

  @Test func `A write after a note, by this program or another one, takes it away, and a long one is ignored`() throws {
    do {
      let store = try open()
      try store.insert([samples.record("a")])
      store.leaveNote([1])
      try store.insert([samples.record("b")])
    }
    #expect(note() == nil)
    do {
      let store = try open()
      try store.insert([samples.record("e")])
      store.leaveNote([UInt8](repeating: 1, count: 10_000))
    }
    #expect(note() == nil)
    #expect(try isKnownWhenOpened())
    do {
      let store = try open()
      try store.insert([samples.record("c")])
      store.leaveNote([1])
      try open().insert([samples.record("d")])
    }
    #expect(note() == nil)
  }

  @Test func `A damaged stamp counts as none`() throws {
    let file = URL(filePath: stampPath)
    let bytes = try Data(contentsOf: file)
    for damaged in [Data(), bytes.dropLast(), bytes + [0], Data(bytes.reversed())] {
      try damaged.write(to: file)
      #expect(try !isKnownWhenOpened())
    }
    try FileManager.default.removeItem(at: file)
    try FileManager.default.createSymbolicLink(at: file, withDestinationURL: URL(filePath: directory.path("elsewhere")))
    try bytes.write(to: URL(filePath: directory.path("elsewhere")))
    #expect(try !isKnownWhenOpened())
  }
}
