import Coffer
import CofferVault
import CofferSync
import CofferTestSupport
import Foundation
import Logging
import Testing

/// Records that arrive before the log entry that authorises them.
@Suite struct PendingRecordTests {
  private let suite: TwoMachines
  private let application = "com.example.new"
  private let values = ["one": "1", "two": "2", "three": "3"]

  /// The laptop has registered an app and written its items; the host serves all of that to the desktop except the log
  /// entry.
  init() throws {
    suite = try TwoMachines()
    try suite.desktop.coffer("sync")
    let known = try suite.remote.files().filter { $0.hasPrefix("log/") }
    let plist = try suite.laptop.directory.write(
      "new.entitlements", entitlementsPlist("com.example.new"))
    try suite.laptop.coffer("app", "add", plist)
    for (account, value) in values {
      try suite.laptop.coffer("set", "service", account, "--app", application, input: value)
      try suite.laptop.coffer("sync")
    }
    let withheld = try suite.remote.files().filter { $0.hasPrefix("log/") && !known.contains($0) }
    try suite.remote.tamper { tree in
      for path in withheld { try FileManager.default.removeItem(at: tree.appending(path: path)) }
    }
  }

  /// Syncs the desktop, which must name the withheld log entry.
  private func syncDesktop() throws {
    let sync = try suite.desktop.run("coffer", "sync")
    #expect(
      sync.exitCode == 6 && sync.errors.contains("of the membership log, which laptop has seen there"), "\(sync)")
  }

  /// Restores the log entry on the remote, and gives the desktop's app its credential.
  private func expectEverythingArrives() throws {
    #expect(try suite.laptop.run("coffer", "sync").exitCode == 6)
    try suite.desktop.coffer("sync")
    #expect(try suite.desktop.status("pendingRecords") == "0")
    try suite.desktop.coffer("app", "install", application)
    for (account, value) in values {
      #expect(try suite.desktop.coffer("get", "service", account, "--app", application) == value)
    }
  }

  @Test func `Pending records are kept, and count as soon as the log authorises them`() throws {
    try syncDesktop()
    #expect(try suite.desktop.status("pendingRecords") == "3")
    try expectEverythingArrives()
  }

  @Test func `Pending records count even if a program was ended between log entry and validation`() throws {
    try syncDesktop()
    #expect(try suite.desktop.status("pendingRecords") == "3")
    let store = suite.desktop.vault.appending(path: "store.sqlite").path
    try expectEverythingArrives()
    // The state that such a program leaves behind.
    try Command.run(
      "sqlite3", store,
      """
      UPDATE record SET standing = 2, head = 0 WHERE id = (SELECT max(id) FROM record);
      DELETE FROM setting WHERE name = 'judged-log'
      """)
    #expect(try suite.desktop.status("pendingRecords") == "1")
    let sync = try suite.desktop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("table token"), "\(sync)")
    #expect(try suite.desktop.status("pendingRecords") == "0")
    try suite.desktop.coffer("sync")
  }

  @Test func `Pending records above the limit are reported at each sync and stay on the remote`() throws {
    let local = try LocalVault.open(VaultFolder(suite.desktop.vault))
    for _ in 0..<2 {
      let report = try Synchronizer(
        local, pendingByteLimit: 800, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      ).run()
      #expect(report.problems.contains { $0.contains("more than 800 bytes") && $0.contains("waits") }, "\(report)")
      #expect((1...2).contains(report.recordsPending), "\(report)")
    }
    try expectEverythingArrives()
  }
}
