import CofferTestSupport
import Foundation
import Testing

/// A store whose file was damaged so far that `coffer check --repair` saves neither the remote nor the membership log.
@Suite struct LostRemoteTests {
  private let suite: TwoMachines
  private var laptop: Machine { suite.laptop }
  private var rejoin: String { "coffer clone --rejoin \(suite.remote.path)" }

  init() throws {
    suite = try TwoMachines()
    try suite.laptop.set("kept", "1")
    try suite.laptop.sync()
    try suite.laptop.overwriteSettingsAndLog()
  }

  @Test func `The repair says that the remote has what was synced, and its command brings everything back`() throws {
    let repaired = try laptop.run("coffer", "check", "--repair")
    #expect(repaired.exitCode == 6 && repaired.text.hasSuffix(rejoin), "\(repaired)")
    #expect(repaired.text.contains("not in this store; the remote has what was synced"), "\(repaired)")
    #expect(!repaired.text.contains("; lost") && !repaired.text.contains("of them are lost"), "\(repaired)")
    for command in AdviceScene.commands(in: repaired.text) {
      let outcome = try AdviceScene(laptop).run(command)
      #expect(outcome.exitCode == 0, "\(command): \(outcome)")
    }
    try expectWhole()
  }

  @Test(
    arguments: [
      ["sync"], ["status"], ["check"], ["check", "--repair"], ["doctor"], ["remote", "show"], ["remote", "set", "URL"],
      ["remote", "remove"], ["device", "invite"], ["service", "install"],
    ])
  func `After the repair, each command that needs the remote leads to the one that brings everything back`(
    _ command: [String]
  ) throws {
    _ = try laptop.run("coffer", "check", "--repair")
    let outcome = try laptop.start("coffer", command.map { $0 == "URL" ? suite.remote.path : $0 }).wait()
    #expect(outcome.exitCode != 0 || command == ["status"], "\(outcome)")
    let said = outcome.text + outcome.errors
    #expect(said.contains(rejoin) && !said.contains("remote set URL"), "\(outcome)")
    try laptop.coffer("clone", "--rejoin", suite.remote.path)
    try expectWhole()
  }

  @Test func `A vault whose owner has taken its remote away has lost none`() throws {
    let other = try TwoMachines()
    try other.laptop.sync()
    try other.laptop.coffer("remote", "remove")
    #expect(try other.laptop.run("coffer", "check").exitCode == 0)
    let sync = try other.laptop.run("coffer", "sync")
    #expect(sync.exitCode == 2 && sync.errors.contains("coffer remote set URL"), "\(sync)")
  }

  /// The laptop syncs and has every item.
  private func expectWhole() throws {
    try laptop.sync()
    #expect(try laptop.run("coffer", "check").exitCode == 0)
    #expect(try laptop.get("kept") == "1")
    try suite.desktop.sync()
    #expect(try laptop.coffer("list") == suite.desktop.coffer("list"))
    try laptop.set("later", "2")
    try laptop.sync()
    try suite.desktop.sync()
    #expect(try suite.desktop.get("later") == "2")
  }
}

extension Machine {
  /// Overwrites the settings, the membership log and the first items in the file of the store, as a disk can.
  func overwriteSettingsAndLog() throws {
    let store = vault.appending(path: "store.sqlite")
    try Command.run("sqlite3", store.path, "PRAGMA wal_checkpoint(TRUNCATE)")
    func pages(of tables: String) throws -> [UInt64] {
      let query = "SELECT pageno FROM dbstat WHERE name IN (\(tables)) ORDER BY name, pageno"
      return try Command.run("sqlite3", store.path, query).split(separator: "\n").compactMap { UInt64($0) }
    }
    let items = try pages(of: "'record'").last.map { [$0] } ?? []
    let file = try FileHandle(forUpdating: store)
    defer { try? file.close() }
    for page in try pages(of: "'setting', 'log'") + items {
      try file.seek(toOffset: (page - 1) * 4_096)
      try file.write(contentsOf: Data(repeating: 0xA5, count: 4_096))
    }
  }
}
