import CofferSystem
import CofferTestSupport
import Foundation
import GRDB
import Testing

@testable import CofferStore

/// What another program can put beside a store.
@Suite struct StoreFolderTests {
  private let folder: TemporaryDirectory
  private let path: String

  init() throws {
    folder = try TemporaryDirectory()
    path = folder.path("store.sqlite")
    _ = try Store.create(at: path, genesis: [1, 2, 3], rootSlot: [])
  }

  private func victim() throws -> String { try folder.write("victim", "somebody's file") }

  private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  /// Opens the store, and returns the error.
  private func failure() -> StoreError? { #expect(throws: StoreError.self) { _ = try Store.open(at: path) } }

  @Test func `A rollback journal that names another file is refused by name, and that file stays`() throws {
    let victim = try victim()
    let journal = try RollbackJournal.deleting(victim, beside: path)
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    try journal.write(to: URL(fileURLWithPath: path + "-journal"))
    let error = failure()
    #expect(exists(victim))
    #expect(error?.code == .corrupt)
    #expect(error?.path == path + "-journal")
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    // The command of the recovery suggestion.
    let command = try #require(error?.recoverySuggestion?.split(separator: ": ").last)
    try Command.run("sh", "-c", String(command))
    #expect(try Store.open(at: path).read { try $0.genesis() } == [1, 2, 3])
  }

  @Test func `SQLite itself, without the functions of the store, deletes the file that such a journal names`() throws {
    let victim = try victim()
    try RollbackJournal.deleting(victim, beside: path).write(to: URL(fileURLWithPath: path + "-journal"))
    _ = try DatabaseQueue(path: path).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM log") }
    #expect(!exists(victim))
  }

  @Test func `The last connection to a store leaves the shared memory of another store alone`() throws {
    let others = try TemporaryDirectory()
    let other = others.path("other.sqlite")
    _ = try Store.create(at: other, genesis: [4], rootSlot: [])
    var first: Store? = try Store.open(at: path)
    var second: Store? = try Store.open(at: path)
    _ = try first?.read { try $0.genesis() }
    _ = try second?.read { try $0.genesis() }
    // SQLite keeps the path by which this connection has found the file, with the number of the folder's descriptor.
    first = nil
    let live = try Store.open(at: other)
    _ = try live.read { try $0.genesis() }
    second = nil
    #expect(exists(other + "-shm"))
    #expect(try live.read { try $0.genesis() } == [4])
  }

  @Test func `A journal that appears after the files were examined is not read either`() throws {
    let victim = try victim()
    let database = try SQLiteDatabase(path: path, lockTimeout: 0)
    try RollbackJournal.deleting(victim, beside: path).write(to: URL(fileURLWithPath: path + "-journal"))
    #expect(throws: StoreError.self) {
      try database.access { (database) throws(StoreError) in
        _ = try StoreConnection(database: database, path: path).integer("SELECT count(*) FROM log")
      }
    }
    #expect(exists(victim))
    #expect(exists(path + "-journal"))
  }

  @Test(arguments: ["", "-wal", "-shm", "-journal"])
  func `What is no regular file is refused by name, also a link, and no program waits for a pipe`(
    suffix: String
  ) throws {
    let victim = try victim()
    for command in ["mkfifo \"$1\"", "mkdir \"$1\"", "ln -s '\(victim)' \"$1\"", "ln -s '\(victim).new' \"$1\""] {
      try Command.run("sh", "-c", "rm -rf \"$1\" && \(command)", "sh", path + suffix)
      let error = failure()
      #expect(error?.code == .corrupt, "\(command)")
      #expect(error?.path == path + suffix, "\(command)")
    }
    #expect(try String(contentsOfFile: victim, encoding: .utf8) == "somebody's file")
    #expect(!exists(victim + ".new"))
  }

  @Test(arguments: ["", "store.sqlite", "store.sqlite-wal", "store.sqlite-shm"])
  func `A folder or a file that other users can write to is refused with its mode`(name: String) throws {
    let file = name.isEmpty ? folder.path : folder.path(name)
    try Command.run("touch", folder.path("store.sqlite-wal"), folder.path("store.sqlite-shm"))
    try Command.run("chmod", "o+w", file)
    let error = failure()
    #expect(error?.code == .permissionDenied)
    #expect(error?.path == file)
    let command = try #require(error?.recoverySuggestion?.split(separator: ": ").last)
    try Command.run("sh", "-c", String(command))
    #expect(try Store.open(at: path).read { try $0.genesis() } == [1, 2, 3])
  }

  @Test(
    .enabled(if: geteuid() == 0, "only root can give a file to another user"),
    arguments: ["", "store.sqlite", "store.sqlite-wal", "store.sqlite-shm"])
  func `Root opens no store of another user, and is told as whom to run the command`(name: String) throws {
    let file = name.isEmpty ? folder.path : folder.path(name)
    try Command.run("touch", folder.path("store.sqlite-wal"), folder.path("store.sqlite-shm"))
    try Command.run("chown", "65534", file)
    let error = failure()
    #expect(error?.code == .permissionDenied)
    #expect(error?.path == file)
    #expect(error?.recoverySuggestion == "run the command as that user: sudo -H -u '#65534' coffer …")
  }

  #if os(Linux)
    @Test func `A store is opened in the folder that was examined, and never in one that takes its name then`() throws {
      let (named, other) = (folder.path("named"), folder.path("other"))
      for (place, genesis) in [(named, UInt8(7)), (other, 8)] {
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        _ = try Store.create(at: place + "/store.sqlite", genesis: [genesis], rootSlot: [])
      }
      // Whoever can write to a file of the store is refused, so that only the other folder can be opened.
      try Command.run("chmod", "o+w", other + "/store.sqlite")
      try whileExchanging(named, other) {
        var opened = 0
        while opened < 300 {
          guard let store = try? Store.open(at: named + "/store.sqlite") else { continue }
          opened += 1
          let genesis = try store.read { try $0.genesis() }
          #expect(genesis == [7])
        }
      }
    }
  #endif

  @Test func `An open store stays in its folder when another folder takes the name, also when it is closed`() throws {
    let samples = SampleRecords()
    let moved = folder.path("moved")
    let named = folder.path("named")
    try FileManager.default.createDirectory(atPath: named, withIntermediateDirectories: false)
    let path = named + "/store.sqlite"
    do {
      let store = try Store.create(at: path, genesis: [7], rootSlot: [])
      try FileManager.default.moveItem(atPath: named, toPath: moved)
      try FileManager.default.createDirectory(atPath: named, withIntermediateDirectories: false)
      for suffix in ["", "-wal", "-shm"] { try Data("other".utf8).write(to: URL(fileURLWithPath: path + suffix)) }
      try store.insert([samples.record("a")])
    }
    for suffix in ["", "-wal", "-shm"] {
      #expect(try String(contentsOfFile: path + suffix, encoding: .utf8) == "other", "\(suffix)")
    }
    let store = try Store.open(at: moved + "/store.sqlite")
    #expect(try store.heads(samples.item("a"), samples.group).count == 1)
  }

  @Test func `A store that another program has taken out of WAL mode is put into it again, without a journal`() throws {
    let queue = try DatabaseQueue(path: path)
    try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
    try queue.close()
    #expect(try Data(contentsOf: URL(fileURLWithPath: path))[18] == 1)
    let store = try Store.open(at: path)
    #expect(try store.read { try $0.connection.text("PRAGMA journal_mode") } == "wal")
    #expect(try store.read { try $0.genesis() } == [1, 2, 3])
    #expect(!exists(path + "-journal"))
  }
}
