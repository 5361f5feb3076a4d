import Coffer
import CofferTestSupport
import CofferVault
import Foundation
import Testing

/// `coffer check` and the sync, after another program of the same user has changed the store.
@Suite struct StoreCheckTests {
  private let suite: TwoMachines
  private let expected: [String: String]

  // Made once. Tests only copy its folders, so that nothing is shared that changes.
  nonisolated(unsafe) private static let template = Result { try makeTemplate() }

  init() throws {
    let template = try unsafe Self.template.get()
    suite = try TwoMachines(copying: template.suite)
    expected = template.values
  }

  /// Makes a vault with history, a conflict, a tombstone, records of another machine, a device-local item and an item
  /// that was not sent yet.
  private static func makeTemplate() throws -> (suite: TwoMachines, values: [String: String]) {
    let suite = try TwoMachines()
    suite.deleteAtExit()
    let (laptop, desktop) = (suite.laptop, suite.desktop)
    for account in ["one", "two", "gone", "both"] { try laptop.set(account, "first \(account)") }
    try laptop.set("one", "second one")
    try laptop.coffer("delete", "service", "gone", "--app", app)
    for machine in [laptop, desktop] { try machine.sync() }
    try desktop.set("three", "of the desktop")
    try desktop.set("both", "desktop")
    try laptop.set("both", "laptop")
    for machine in [desktop, laptop, desktop, laptop] { try machine.sync() }
    var local = GenericPassword(service: "service", account: "local")
    local.accessibility = .whenUnlockedThisDeviceOnly
    let plist = URL(fileURLWithPath: Machine.entitlements(of: "PhotoPro"))
    try Vault.open(.file(plist), at: VaultLocation(folder: laptop.vault)).set("stays", for: local)
    try laptop.set("unsent", "waits")
    let values = try laptop.values()
    try #require(values.count == 6 && values["gone"] == nil)
    return (suite, values)
  }

  private func tamper(_ sql: String) throws {
    try Command.run("sqlite3", suite.laptop.vault.appending(path: "store.sqlite").path, sql)
  }

  /// Expects that a second check finds nothing and that both machines have these items.
  private func expectHealed(_ sql: String, lost: Set<String> = []) throws {
    let check = try suite.laptop.run("coffer", "check")
    #expect(check.exitCode == 0, "\(sql): \(check)")
    let again = try suite.laptop.run("coffer", "sync")
    #expect(again.exitCode == 0, "\(sql): \(again)")
    try suite.desktop.sync()
    let wanted = expected.filter { !lost.contains($0.key) }
    #expect(try suite.laptop.values() == wanted, "\(sql)")
    #expect(try suite.desktop.values() == wanted.filter { $0.key != "local" }, "\(sql)")
    #expect(try suite.laptop.status("unsyncedChanges") == "0", "\(sql)")
    #expect(try suite.laptop.status("conflictCount") == "1", "\(sql)")
  }

  @Test func `A check of a store that only Coffer has written finds nothing, and changes nothing`() throws {
    for machine in [suite.laptop, suite.desktop] {
      let before = try Data(contentsOf: machine.vault.appending(path: "store.sqlite"))
      #expect(try machine.coffer("check") == "The store matches its signed objects.")
      #expect(try machine.coffer("check", "--repair") == "The store matches its signed objects.")
      #expect(try Data(contentsOf: machine.vault.appending(path: "store.sqlite")) == before)
    }
    try suite.laptop.sync()
    #expect(try suite.laptop.coffer("check") == "The store matches its signed objects.")
  }

  /// Changes of which nothing is lost, and a table that the check names.
  static let harms: [(sql: String, table: String)] = [
    (
      "DELETE FROM record WHERE id IN (SELECT id FROM record WHERE id NOT IN (SELECT record FROM outbox) ORDER BY id LIMIT 5)",
      "record"
    ),
    ("UPDATE record SET signed = x'00' WHERE id IN (1, 3)", "record"),
    ("UPDATE record SET value = x'00' WHERE id = 2", "record"),
    ("UPDATE record SET item = randomblob(16), group_id = randomblob(16)", "record"),
    ("UPDATE record SET hash = randomblob(32), bases = x'', tokens = x'01', class = 0", "record"),
    ("UPDATE record SET head = 1 - head", "record"),
    ("UPDATE record SET standing = 2", "record"),
    (
      """
      UPDATE record SET standing = 3, signed = x'', attributes = x'', value = x'', tokens = x''
      WHERE id <= 5
      """, "record"
    ),
    ("DELETE FROM outbox", "outbox"), ("UPDATE outbox SET group_id = x'00'", "outbox"),
    ("DELETE FROM token", "token"), ("UPDATE token SET token = randomblob(16)", "token"),
    ("DELETE FROM edge", "edge"), ("INSERT INTO edge SELECT hash, 1 FROM record", "edge"),
    ("DELETE FROM superseded", "superseded"),
    ("UPDATE record SET created = 5", "record"), ("UPDATE record SET arrival = 9000", "record"),
    ("UPDATE token SET arrival = arrival + 1", "token"),
    ("UPDATE item_count SET live = 0", "item_count"), ("DELETE FROM item_count", "item_count"),
    ("INSERT OR IGNORE INTO conflict SELECT DISTINCT group_id, item FROM record", "conflict"),
    ("DELETE FROM stream", "stream"), ("UPDATE stream SET number = 0, reported = 99", "stream"),
    ("UPDATE stream SET number = number + 3", "segment"),
    ("DELETE FROM segment", "segment"), ("DELETE FROM segment WHERE number = 1", "segment"),
    ("UPDATE segment SET envelope = x'00' WHERE number = 0", "segment"),
    ("UPDATE segment SET hash = randomblob(32), device = randomblob(16)", "segment"),
    ("DELETE FROM log WHERE sequence > 12", "log"), ("DELETE FROM log WHERE sequence = 4", "log"),
    ("UPDATE log SET entry = x'00'", "log"), ("UPDATE log SET envelope = x'00' WHERE sequence = 6", "log"),
    ("UPDATE vault SET root_slot = x'00'", "vault"),
    ("DELETE FROM outbox; DELETE FROM token; DELETE FROM edge; UPDATE record SET head = 0", "record"),
  ]

  @Test(arguments: TestRun.rows(harms, ordinarily: 8))
  func `A check names what differs, and repair and sync restore it`(sql: String, table: String) throws {
    try tamper(sql)
    let check = try suite.laptop.run("coffer", "check")
    #expect(check.exitCode == 6, "\(check)")
    #expect(check.text.split(separator: "\n").contains { $0.hasPrefix(table) }, "\(check)")
    #expect(try suite.laptop.run("coffer", "check").text == check.text, "A check without --repair changes nothing.")
    let repair = try suite.laptop.run("coffer", "check", "--repair")
    #expect(repair.exitCode == (repair.text.contains("coffer sync") ? 6 : 0), "\(repair)")
    _ = try suite.laptop.run("coffer", "sync")
    try expectHealed(sql)
  }

  /// Harms of the contents are noticed when they are read, and by a check. Those of the rows are noticed by each sync.
  @Test(arguments: [
    "DELETE FROM record WHERE id < 4", "UPDATE record SET item = randomblob(16) WHERE id = 2",
    "UPDATE record SET head = 1 - head", "DELETE FROM outbox", "DELETE FROM token WHERE record = 1 OR record = 2",
    "UPDATE record SET created = created + 1", "UPDATE item_count SET live = live + 1",
    "DELETE FROM segment; DELETE FROM stream", "DELETE FROM log WHERE sequence > 12",
    "DELETE FROM log WHERE sequence = 4",
  ])
  func `A sync notices changed rows by itself, names them, and restores them`(sql: String) throws {
    try suite.laptop.sync()
    try suite.laptop.set("unsent", "waits again")
    #expect(try !suite.laptop.coffer("status").contains("Another program has changed"))
    try tamper(sql)
    if !sql.contains("log") {
      let status = try suite.laptop.coffer("status")
      #expect(status.contains("Another program has changed") && status.contains("coffer check --repair"))
    }
    let sync = try suite.laptop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("store.sqlite"), "\(sync)")
    #expect(try suite.laptop.run("coffer", "check").exitCode == 0)
    #expect(try suite.laptop.run("coffer", "sync").exitCode == 0)
    #expect(try suite.laptop.get("unsent") == "waits again")
    try suite.desktop.sync()
    #expect(try suite.desktop.get("unsent") == "waits again")
    #expect(try suite.laptop.values().keys == expected.keys)
    #expect(try suite.laptop.status("unsyncedChanges") == "0")
  }

  @Test func `All items come back after every row was deleted, except those that no other copy exists of`() throws {
    try suite.laptop.sync()
    try suite.laptop.set("unsent", "never sent")
    try tamper("DELETE FROM record")
    let sync = try suite.laptop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("lost 2 rows of its table record"), "\(sync)")
    #expect(try suite.laptop.get("unsent") == "waits")
    #expect(try suite.laptop.values() == expected.filter { $0.key != "local" })
    #expect(try suite.laptop.run("coffer", "check").exitCode == 0)
  }

  @Test func `A damaged record of which no copy exists is named as lost, and the check after the repair finds nothing`()
    throws
  {
    try tamper("UPDATE record SET value = x'00' WHERE id IN (SELECT record FROM outbox)")
    let repair = try suite.laptop.run("coffer", "check", "--repair")
    #expect(repair.exitCode == 6 && repair.text.contains("; lost"), "\(repair)")
    try suite.laptop.sync()
    try expectHealed("damaged outbox", lost: ["unsent"])
  }

  @Test func `Contents of old versions that were deleted on purpose are not restored`() throws {
    let query = "SELECT count(*) FROM record WHERE standing = 3 AND length(signed) = 0"
    let store = suite.laptop.vault.appending(path: "store.sqlite").path
    try tamper(
      """
      UPDATE record SET standing = 3, tokens = x'', signed = x'', attributes = x'', value = x''
        WHERE id IN (SELECT record FROM superseded);
      DELETE FROM superseded
      """)
    let count = try Command.run("sqlite3", store, query)
    #expect(count != "0")
    #expect(try suite.laptop.coffer("check") == "The store matches its signed objects.")
    _ = try suite.laptop.run("coffer", "sync")
    #expect(try Command.run("sqlite3", store, query) == count)
    try expectHealed("pruned")
  }

  @Test func `A check does not delay writers, and writes during a check are no differences`() throws {
    let machine = suite.laptop
    let script = "for i in $(seq 25); do printf \"$i\" | \"$0\" set service busy --app \(app) || exit 1; done"
    let writer = try machine.start("/bin/sh", ["-c", script, Machine.path(of: "coffer")])
    while writer.isRunning { try machine.coffer("check") }
    #expect(try writer.wait().exitCode == 0)
    #expect(try machine.get("busy") == "25")
    #expect(try machine.coffer("check") == "The store matches its signed objects.")
    try machine.sync()
  }
}
