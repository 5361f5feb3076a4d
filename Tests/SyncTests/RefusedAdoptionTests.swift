import CofferTestSupport
import Foundation
import Testing

/// What an app wrote after it had lost a group, and its owner who wants it nevertheless.
@Suite struct RefusedAdoptionTests {
  private struct Refused: Decodable {
    let version: String
    let `class`: String
    let writerApp: String?
    let writerMachine: String?
    let group: String?
    let service: String?
    let account: String?
    let reason: String
    let isDeletion: Bool
    let obstacle: String?
  }

  private let suite: TwoMachines
  private let purchases = "com.example.photo.purchases"

  init() throws {
    suite = try TwoMachines()
    try set("item", "before", on: suite.desktop)
    for machine in [suite.desktop, suite.laptop] { try machine.sync() }
    // The desktop has not heard that the app loses the group.
    try set("item", "late", on: suite.desktop)
    try set("item", "later", on: suite.desktop)
    try set("new", "of the desktop", on: suite.desktop)
    try set("both", "of the desktop", on: suite.desktop)
    try suite.laptop.coffer("set", "service", "both", "--group", purchases, input: "of the owner")
    let narrow = try suite.laptop.directory.write(
      "narrow.entitlements", entitlementsPlist(app, groups: ["~" + app]))
    try suite.laptop.coffer("app", "add", "--yes", narrow)
    for machine in [suite.desktop, suite.laptop] { _ = try machine.run("coffer", "sync") }
  }

  private func set(_ account: String, _ value: String, on machine: Machine) throws {
    try machine.coffer("set", "service", account, "--app", app, "--group", purchases, input: value)
  }

  private func get(_ account: String, on machine: Machine) throws -> Machine.Outcome {
    try machine.run("coffer", "get", "service", account, "--app", "com.example.photo.free", "--group", purchases)
  }

  private func refused(on machine: Machine, _ options: String...) throws -> [Refused] {
    let text = try machine.succeed("coffer", ["refused", "--json"] + options)
    return try JSONDecoder().decode([Refused].self, from: Data(text.utf8))
  }

  @Test func `Refused versions are listed with their author, their names and the reason, and nothing counts of them`()
    throws
  {
    do {
      let machine = suite.desktop
      let list = try refused(on: machine)
      #expect(list.map(\.account).sorted { $0 ?? "" < $1 ?? "" } == ["both", "item", "item", "new"])
      for record in list {
        #expect(record.writerApp?.hasSuffix(app) == true && record.writerMachine == "desktop", "\(record)")
        #expect(record.service == "service" && record.group?.hasSuffix(purchases) == true, "\(record)")
        #expect(record.class == "generic-password" && !record.isDeletion, "\(record)")
        #expect(record.reason.hasPrefix("its author lost the right to write it (entry "), "\(record)")
        #expect(record.obstacle == (record.account == "both" ? "item-changed" : nil), "\(record)")
      }
      #expect(try machine.coffer("refused").contains("the item was changed since: adopt it with --force"))
      #expect(try get("item", on: machine).text == "before")
      #expect(try get("new", on: machine).exitCode == 3)
    }
  }

  @Test func `All refused versions of a machine are adopted by one command, unless that would hide another change`()
    throws
  {
    #expect(try suite.desktop.status("refusedRecords") == "4")
    let nowhere = try suite.desktop.run("coffer", "refused", "adopt", "--all", "--machine", "laptop")
    #expect(nowhere.exitCode == 0 && nowhere.errors.contains("nothing to adopt"), "\(nowhere)")
    let outcome = try suite.desktop.run(
      "coffer", "refused", "adopt", "--all", "--machine", "desktop", "--group", purchases)
    #expect(outcome.exitCode == 0 && outcome.text == "3 versions are adopted.", "\(outcome)")
    #expect(outcome.errors.contains("1 cannot be adopted like this"), "\(outcome)")
    for machine in [suite.desktop, suite.laptop] { _ = try machine.run("coffer", "sync") }
    for machine in [suite.laptop, suite.desktop] {
      #expect(try get("item", on: machine).text == "later" && get("new", on: machine).text == "of the desktop")
      #expect(try get("both", on: machine).text == "of the owner")
      #expect(try machine.coffer("check") == "The store matches its signed objects.")
    }
    #expect(try refused(on: suite.desktop).map(\.account) == ["both"])
    #expect(try suite.desktop.status("refusedRecords") == "1")
    #expect(try refused(on: suite.desktop, "--all").count == 4)
    let history = try suite.laptop.coffer("history", "service", "item", "--group", purchases)
    #expect(history.contains("owner on desktop"), "\(history)")
  }

  @Test func `A version of an item that was changed since is adopted with --force only, and once`() throws {
    let version = try #require(try refused(on: suite.desktop).first { $0.account == "both" }).version
    let outcome = try suite.desktop.run("coffer", "refused", "adopt", String(version.prefix(12)))
    #expect(outcome.exitCode == 1 && outcome.errors.contains("--force"), "\(outcome)")
    #expect(try get("both", on: suite.desktop).text == "of the owner")
    try suite.desktop.coffer("refused", "adopt", "--force", version)
    #expect(try suite.desktop.status("refusedRecords") == "3")
    #expect(try get("both", on: suite.desktop).text == "of the desktop")
    let again = try suite.desktop.run("coffer", "refused", "adopt", "--force", version)
    #expect(again.exitCode == 3 && again.errors.contains("coffer refused"), "\(again)")
    #expect(try suite.desktop.run("coffer", "refused", "adopt", "12").exitCode == 3)
    #expect(try suite.desktop.run("coffer", "refused", "adopt").exitCode == 2)
  }
}
