import Coffer
import CofferCrypto
import CofferFormat
import CofferKeys
import CofferStore
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// Items that an owner takes off the list of what to replace.
@Suite struct DismissedItemTests {
  private struct Row: Decodable {
    struct Dismissal: Decodable {
      let number: Int
      let signedBy: String
      let reason: String
    }
    let `class`: String
    let reference: String
    let group: String
    let service: String?
    let account: String?
    let dismissal: Dismissal?
  }

  private let suite: TwoMachines
  private let purchases = "com.example.photo.purchases"

  /// The app loses the group, which has two items.
  init() throws {
    suite = try TwoMachines()
    for account in ["one", "two"] { try set(account, "before") }
    for machine in [suite.desktop, suite.laptop] { try machine.sync() }
    let plist = try suite.laptop.directory.write("narrow.entitlements", entitlementsPlist(app, groups: ["~" + app]))
    try suite.laptop.coffer("app", "add", "--yes", plist)
    try suite.desktop.sync()
  }

  private func set(_ account: String, _ value: String) throws {
    try suite.desktop.coffer("set", "service", account, "--group", purchases, input: value)
  }

  private func rows(on machine: Machine, _ options: String...) throws -> [Row] {
    try JSONDecoder().decode([Row].self, from: Data(machine.succeed("coffer", ["rotate", "--json"] + options).utf8))
  }

  private func accounts(on machine: Machine) throws -> [String] { try rows(on: machine).compactMap(\.account).sorted() }

  @discardableResult
  private func dismiss(_ arguments: String..., on machine: Machine) throws -> Machine.Outcome {
    try machine.start("coffer", ["rotate", "dismiss"] + arguments).wait()
  }

  @Test
  func `A dismissed item is on the list of no machine until something else is removed, and the log has the reason`()
    throws
  {
    let outcome = try dismiss("service", "one", "--reason", "account is closed", on: suite.laptop)
    #expect(outcome.exitCode == 0 && outcome.text == "1 item is dismissed.", "\(outcome)")
    try suite.desktop.sync()
    for machine in [suite.laptop, suite.desktop] {
      #expect(try accounts(on: machine) == ["two"] && machine.status("replacementCount") == "1")
      let all = try rows(on: machine, "--dismissed")
      let one = try #require(all.first { $0.account == "one" }?.dismissal)
      #expect(all.count == 2 && one.reason == "account is closed" && one.signedBy == "the owner on laptop")
      let list = try machine.coffer("rotate", "--dismissed")
      #expect(list.contains("by the owner on laptop: account is closed"), "\(list)")
      #expect(try !machine.coffer("rotate").contains("one"))
      let log = try machine.coffer("log", "--kind", "dismissal")
      #expect(log.contains("dismissed 1 item from the list of what to replace after entry"), "\(log)")
      #expect(log.contains("“account is closed”") && log.contains("\(one.number)  "), "\(log)")
      #expect(try machine.coffer("log", "--verify").contains("Verified"))
      #expect(try machine.coffer("check") == "The store matches its signed objects.")
    }
    let length = try suite.laptop.status("logLength")
    let again = try dismiss("service", "one", "--reason", "another", on: suite.desktop)
    #expect(again.exitCode == 0 && again.errors.contains("nothing to dismiss"), "\(again)")
    #expect(try suite.desktop.status("logLength") == length)
    try suite.laptop.coffer("device", "revoke", "desktop", "--vault-key-file", suite.key, "--yes")
    #expect(try accounts(on: suite.laptop) == ["one", "two"])
  }

  @Test func `Dismissed items are put back on the list by either owner, and all are dismissed at once`() throws {
    let none = try dismiss("--all", "--reason", "unused", on: suite.laptop)
    #expect(none.exitCode == 2 && none.errors.contains("add --yes"), "\(none)")
    #expect(try accounts(on: suite.laptop) == ["one", "two"])
    for options in [["--class", "internet-password"], ["--group", "com.example.photo.free"]] {
      let other = try suite.laptop.start(
        "coffer", ["rotate", "dismiss", "--all", "--yes", "--reason", "unused"] + options
      ).wait()
      #expect(other.exitCode == 0 && other.errors.contains("nothing to dismiss"), "\(other)")
    }
    let all = try dismiss("--all", "--yes", "--reason", "unused", "--group", purchases, "--json", on: suite.laptop)
    let rows = try JSONDecoder().decode([Row].self, from: all.output)
    #expect(rows.count == 2 && rows.allSatisfy { $0.dismissal?.reason == "unused" }, "\(all)")
    try suite.desktop.sync()
    #expect(try accounts(on: suite.desktop).isEmpty)

    let back = try dismiss("--undo", "--reference", rows[0].reference, on: suite.desktop)
    #expect(back.text == "1 item has to be replaced again.", "\(back)")
    try suite.laptop.sync()
    for machine in [suite.laptop, suite.desktop] { #expect(try accounts(on: machine) == [rows[0].account]) }
    #expect(try suite.laptop.coffer("log", "--kind", "dismissal").contains("put 1 item back on the list"))
    // A new value settles the item, dismissed or not.
    try set("one", "after")
    try set("two", "after")
    #expect(try self.rows(on: suite.desktop, "--dismissed").isEmpty)
  }

  @Test func `The reason is asked for on a terminal, after what is dismissed was shown and confirmed`() throws {
    let terminal = try PseudoTerminal(suite.laptop, "rotate", "dismiss", "--all")
    try terminal.await("2 items in ")
    try terminal.await("Go on? [y/N]")
    terminal.type("y\n")
    try terminal.await("Reason: ")
    terminal.type("asked\n")
    #expect(terminal.wait() == 0 && terminal.screen.contains("2 items are dismissed."), "\(terminal.screen)")
    #expect(try rows(on: suite.laptop, "--dismissed").allSatisfy { $0.dismissal?.reason == "asked" })
    let refused = try PseudoTerminal(suite.laptop, "rotate", "dismiss", "--all", "--undo")
    try refused.await("2 items will be on the list")
    try refused.await("Go on? [y/N]")
    refused.type("n\n")
    #expect(refused.wait() == 5 && refused.screen.contains("nothing was changed"), "\(refused.screen)")
    #expect(try accounts(on: suite.laptop).isEmpty)
  }

  @Test
  func `A reason that is missing, empty, too long or no line of text is refused, and so is an item that is not listed`()
    throws
  {
    for (reason, part) in [
      (" ", "the reason is empty"), (String(repeating: "x", count: 257), "257 bytes"),
      ("a\u{1b}[2J", "control character"),
      ("a\nb", "control character"), ("a\u{202E}b", "control character"),
    ] {
      let outcome = try dismiss("service", "one", "--reason", reason, on: suite.laptop)
      #expect(outcome.exitCode == 2 && outcome.errors.contains(part), "\(outcome)")
    }
    let missing = try dismiss("service", "one", on: suite.laptop)
    #expect(missing.exitCode == 2 && missing.errors.contains("add --reason TEXT"), "\(missing)")
    let unknown = try dismiss("service", "three", "--reason", "x", on: suite.laptop)
    #expect(unknown.exitCode == 3 && unknown.errors.contains("coffer rotate --dismissed"), "\(unknown)")
    let group = try dismiss("service", "one", "--group", "none", "--reason", "x", on: suite.laptop)
    #expect(group.exitCode == 4, "\(group)")
    #expect(try accounts(on: suite.laptop) == ["one", "two"])
    let long = try dismiss("service", "one", "--reason", String(repeating: "x", count: 256), on: suite.laptop)
    #expect(long.exitCode == 0, "\(long)")
  }

  @Test func `An item that several groups have is dismissed only with the group or the reference`() throws {
    try suite.laptop.set("own", "x")
    try suite.laptop.coffer("set", "service", "one", "--app", app, input: "before")
    try suite.laptop.sync()
    try suite.laptop.coffer("app", "remove", app, "--yes")
    let outcome = try dismiss("service", "one", "--reason", "x", on: suite.laptop)
    #expect(outcome.exitCode == 2 && outcome.errors.contains("2 items on the list have these names"), "\(outcome)")
    #expect(outcome.errors.contains("--group or --reference"), "\(outcome)")
    #expect(try dismiss("service", "one", "--group", purchases, "--reason", "x", on: suite.laptop).exitCode == 0)
    let left = try rows(on: suite.laptop)
    #expect(left.filter { $0.account == "one" }.map { $0.group.hasSuffix(app) } == [true])
  }

  @Test func `A reason that an altered program signed cannot control a terminal or forge a line`() throws {
    let local = try suite.laptop.local
    let items = try Vault.open(asOwnerOf: local, passphrase: .unavailable).exposedItems { Issue.record("\($0)") }
    let revocation = try #require(items.first).exposure.position.hash
    try suite.laptop.appendEntry(
      .dismissal(
        DismissalStatement(
          of: items.map(\.address), after: revocation, reason: "ok\u{1b}[2J\nadmin: all is well\u{202E}\u{7}")))
    for machine in [suite.laptop, suite.desktop] { try machine.sync() }
    for machine in [suite.laptop, suite.desktop] {
      #expect(try accounts(on: machine).isEmpty)
      for command in [["rotate", "--dismissed"], ["rotate", "--dismissed", "--json"], ["log"], ["log", "--json"]] {
        let text = try machine.succeed("coffer", command)
        let isSafe = text.unicodeScalars.allSatisfy {
          $0 == "\n" || $0.value >= 32 && $0 != "\u{202E}" && $0 != "\u{7F}"
        }
        #expect(isSafe && text.contains("admin: all is well"), "\(command): \(text)")
        #expect(!text.split(separator: "\n").contains { $0.hasPrefix("admin") }, "\(command): \(text)")
      }
    }
    // Nor does a body of another form, or an unknown revocation, end anything.
    try suite.laptop.appendEntry(
      .dismissal(DismissalStatement(of: items.map(\.address), after: EntryHash(.zero), reason: "")))
    try suite.laptop.sync()
    #expect(try accounts(on: suite.laptop).isEmpty)
    #expect(
      try suite.laptop.coffer("log").contains("put 2 items back on the list of what to replace after an unknown entry"))
  }
}

extension Machine {
  /// Signs the next entry of the log as this machine's owner, whose keys have no passphrase, without any check.
  fileprivate func appendEntry(_ statement: Statement) throws {
    let local = try local
    let membership = try local.membership()
    let keys = try local.folder.adminFile.read { try AdminFile(secretBytes: $0) }.open(passphrase: nil)
    let transport = try #require(try local.deviceFile().transportKeys.last)
    let entry = LogEntry(
      vault: membership.vault, after: membership.head, time: .now,
      signer: .admin(AuthorID(vault: membership.vault, keys: keys.publicKeys)), key: keys.signing, statement: statement)
    let envelope = Envelope(
      sealing: entry.bytes, as: .logEntry, key: transport.key, generation: transport.generation)
    try local.store.write { writer in
      try writer.appendLogEntry(
        sequence: entry.sequence, entry: entry.bytes, envelope: envelope.bytes, published: nil)
    }
  }
}
