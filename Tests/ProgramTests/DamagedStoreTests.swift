import CofferTestSupport
import Foundation
import Testing

/// `coffer check --repair` on a vault without a remote whose file a disk has damaged.
@Suite struct DamagedStoreTests {
  private let machine: Machine
  private let store: String
  private static let count = 40

  init() throws {
    machine = try Machine()
    try machine.makeVault()
    let lines = (0..<Self.count).map {
      #"{"service": "service \#($0)", "account": "jane", "value": "\#(String(repeating: "\($0) ", count: 200))"}"#
    }
    try machine.coffer("set", "--json-lines", input: lines.joined(separator: "\n"))
    store = machine.vault.appending(path: "store.sqlite").path
  }

  /// Overwrites a page of the file with zeros.
  private func damage(page: Int) throws {
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: store))
    defer { try? file.close() }
    try file.seek(toOffset: UInt64(page - 1) * 4_096)
    try file.write(contentsOf: Data(count: 4_096))
  }

  /// Returns the pages of a table or index, in the order of their numbers.
  private func pages(of name: String) throws -> [Int] {
    let text = try Command.run("sqlite3", store, "SELECT pageno FROM dbstat WHERE name = '\(name)' ORDER BY pageno")
    return text.split(separator: "\n").compactMap { Int($0) }
  }

  private func export(_ name: String) throws -> Data {
    let file = machine.directory.path(name)
    try machine.coffer("export", "json", file, "--yes")
    return try Data(contentsOf: URL(fileURLWithPath: file))
  }

  private var keptFiles: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: machine.vault.path)
        .filter { $0.hasPrefix("store.sqlite.damaged-") || $0.hasPrefix("repair-") }
        // What SQLite has beside the file.
        .filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
    }
  }

  @Test(
    arguments: [
      "record_item", "record_live", "sqlite_autoindex_record_1", "sqlite_autoindex_object_1", "token", "edge", "outbox",
      "item_count", "fold", "segment_published", "stream", "summary",
    ])
  func `A damaged page of what can be derived loses nothing, and each message leads to the end of it`(_ name: String)
    throws
  {
    let before = try export("before")
    let page = try #require(pages(of: name).first)
    try damage(page: page)
    let found = try machine.run("coffer", "check")
    #expect(found.exitCode == 6 && (found.text + found.errors).contains("coffer check --repair"), "\(found)")
    let repaired = try machine.run("coffer", "check", "--repair")
    #expect(repaired.exitCode == 0 && repaired.text.contains("its file is damaged; a new one was built"), "\(repaired)")
    #expect(try machine.run("coffer", "check").exitCode == 0)
    #expect(try export("after") == before)
    #expect(try keptFiles.count == 1)
    let backup = try machine.run("coffer", "backup", machine.directory.path("backup"))
    #expect(backup.exitCode == 0 && backup.text.contains("\(Self.count) items"), "\(backup)")
    let doctor = try machine.coffer("doctor")
    #expect(!doctor.contains("check --repair") && !doctor.contains("changed the vault's store"), "\(doctor)")
  }

  @Test func `Of a damaged page of items, the rest is kept, and what is lost is said`() throws {
    let pages = try pages(of: "record")
    try damage(page: pages[pages.count / 2])
    let repaired = try machine.run("coffer", "check", "--repair")
    #expect(repaired.exitCode == 6 && repaired.text.contains("are lost"), "\(repaired)")
    #expect(try machine.run("coffer", "check").exitCode == 0)
    let rest = try JSONDecoder().decode(Export.self, from: export("after")).items.count
    #expect(rest < Self.count && rest > Self.count / 2, "\(rest)")
    try machine.coffer("set", "new", input: "value")
    #expect(try machine.run("coffer", "backup", machine.directory.path("backup")).exitCode == 0)
  }

  @Test func `A file that does not say which vault it is leads to a backup, and not in a circle`() throws {
    try damage(page: try #require(pages(of: "vault").first))
    let found = try machine.run("coffer", "check")
    #expect(found.errors.contains("coffer check --repair"), "\(found)")
    let repaired = try machine.run("coffer", "check", "--repair")
    #expect(repaired.exitCode == 6 && repaired.errors.contains("coffer backup restore FILE"), "\(repaired)")
    #expect(!repaired.errors.contains("clone"), "\(repaired)")
    #expect(try keptFiles.isEmpty)
  }

  private struct Export: Decodable {
    struct Item: Decodable {}
    let items: [Item]
  }
}
