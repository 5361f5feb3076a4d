import CofferFormat
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// An app that is registered again with fewer rights.
@Suite struct NarrowedAppTests {
  private let suite: TwoMachines
  private let free = "com.example.photo.free"
  private let purchases = "com.example.photo.purchases"

  init() throws {
    suite = try TwoMachines()
    try set("before", on: suite.desktop)
    for machine in [suite.desktop, suite.laptop] { try machine.sync() }
  }

  private func set(_ value: String, account: String = "item", on machine: Machine) throws {
    try machine.coffer("set", "service", account, "--app", app, "--group", purchases, input: value)
  }

  private func get(_ account: String = "item", on machine: Machine, as application: String = app) throws
    -> Machine.Outcome
  {
    try machine.run("coffer", "get", "service", account, "--app", application, "--group", purchases)
  }

  /// Registers the app with its own group, and with the other one if it still reads that.
  private func narrow(_ options: String..., readOnly: [String] = []) throws -> Machine.Outcome {
    let plist = try suite.laptop.directory.write(
      "narrow.entitlements", entitlementsPlist(app, groups: ["~" + app], readOnly: readOnly))
    return try suite.laptop.start("coffer", ["app", "add", plist] + options).wait()
  }

  private func authors(on machine: Machine) throws -> Int { try machine.local.membership().authors.count }

  @Test func `Fewer groups need a yes, and nothing changes without one`() throws {
    let length = try suite.laptop.status("logLength")
    let outcome = try narrow()
    #expect(outcome.exitCode == 2 && outcome.errors.contains("add --yes"), "\(outcome)")
    #expect(outcome.errors.contains("loses:") && outcome.errors.contains("reading and writing"), "\(outcome)")
    #expect(outcome.errors.contains("Items there that the app could read: 1"), "\(outcome)")
    #expect(try suite.laptop.status("logLength") == length)
    #expect(try get(on: suite.laptop).text == "before")
  }

  @Test func `A loss that another machine's registration causes meanwhile is refused, because nobody has seen it`()
    throws
  {
    // The desktop's log does not have the group yet, so the plist removes nothing as far as it knows.
    let wider = try suite.laptop.directory.write(
      "wider.entitlements", entitlementsPlist(app, groups: ["~" + app, "~" + purchases, "~com.example.more"]))
    try suite.laptop.coffer("app", "add", wider)
    let outcome = try suite.desktop.run("coffer", "app", "add", Machine.entitlements(of: "PhotoPro"))
    #expect(outcome.exitCode == 2 && outcome.errors.contains("would lose its rights in"), "\(outcome)")
    #expect(outcome.errors.contains("com.example.more") && outcome.errors.contains("--yes"), "\(outcome)")
    #expect(try suite.desktop.coffer("app", "show", app).contains("com.example.more"))
  }

  @Test func `The end of an app's rights in a group is the same on all machines, and its records so far count`() throws
  {
    let authors = try authors(on: suite.laptop)
    try set("late", account: "late", on: suite.desktop)
    let outcome = try narrow("--yes", "--json")
    #expect(outcome.exitCode == 0, "\(outcome)")
    struct Report: Decodable {
      struct Change: Decodable {
        let group: String
        let before: String
        let after: String
      }
      let isChanged: Bool
      let gained: [Change]
      let lost: [Change]
    }
    let report = try JSONDecoder().decode(Report.self, from: outcome.output)
    #expect(report.isChanged && report.gained.isEmpty && report.lost.count == 1)
    #expect(report.lost.first?.group.hasSuffix(purchases) == true)
    #expect(report.lost.first?.before == "read-write" && report.lost.first?.after == "none")

    let membership = try suite.laptop.local.membership()
    let group = try #require(membership.groups.values.first { $0.name.description.hasSuffix(purchases) })
    #expect(group.generations.count == 2)
    let pro = membership.authors.values.filter { author in
      if case .principal(let id, _, _) = author.role { id.bundleID.description == app } else { false }
    }
    #expect(pro.count == 2 && pro.allSatisfy { group.generations[1].boxes[$0.id] == nil })

    _ = try suite.desktop.run("coffer", "sync")
    for machine in [suite.laptop, suite.desktop] {
      #expect(try get(on: machine).exitCode == 4)
      #expect(try get(on: machine, as: free).text == "before")
      #expect(try get("late", on: machine, as: free).exitCode == 3)
      // It keeps its principals, and with them its other groups.
      #expect(try self.authors(on: machine) == authors)
      try machine.set("own on \(machine.directory.path.count)", "kept")
      #expect(try machine.coffer("app", "list").contains("lacks rights") == false)
    }
    #expect(try suite.desktop.status("refusedRecords") == "1")
    try suite.laptop.coffer("set", "service", "new", "--group", purchases, input: "after")
    for machine in [suite.laptop, suite.desktop] { _ = try machine.run("coffer", "sync") }
    #expect(try get("new", on: suite.desktop, as: free).text == "after")
    for machine in [suite.laptop, suite.desktop] {
      #expect(try machine.coffer("check") == "The store matches its signed objects.")
    }
  }

  @Test func `An app that may only read a group from now on goes on reading what others write there`() throws {
    #expect(try narrow("--yes", readOnly: ["~" + purchases]).exitCode == 0)
    let group = try #require(
      try suite.laptop.local.membership().groups.values.first { $0.name.description.hasSuffix(purchases) })
    #expect(group.generations.count == 1, "its key needs no renewal")
    try suite.laptop.coffer("set", "service", "new", "--group", purchases, input: "after")
    for machine in [suite.laptop, suite.desktop] { try machine.sync() }
    for machine in [suite.laptop, suite.desktop] {
      #expect(try get(on: machine).text == "before" && get("new", on: machine).text == "after")
      let write = try machine.start(
        "coffer", ["set", "service", "item", "--app", app, "--group", purchases], input: Data("x".utf8)
      ).wait()
      #expect(write.exitCode == 4, "\(write)")
    }
  }

  @Test func `Rights that an app gets back need a new credential on each machine, and revive no refused record`() throws
  {
    try set("late", account: "late", on: suite.desktop)
    #expect(try narrow("--yes").exitCode == 0)
    _ = try suite.desktop.run("coffer", "sync")
    let authors = try authors(on: suite.laptop)
    try suite.laptop.register("PhotoPro")
    #expect(try self.authors(on: suite.laptop) == authors + 1)
    #expect(try get(on: suite.laptop).text == "before")
    try set("by the new one", account: "new", on: suite.laptop)
    try suite.laptop.sync()

    try suite.desktop.sync()
    let refused = try get(on: suite.desktop)
    #expect(refused.exitCode == 4 && refused.errors.contains("has lost its rights in"), "\(refused)")
    #expect(refused.errors.contains("coffer app install \(app)") && !refused.errors.contains("app add"), "\(refused)")
    let why = try suite.desktop.run("coffer", "why", app, purchases)
    #expect(why.exitCode == 4 && why.text.contains("Access ends at: Keys of the app on this machine"), "\(why)")
    #expect(why.text.contains("coffer app install \(app)") && !why.text.contains("app add"), "\(why)")
    #expect(try suite.desktop.coffer("app", "list").contains("coffer app install \(app)"))
    #expect(try suite.desktop.coffer("status").contains("Credential lacks rights"))
    try suite.desktop.coffer("app", "install", app)
    #expect(try suite.desktop.run("coffer", "why", app, purchases).exitCode == 0)
    #expect(try get("new", on: suite.desktop).text == "by the new one")
    #expect(try !suite.desktop.coffer("app", "list").contains("lacks rights"))
    try set("again", on: suite.desktop)
    for machine in [suite.desktop, suite.laptop] { try machine.sync() }
    #expect(try get(on: suite.laptop).text == "again")
    #expect(try get("late", on: suite.desktop).exitCode == 3 && suite.desktop.status("refusedRecords") == "1")
  }

  @Test func `An app that may write a group again is told to get a new credential, and reads with the old one`() throws
  {
    #expect(try narrow("--yes", readOnly: ["~" + purchases]).exitCode == 0)
    try suite.laptop.register("PhotoPro")
    try suite.desktop.sync()
    #expect(try get(on: suite.desktop).text == "before")
    let write = try suite.desktop.run(
      "coffer", "set", "service", "item", "--app", app, "--group", purchases, input: Data("x".utf8))
    #expect(write.exitCode == 4 && write.errors.contains("has lost the right to write"), "\(write)")
    #expect(write.errors.contains("coffer app install \(app)") && !write.errors.contains("app add"), "\(write)")
    let why = try suite.desktop.run("coffer", "why", app, purchases)
    #expect(why.exitCode == 0 && why.text.contains("can read") && why.text.contains("but not write it"), "\(why)")
    #expect(why.text.contains("coffer app install \(app)"), "\(why)")
    try suite.desktop.coffer("app", "install", app)
    try set("again", on: suite.desktop)
    #expect(try suite.desktop.run("coffer", "why", app, purchases).text.contains("can read and write"))
  }
}
