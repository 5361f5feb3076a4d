import Coffer
import CofferAdministration
import CofferCrypto
import CofferFormat
import CofferTestSupport
import CofferVault
import Foundation
import Testing

/// Forks of the log that the owner ends with `coffer log resolve`: two admins whom the host has shown different logs.
@Suite struct ResolvedForkTests {
  private let suite: TwoMachines
  /// The tips of the branches: the laptop's has the app "one", the desktop's the app "two".
  private let laptops: String
  private let desktops: String
  /// The tip that both have seen, and the number of the last entry there.
  private let shared: String
  private let length: Int
  /// The desktop as it was then.
  private let copy: Machine

  init() throws {
    suite = try TwoMachines()
    try suite.desktop.sync()
    shared = suite.remote.tip
    copy = try suite.desktop.copied()
    length = try #require(Int(suite.laptop.status("logLength")))
    #expect(try suite.laptop.addApp("one").exitCode == 0)
    try suite.laptop.coffer("set", "service", "of one", "--app", "com.example.one", input: "first")
    try suite.laptop.sync()
    laptops = suite.remote.tip
    try suite.remote.serve(shared)
    #expect(try suite.desktop.addApp("two").exitCode == 0)
    desktops = suite.remote.tip
    // The laptop sees both.
    let sync = try suite.laptop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("coffer log resolve"), "\(sync)")
  }

  private func resolve(on machine: Machine, _ arguments: String...) throws -> Machine.Outcome {
    try machine.start("coffer", ["log", "resolve", "--vault-key-file", suite.key] + arguments).wait()
  }

  private func syncAll(_ machines: Machine...) throws { for machine in machines { try machine.sync() } }

  private func names(_ machine: Machine) throws -> String { try machine.coffer("app", "list") }

  @Test func `The owner keeps one branch, the remote gets it back, and the other machine follows it`() throws {
    let outcome = try resolve(on: suite.laptop, "--yes")
    #expect(outcome.exitCode == 0 && outcome.text.contains("after entry \(length) has ended"), "\(outcome)")
    #expect(try suite.laptop.status("logFork") == "none")
    #expect(try names(suite.laptop).contains("com.example.one"))
    #expect(try suite.laptop.coffer("get", "service", "of one", "--app", "com.example.one") == "first")
    // The desktop is told, and loses nothing of what it wrote.
    try suite.desktop.set("meanwhile", "kept")
    let sync = try suite.desktop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("to end the fork on the other branch"), "\(sync)")
    try suite.desktop.coffer("clone", "--rejoin", "--accept-fork", suite.remote.path)
    try syncAll(suite.desktop, suite.laptop, suite.desktop)
    #expect(try suite.desktop.status("headPhrase") == suite.laptop.status("headPhrase"))
    #expect(try !names(suite.desktop).contains("com.example.two"))
    #expect(try suite.laptop.get("meanwhile") == "kept")
    // Membership can change again, on both.
    #expect(try suite.laptop.addApp("three").exitCode == 0)
    #expect(try suite.desktop.addApp("four").exitCode == 0)
    try syncAll(suite.laptop)
    #expect(try names(suite.laptop).contains("com.example.four"))
  }

  @Test func `A new machine and a third one see no fork, also if the host shows the other branch again`() throws {
    #expect(try resolve(on: suite.laptop, "--yes").exitCode == 0)
    let third = try Machine()
    try third.coffer("clone", "--no-passphrase", "--vault-key-file", suite.key, suite.remote.path)
    #expect(try names(third).contains("com.example.one"))
    let genuine = suite.remote.tip
    try suite.remote.serve(desktops)
    for machine in [suite.laptop, third] {
      let sync = try machine.run("coffer", "sync")
      #expect(sync.exitCode == 6 && sync.errors.contains("root has rejected its branch"), "\(sync)")
      #expect(try machine.status("logFork") == "none")
      try suite.remote.serve(desktops)
    }
    try suite.remote.serve(genuine)
    for machine in [suite.laptop, third] { _ = try machine.run("coffer", "sync") }
    try syncAll(suite.laptop, third)
    #expect(try suite.laptop.addApp("three").exitCode == 0)
  }

  @Test func `What stays and what is given up is shown and asked for, and nothing changes without an answer`() throws {
    let head = try suite.laptop.status("headPhrase")
    let outcome = try resolve(on: suite.laptop)
    #expect(outcome.exitCode == 2 && outcome.errors.contains("add --yes"), "\(outcome)")
    let text = outcome.errors
    let kept = try #require(text.range(of: "What stays"))
    let rejected = try #require(text.range(of: "What is given up"))
    #expect(text[kept.upperBound..<rejected.lowerBound].contains("com.example.one"))
    #expect(text[rejected.upperBound...].contains("com.example.two"))
    #expect(try suite.laptop.status("headPhrase") == head)
    #expect(try suite.laptop.status("logFork") != "none")
  }

  @Test func `The JSON lists the entries of both branches`() throws {
    struct Report: Decodable {
      struct Entry: Decodable {
        let kind: String
        let what: String
      }
      let forkedAfter: Int
      let kept: [Entry]
      let rejected: [Entry]
      let groupsGivenUp: [String]
    }
    let outcome = try resolve(on: suite.laptop, "--yes", "--json")
    let report = try JSONDecoder().decode(Report.self, from: Data(outcome.text.utf8))
    #expect(report.forkedAfter == length)
    #expect(report.kept.contains { $0.kind == "app" && $0.what.contains("com.example.one") })
    #expect(report.rejected.contains { $0.kind == "app" && $0.what.contains("com.example.two") })
    #expect(report.groupsGivenUp.contains { $0.hasSuffix("com.example.two") })
    #expect(try suite.laptop.coffer("log", "-n", "1").contains("ended a fork of the log on this branch"))
  }

  @Test func `A log that has not forked is left alone, and a wrong vault key changes nothing`() throws {
    let wrong = try suite.laptop.directory.write(
      "wrong", "coffer-vault-key-1-0000-0000-0000-0000-0000-0000-0000-0000-0000-0000-0000-0000-0000")
    let refused = try suite.laptop.run("coffer", "log", "resolve", "--yes", "--vault-key-file", wrong)
    #expect(refused.exitCode == 5, "\(refused)")
    #expect(try suite.laptop.status("logFork") != "none")
    #expect(try resolve(on: suite.laptop, "--yes").exitCode == 0)
    let head = try suite.laptop.status("headPhrase")
    let again = try resolve(on: suite.laptop, "--yes")
    #expect(again.exitCode == 2 && again.errors.contains("has not forked"), "\(again)")
    #expect(try suite.laptop.status("headPhrase") == head)
  }

  @Test
  func `A fork that was ended on both branches is named by both machines, and ends when one of them decides again`()
    throws
  {
    try suite.remote.serve(laptops)
    _ = try suite.desktop.run("coffer", "sync")
    try suite.remote.serve(desktops)
    #expect(try resolve(on: suite.desktop, "--yes").exitCode == 0)
    let resolvedByDesktop = suite.remote.tip
    try suite.remote.serve(laptops)
    #expect(try resolve(on: suite.laptop, "--yes").exitCode == 0)
    let resolvedByLaptop = suite.remote.tip
    for (machine, other) in [(suite.laptop, resolvedByDesktop), (suite.desktop, resolvedByLaptop)] {
      try suite.remote.serve(other)
      let sync = try machine.run("coffer", "sync")
      #expect(sync.exitCode == 6 && sync.errors.contains("to end the fork on the other branch"), "\(sync)")
      #expect(try machine.status("logFork") != "none")
    }
    let asked = try resolve(on: suite.desktop)
    #expect(asked.exitCode == 2 && asked.errors.contains("This takes that back"), "\(asked)")
    let last = try resolve(on: suite.desktop, "--yes")
    #expect(last.exitCode == 0, "\(last)")
    #expect(try suite.desktop.status("logFork") == "none")
    // The laptop follows.
    _ = try suite.laptop.run("coffer", "sync")
    try suite.laptop.coffer("clone", "--rejoin", "--accept-fork", suite.remote.path)
    try syncAll(suite.laptop, suite.desktop)
    #expect(try suite.laptop.status("headPhrase") == suite.desktop.status("headPhrase"))
    #expect(try suite.laptop.status("logFork") == "none" && suite.desktop.status("logFork") == "none")
    #expect(try names(suite.laptop).contains("com.example.two"))
  }

  @Test func `Nothing is rejected that the owner has not seen`() throws {
    let resolution = ForkResolution(in: try suite.laptop.local)
    let seen = try resolution.preview()
    let key = try VaultKey(parsing: SecretText(copying: String(contentsOfFile: suite.key, encoding: .utf8).utf8))
    // A copy of the desktop signs a third branch, which the laptop sees after the owner has looked.
    try suite.remote.serve(shared)
    #expect(try copy.addApp("three").exitCode == 0)
    _ = try suite.laptop.run("coffer", "sync")
    let head = try suite.laptop.status("headPhrase")
    let error = #expect(throws: VaultError.self) { try resolution.run(with: key, accepting: seen) }
    #expect(error?.message.contains("have changed since") == true)
    #expect(try suite.laptop.status("headPhrase") == head && suite.laptop.status("logFork") != "none")
    let rejected = try resolution.preview().rejected.map(\.action)
    #expect(
      rejected.contains { $0.contains("com.example.two") } && rejected.contains { $0.contains("com.example.three") })
    #expect(try resolve(on: suite.laptop, "--yes").exitCode == 0)
    #expect(try suite.laptop.status("logFork") == "none")
  }
}

/// A fork of which both branches replace a group's key.
@Suite struct RecoveredKeyTests {
  @Test func `What apps wrote under a key of the branch that is given up is read on the one that stays`() throws {
    let suite = try TwoMachines()
    for name in ["first", "second", "keeper"] {
      let plist = try suite.laptop.directory.write(
        "\(name).entitlements", entitlementsPlist("com.example.\(name)", groups: ["~com.example.shared"]))
      try suite.laptop.coffer("app", "add", plist)
    }
    try suite.desktop.sync()
    try suite.desktop.coffer("app", "install", "com.example.keeper")
    let keeper = ["--app", "com.example.keeper"]
    func set(_ account: String, on machine: Machine) throws {
      let set = try machine.start("coffer", ["set", "service", account] + keeper, input: Data(account.utf8)).wait()
      #expect(set.exitCode == 0, "\(set)")
    }
    try set("before", on: suite.desktop)
    for machine in [suite.desktop, suite.laptop, suite.desktop] { try machine.sync() }
    let shared = suite.remote.tip
    // The desktop replaces the key twice, the laptop once.
    try suite.desktop.coffer("app", "remove", "com.example.second", "--yes")
    try set("under two", on: suite.desktop)
    try suite.desktop.coffer("app", "remove", "com.example.first", "--yes")
    try set("under three", on: suite.desktop)
    try suite.desktop.sync()
    let desktops = suite.remote.tip
    try suite.remote.serve(shared)
    try suite.laptop.coffer("app", "remove", "com.example.first", "--yes")
    try set("own", on: suite.laptop)
    try suite.laptop.sync()
    let laptops = suite.remote.tip
    for (machine, tip) in [(suite.laptop, desktops), (suite.desktop, laptops)] {
      try suite.remote.serve(tip)
      #expect(try machine.run("coffer", "sync").exitCode == 6)
    }
    let resolve = try suite.laptop.run("coffer", "log", "resolve", "--yes", "--vault-key-file", suite.key)
    #expect(resolve.exitCode == 0 && resolve.errors.contains("remove them here as well"), "\(resolve)")
    // A new machine takes the desktop's segments, which name entries that root has rejected, for no contradiction.
    let third = try Machine()
    try third.coffer("clone", "--no-passphrase", "--vault-key-file", suite.key, suite.remote.path)
    _ = try suite.desktop.run("coffer", "sync")
    try suite.desktop.coffer("clone", "--rejoin", "--accept-fork", suite.remote.path)
    for machine in [suite.desktop, suite.laptop, suite.desktop] { _ = try machine.run("coffer", "sync") }
    try third.sync()
    // The second app was removed on the desktop's branch only: it must not get the keys that were to keep it out.
    for (account, code) in [("under two", Int32(6)), ("own", 0)] {
      let get = try third.start("coffer", ["get", "service", account] + keeper).wait()
      #expect(get.exitCode == code, "\(account): \(get)")
    }
    try suite.laptop.coffer("app", "remove", "com.example.second", "--yes")
    let again = try suite.laptop.run("coffer", "log", "resolve", "--yes", "--vault-key-file", suite.key)
    #expect(again.exitCode == 0 && again.text.contains("opens now"), "\(again)")
    for machine in [suite.desktop, third] { try machine.sync() }
    for machine in [suite.laptop, suite.desktop, third] {
      for account in ["before", "under two", "under three", "own"] {
        let get = try machine.start("coffer", ["get", "service", account] + keeper).wait()
        #expect(get.exitCode == 0 && get.text == account, "\(account): \(get)")
      }
    }
    let done = try suite.laptop.run("coffer", "log", "resolve", "--yes", "--vault-key-file", suite.key)
    #expect(done.exitCode == 2 && done.errors.contains("has not forked"), "\(done)")
    // Nothing is damaged, and later items are sealed under the log's own keys.
    try set("later", on: suite.desktop)
    try suite.desktop.sync()
    try suite.laptop.sync()
    #expect(try suite.laptop.run("coffer", "check").exitCode == 0)
    #expect(try suite.laptop.start("coffer", ["get", "service", "later"] + keeper).wait().text == "later")
  }
}
