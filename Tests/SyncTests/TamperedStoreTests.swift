import CofferTestSupport
import Foundation
import Testing

/// Syncs after another program of the same user has changed rows of the store.
@Suite struct TamperedStoreTests {
  private func tamper(_ machine: Machine, _ sql: String) throws {
    try Command.run("sqlite3", machine.vault.appending(path: "store.sqlite").path, sql)
  }

  @Test(arguments: ["(9999, zeroblob(16))", "(9999, x'00')", "(-1, x'')"])
  func `Dangling rows of the outbox do not prevent other records from being sent`(row: String) throws {
    let suite = try TwoMachines()
    try suite.laptop.set("a", "travels")
    try tamper(suite.laptop, "INSERT INTO outbox (record, group_id) VALUES \(row)")
    // The sync names the row that another program added.
    #expect(try suite.laptop.run("coffer", "sync").errors.contains("outbox"))
    try suite.desktop.sync()
    #expect(try suite.desktop.get("a") == "travels")
    // Nor does such a row cause a new segment at each sync.
    let tip = suite.remote.tip
    try suite.laptop.sync()
    try suite.laptop.sync()
    #expect(suite.remote.tip == tip)
  }

  @Test func `A damaged pending row does not prevent the validation of others after a membership change`() throws {
    let suite = try TwoMachines()
    try suite.laptop.set("damaged", "1")
    try suite.laptop.set("sound", "2")
    for machine in [suite.laptop, suite.desktop] { try machine.sync() }
    try tamper(suite.laptop, "UPDATE record SET standing = 2")
    try tamper(suite.laptop, "UPDATE record SET signed = x'00' WHERE id = 1")
    try suite.desktop.coffer("app", "add", Machine.entitlements(of: "PhotoFree"))
    let plist = try suite.desktop.directory.write(
      "new.entitlements", entitlementsPlist("com.example.new", groups: ["~com.example.new"]))
    try suite.desktop.coffer("app", "add", plist)
    try suite.desktop.set("later", "3")
    try suite.desktop.sync()
    #expect(try suite.laptop.run("coffer", "sync").exitCode == 6)
    #expect(try suite.laptop.get("sound") == "2")
    #expect(try suite.laptop.get("later") == "3")
    // Setting the damaged item again repairs it on both machines.
    try suite.laptop.set("damaged", "anew")
    for machine in [suite.laptop, suite.desktop] { try machine.sync() }
    for machine in [suite.laptop, suite.desktop] { #expect(try machine.get("damaged") == "anew") }
  }

  @Test func `A truncated local log is restored from the remote before anything is signed in its place`() throws {
    let suite = try TwoMachines()
    for machine in [suite.laptop, suite.desktop] { try machine.sync() }
    let length = try Command.run(
      "sqlite3", suite.laptop.vault.appending(path: "store.sqlite").path, "SELECT max(sequence) FROM log")
    try tamper(suite.laptop, "DELETE FROM log WHERE sequence = \(length)")
    let plist = try suite.laptop.directory.write(
      "new.entitlements", entitlementsPlist("com.example.new"))
    try suite.laptop.coffer("app", "add", plist)
    #expect(try suite.laptop.status("logLength") == "\((Int(length) ?? 0) + 3)")
    try suite.desktop.sync()
    try suite.desktop.set("after", "1")
    try suite.desktop.sync()
    #expect(try suite.desktop.get("after") == "1")
    try suite.laptop.sync()
    let phrases = try [suite.laptop, suite.desktop].map { machine in
      try machine.coffer("status").components(separatedBy: "\n").first { $0.hasPrefix("Head phrase") }?
        .split(separator: " ").last
    }
    #expect(phrases[0] == phrases[1])
  }

  @Test func `The sync that the error about an older copy of the store suggests brings log and items back`() throws {
    let suite = try TwoMachines()
    try suite.laptop.set("kept", "1")
    try suite.laptop.sync()
    let store = suite.laptop.vault.appending(path: "store.sqlite").path
    let older = suite.laptop.directory.path("older.sqlite")
    try FileManager.default.copyItem(atPath: store, toPath: older)
    try suite.desktop.set("from the desktop", "2")
    try suite.desktop.sync()
    let plist = try suite.laptop.directory.write(
      "new.entitlements", entitlementsPlist("com.example.new"))
    try suite.laptop.coffer("app", "add", plist)
    try suite.laptop.set("later", "3")
    try suite.laptop.sync()
    try Command.run("sh", "-c", "rm -f \"$1\" \"$1-wal\" \"$1-shm\" && cp \"$2\" \"$1\"", "sh", store, older)
    let refused = try suite.laptop.run("coffer", "list", "--app", app)
    #expect(refused.exitCode == 6 && refused.errors.contains("older copy") && refused.errors.contains("sync"))
    try suite.laptop.sync()
    let expected = ["kept": "1", "from the desktop": "2", "later": "3"]
    #expect(try suite.laptop.values() == expected)
    try suite.laptop.set("after", "4")
    for machine in [suite.laptop, suite.desktop] { try machine.sync() }
    for machine in [suite.laptop, suite.desktop] {
      #expect(try machine.values() == expected.merging(["after": "4"]) { $1 })
    }
  }
}
