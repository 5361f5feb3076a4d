import CofferTestSupport
import Foundation
import Testing

/// The list of what to replace after something was removed from a vault.
@Suite struct RotationTests {
  private struct Row: Decodable {
    struct Reader: Decodable {
      let app: String?
      let machine: String
    }
    let group: String
    let service: String?
    let account: String?
    let writerApp: String?
    let writerMachine: String
    let exposedTo: [Reader]
    let exposedToVaultKeys: [Int]
    let revocationEntry: Int
  }

  private let suite: TwoMachines
  private let purchases = "com.example.photo.purchases"

  init() throws {
    suite = try TwoMachines()
    try suite.desktop.set("own", "not lost")
    for account in ["one", "two"] { try set(account, "before", on: suite.desktop) }
    for machine in [suite.desktop, suite.laptop] { try machine.sync() }
  }

  private func set(_ account: String, _ value: String, on machine: Machine) throws {
    try machine.coffer("set", "service", account, "--group", purchases, input: value)
  }

  private func rows(on machine: Machine) throws -> [Row] {
    try JSONDecoder().decode([Row].self, from: Data(machine.coffer("rotate", "--json").utf8))
  }

  private func accounts(on machine: Machine) throws -> [String] { try rows(on: machine).compactMap(\.account).sorted() }

  private func narrow() throws {
    let plist = try suite.laptop.directory.write("narrow.entitlements", entitlementsPlist(app, groups: ["~" + app]))
    try suite.laptop.coffer("app", "add", "--yes", plist)
  }

  @Test func `Items that a lost app could read are listed on every machine until they have another value`() throws {
    #expect(try rows(on: suite.laptop).isEmpty && suite.laptop.status("replacementCount") == "0")
    #expect(try !suite.laptop.coffer("status").contains("To replace"))
    try set("three", "unheard", on: suite.desktop)
    try narrow()
    for machine in [suite.desktop, suite.laptop] { try machine.sync() }
    for machine in [suite.laptop, suite.desktop] {
      // The third was written later, but by a machine that had not heard: the app can open it.
      #expect(try accounts(on: machine) == ["one", "three", "two"])
      #expect(try machine.status("replacementCount") == "3")
      #expect(try machine.coffer("status").contains("3 items could be read by somebody who was removed"))
      let row = try #require(try rows(on: machine).first)
      #expect(row.group.hasSuffix(purchases) && row.service == "service")
      #expect(row.writerApp == nil && row.writerMachine == "desktop")
      #expect(row.exposedTo.map(\.machine).sorted() == ["desktop", "laptop"])
      #expect(row.exposedTo.allSatisfy { $0.app?.hasSuffix(app) == true })
    }
    #expect(try suite.laptop.coffer("rotate").contains("on desktop, on laptop"))
    try set("one", "after", on: suite.desktop)
    // The same value under a new key is as well known as before.
    try set("two", "before", on: suite.desktop)
    try suite.desktop.coffer("delete", "service", "three", "--group", purchases)
    for machine in [suite.desktop, suite.laptop] { try machine.sync() }
    for machine in [suite.laptop, suite.desktop] {
      #expect(try accounts(on: machine) == ["two"])
      // Without a key, status cannot tell that the value is the same.
      #expect(try machine.status("replacementCount") == "0")
    }
    try set("two", "after", on: suite.laptop)
    #expect(try rows(on: suite.laptop).isEmpty)
  }

  @Test func `A new value does not hide that the seed of one-time codes was readable`() throws {
    let add = ["otp", "add", "service", "one", "--group", purchases]
    try suite.desktop.succeed("coffer", add, input: "JBSWY3DPEHPK3PXP")
    for machine in [suite.desktop, suite.laptop] { try machine.sync() }
    try narrow()
    for machine in [suite.desktop, suite.laptop] { try machine.sync() }
    for account in ["one", "two"] { try set(account, "after", on: suite.desktop) }
    #expect(try accounts(on: suite.desktop) == ["one"])
    #expect(try suite.desktop.run("coffer", "rotate").errors.contains("coffer otp add SERVICE ACCOUNT --replace"))
    try suite.desktop.succeed("coffer", add + ["--replace"], input: "MZXW6YTBMZXW6YTB")
    #expect(try rows(on: suite.desktop).isEmpty)
  }

  @Test func `What was on a machine that is removed has to be replaced, and adopting its versions does not help`()
    throws
  {
    try narrow()
    try suite.desktop.coffer("set", "service", "late", "--app", app, "--group", purchases, input: "late")
    _ = try suite.desktop.run("coffer", "sync")
    try suite.desktop.coffer("refused", "adopt", "--all")
    for machine in [suite.desktop, suite.laptop] { _ = try machine.run("coffer", "sync") }
    #expect(try accounts(on: suite.laptop) == ["late", "one", "two"])
    try suite.laptop.coffer("device", "revoke", "desktop", "--vault-key-file", suite.key, "--yes")
    let rows = try rows(on: suite.laptop)
    #expect(rows.compactMap(\.account).sorted() == ["late", "one", "own", "two"])
    let own = try #require(rows.first { $0.account == "own" })
    #expect(Set(own.exposedTo.map(\.machine)) == ["desktop"] && own.exposedTo.contains { $0.app == nil })
    try suite.laptop.set("own", "new")
    #expect(try accounts(on: suite.laptop) == ["late", "one", "two"])
  }

  @Test func `Everything that an old vault key opens has to be replaced, on every machine, or is dismissed`() throws {
    try suite.laptop.coffer(
      "vault-key", "rotate", "--vault-key-file", suite.key, "--new-vault-key-file",
      suite.laptop.directory.path("next"))
    try suite.desktop.sync()
    for machine in [suite.laptop, suite.desktop] {
      let rows = try rows(on: machine)
      #expect(rows.compactMap(\.account).sorted() == ["one", "own", "two"])
      #expect(rows.allSatisfy { $0.exposedToVaultKeys == [1] && $0.exposedTo.isEmpty }, "\(rows)")
      #expect(try machine.status("replacementCount") == "3")
      #expect(try machine.coffer("rotate").contains("with vault key 1"))
    }
    try set("one", "after", on: suite.desktop)
    // The same value is as well known as before.
    try set("two", "before", on: suite.desktop)
    try suite.laptop.coffer("rotate", "dismiss", "service", "own", "--reason", "nobody has the old key")
    for machine in [suite.desktop, suite.laptop, suite.desktop] { try machine.sync() }
    for machine in [suite.laptop, suite.desktop] { #expect(try accounts(on: machine) == ["two"]) }
    // A machine that is removed later could read it, too: both are named, and the dismissal counts no more.
    let next = suite.laptop.directory.path("next")
    try suite.laptop.coffer("device", "revoke", "desktop", "--vault-key-file", next, "--yes")
    let later = try rows(on: suite.laptop)
    #expect(later.compactMap(\.account).sorted() == ["one", "own", "two"])
    let (own, one) = (later.first { $0.account == "own" }, later.first { $0.account == "one" })
    #expect(own?.exposedToVaultKeys == [1] && own?.exposedTo.map(\.machine).contains("desktop") == true)
    #expect(one?.exposedToVaultKeys == [] && one?.exposedTo.map(\.machine).contains("desktop") == true)
    #expect(try suite.laptop.coffer("rotate").contains("on desktop, with vault key 1"))
  }
}
