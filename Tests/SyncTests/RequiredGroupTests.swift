import CofferTestSupport
import Foundation
import Testing

/// A group that demands that no other program of the user can read its apps' keys.
@Suite struct RequiredGroupTests {
  private let purchases = "com.example.photo.purchases"
  private let pro = "com.example.photo.pro"
  private let free = "com.example.photo.free"

  private struct App: Decodable {
    let enforcement: String
    let hasCredentialHere: Bool
  }

  private func json<Value: Decodable>(_ type: Value.Type, _ machine: Machine, _ arguments: String...) throws -> Value {
    try JSONDecoder().decode(type, from: Data(try machine.succeed("coffer", arguments + ["--json"]).utf8))
  }

  private func expectRefused(
    _ outcome: Machine.Outcome, _ code: Int32 = 4, _ words: String..., at location: SourceLocation = #_sourceLocation
  ) {
    #expect(outcome.exitCode == code, "\(outcome)", sourceLocation: location)
    for word in words { #expect(outcome.errors.contains(word), "\(outcome)", sourceLocation: location) }
  }

  @Test func `Every machine obeys after its next sync: apps with a file open no vault, and say how to install them`()
    throws
  {
    let two = try TwoMachines()
    try two.laptop.succeed("coffer", ["set", "s", "a", "--app", pro], input: "v")
    try two.laptop.sync()
    let changed = try two.laptop.coffer("group", "require", purchases, "strong")
    #expect(changed.hasSuffix("\(purchases) requires: strong"))
    // The desktop does not know it yet.
    #expect(try two.desktop.run("coffer", "list", "--app", pro).exitCode == 0)
    try two.desktop.sync()
    for machine in [two.laptop, two.desktop] {
      for app in [pro, free] {
        expectRefused(
          try machine.run("coffer", "list", "--app", app), 4, "\(purchases) requires that no other program",
          "sudo coffer app install \(app) --setgid PROGRAM")
      }
      expectRefused(try machine.run("PhotoPro"), 1, "requires that no other program")
      #expect(try machine.coffer("app", "list").contains("must be installed: sudo coffer app install \(pro)"))
      #expect(try machine.coffer("group", "list").contains("strong"))
      let why = try machine.run("coffer", "why", pro, purchases)
      #expect(why.text.contains("requires that no other program can, so the vault does not open"), "\(why)")
      // Its owner may still do everything.
      #expect(try machine.coffer("get", "s", "a") == "v")
    }
    #expect(try two.laptop.coffer("log").contains("only to apps that are installed"))
    // Back again.
    try two.laptop.coffer("group", "require", purchases, "none")
    try two.desktop.sync()
    for machine in [two.laptop, two.desktop] { #expect(try machine.run("coffer", "list", "--app", pro).exitCode == 0) }
  }

  @Test func `No machine makes, takes, delivers or clones a credential file for an app of the group`() throws {
    let machines = try MemberMachines()
    try machines.laptop.coffer("group", "require", purchases, "strong")
    try machines.sync(machines.desktop, machines.member)
    let words = "requires that no other program"
    expectRefused(try machines.laptop.run("coffer", "app", "install", pro), 4, words)
    expectRefused(try machines.laptop.run("coffer", "app", "install", pro, "--on", "ci"), 4, words)
    expectRefused(try machines.member.run("coffer", "app", "install", pro), 4, words)
    expectRefused(
      try machines.laptop.run(
        "coffer", "device", "create", "--name", "tests", "--apps", free, "--out", machines.laptop.directory.path("c")),
      4, words)
    // Their owner says that the vault is one of an account that only the app uses.
    try machines.laptop.coffer("app", "install", pro, "--on", "ci", "--own-account")
    // A headless credential that goes into a unit of systemd.
    let credential = try machines.laptop.coffer(
      "device", "create", "--name", "unit", "--apps", free, "--out", "-", "--for-unit")
    try machines.laptop.sync()
    let clone = try Machine()
    try clone.coffer(
      "clone", "--name", "new", "--no-passphrase", "--vault-key-file", machines.key, machines.remote.path)
    #expect(try json([App].self, clone, "app", "list").map(\.enforcement) == ["none", "none"])

    // Only the folder of root's service manager counts as a unit's: any program can name another one.
    let folder = clone.directory.path("credentials")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let file = try clone.directory.write("credentials/coffer", credential, permissions: 0o400)
    let unit = try Machine()
    let variables = ["COFFER_REPOSITORY": machines.remote.path, "COFFER_HOME": ""]
    expectRefused(
      try unit.run("coffer", "list", environment: variables.merging(["CREDENTIALS_DIRECTORY": folder]) { $1 }), 4, words
    )
    expectRefused(
      try unit.run("coffer", "list", environment: variables.merging(["COFFER_CREDENTIAL_FILE": file]) { $1 }), 4, words,
      "LoadCredentialEncrypted=coffer")
  }

  @Test func `A member whose passphrase is forgotten is enrolled anew without the apps of the group`() throws {
    let machines = try MemberMachines()
    try machines.laptop.coffer("group", "require", purchases, "strong")
    try machines.sync(machines.member)
    let new = try machines.member.directory.write("new", "a new passphrase")
    try machines.member.coffer(
      "passphrase", "set", "--forgotten", "--vault-key-file", machines.key, "--new-passphrase-file", new, "--name",
      "anew")
    #expect(try machines.member.roles()["anew"] == "member")
    expectRefused(try machines.member.run("coffer", "list", "--app", pro), 4, "requires that no other program")
  }

  @Test func `An app that is registered for the group gets no file, and is told how it gets a credential`() throws {
    let machine = try Machine()
    try machine.makeVault()
    try machine.register("PhotoPro")
    try machine.coffer("group", "require", purchases, "strong")
    let plist = Machine.entitlements(of: "PhotoFree")
    let added = try machine.run("coffer", "app", "add", plist)
    #expect(
      added.exitCode == 0 && added.errors.contains("sudo coffer app install \(free) --setgid PROGRAM"), "\(added)")
    #expect(try json([App].self, machine, "app", "list").map(\.hasCredentialHere) == [false, true])
  }

  @Test func `An app that may have keys in files does not gain the group, until it is removed or installed`() throws {
    let machine = try Machine()
    try machine.makeVault()
    try machine.register("PhotoPro")
    try machine.coffer("group", "require", purchases, "strong")
    func plist(_ groups: String...) throws -> String {
      try machine.directory.write("Other.entitlements", entitlementsPlist("com.example.other", groups: groups))
    }
    try machine.coffer("app", "add", plist("~com.example.other"))
    let wider = try plist("~com.example.other", "~\(purchases)")
    let before = try machine.coffer("log")
    expectRefused(
      try machine.run("coffer", "app", "add", wider), 4, "\(purchases) requires that no other program",
      "in a file on laptop", "sudo coffer app install com.example.other --setgid PROGRAM")
    #expect(try machine.coffer("log") == before)
    try machine.coffer("app", "remove", "com.example.other", "--yes")
    let added = try machine.run("coffer", "app", "add", wider)
    #expect(added.exitCode == 0 && added.errors.contains("it gets no credential file"), "\(added)")
  }

  @Test func `An app that has keys on another machine does not gain the group, and that machine is named`() throws {
    let two = try TwoMachines()
    try two.laptop.coffer("group", "require", purchases, "strong")
    let narrow = try two.laptop.directory.write(
      "Other.entitlements", entitlementsPlist("com.example.other", groups: ["~com.example.other"]))
    try two.laptop.coffer("app", "add", narrow)
    try two.laptop.sync()
    try two.desktop.sync()
    try two.desktop.coffer("app", "install", "com.example.other")
    try two.laptop.sync()
    let wider = try two.laptop.directory.write(
      "Wider.entitlements",
      entitlementsPlist("com.example.other", groups: ["~com.example.other", "~\(purchases)"]))
    expectRefused(
      try two.laptop.run("coffer", "app", "add", wider), 4, "in a file on desktop, laptop",
      "coffer app remove com.example.other")
  }

  @Test func `Keys that may be in files already are named with the command that revokes them, until it has`() throws {
    struct Report: Decodable {
      struct Keys: Decodable, Hashable { let app, machine: String }
      let keysInFiles: [Keys]
    }
    struct Finding: Decodable { let subject, severity, message, fix: String }
    let two = try TwoMachines()
    let changed = try two.laptop.run("coffer", "group", "require", purchases, "strong")
    for (app, machine) in [(pro, "laptop"), (pro, "desktop"), (free, "laptop"), (free, "desktop")] {
      #expect(changed.errors.contains("coffer app remove \(app) --device \(machine)"), "\(changed)")
    }
    func keys() throws -> [String] {
      try json(Report.self, two.laptop, "group", "require", purchases, "strong").keysInFiles
        .map { "\($0.app.suffix(3)) \($0.machine)" }
    }
    #expect(try keys() == ["ree desktop", "ree laptop", "pro desktop", "pro laptop"])
    func findings(_ app: String) throws -> [Finding] {
      let outcome = try two.laptop.run("coffer", "doctor", "--json")
      return try JSONDecoder().decode([Finding].self, from: outcome.output).filter { $0.subject.hasSuffix(app) }
    }
    #expect(try findings(pro).map(\.severity) == ["problem"])
    // Without the file, a copy of it would still open the group.
    let apps = two.laptop.vault.appending(path: "apps")
    for name in try FileManager.default.contentsOfDirectory(atPath: apps.path) where name.hasSuffix(pro) {
      try FileManager.default.removeItem(at: apps.appending(path: name))
    }
    let lost = try findings(pro)
    #expect(lost.map(\.severity) == ["problem"] && lost[0].message.contains("whoever has a copy"), "\(lost)")
    #expect(lost[0].fix.contains("coffer app remove \(pro) --device laptop"))
    try two.laptop.coffer("app", "remove", pro, "--device", "laptop", "--yes")
    #expect(try findings(pro).isEmpty)
    #expect(try keys() == ["ree desktop", "ree laptop", "pro desktop"])
    // No passphrase protects them, so a lease does not guard them either.
    let lease = try json(Report.self, two.laptop, "group", "require", purchases, "lease").keysInFiles
    #expect(lease.map { "\($0.app.suffix(3)) \($0.machine)" } == ["ree desktop", "ree laptop", "pro desktop"])
    #expect(try json(Report.self, two.laptop, "group", "require", purchases, "none").keysInFiles.isEmpty)
  }

  @Test func `The keys of each machine are named with the command that revokes them`() throws {
    let two = try TwoMachines()
    let other = try Machine()
    try other.coffer(
      "clone", "--name", "desktop", "--no-passphrase", "--vault-key-file", two.key, two.remote.path)
    try other.sync()
    try two.laptop.sync()
    let changed = try two.laptop.run("coffer", "group", "require", purchases, "strong")
    let named = changed.errors.matches(of: /coffer app remove com\.example\.photo\.pro --device (\S+)/)
      .map { String($0.output.1) }
    #expect(named == ["desktop", "desktop-2", "laptop"], "\(changed)")
    for machine in named { try two.laptop.coffer("app", "remove", pro, "--device", machine, "--yes") }
  }

  @Test func `No passphrase is asked for a credential that the group forbids`() throws {
    let machine = try Machine()
    let passphrase = try machine.makeVault(passphrase: "correct horse")
    try machine.coffer("app", "add", Machine.entitlements(of: "PhotoPro"), "--passphrase-file", passphrase)
    try machine.coffer("group", "require", purchases, "strong", "--passphrase-file", passphrase)
    // There is no terminal to ask on.
    expectRefused(try machine.run("coffer", "app", "install", pro), 4, "requires that no other program")
    expectRefused(
      try machine.run("coffer", "app", "install", pro, "--on", "laptop"), 4, "requires that no other program")
  }

  @Test func `A group that does not exist, and a member, are refused by name`() throws {
    let machines = try MemberMachines()
    expectRefused(
      try machines.laptop.run("coffer", "group", "require", "com.example.none", "strong"), 3, "com.example.none",
      "coffer group list")
    expectRefused(try machines.member.run("coffer", "group", "require", purchases, "strong"), 4, "admin")
    #expect(try machines.laptop.run("coffer", "group", "require", purchases, "weak").exitCode == 2)
    struct Report: Decodable { let group, requirement, formerRequirement: String }
    let report = try json(Report.self, machines.laptop, "group", "require", purchases, "lease")
    #expect(report.requirement == "lease" && report.formerRequirement == "none")
    // A lease is the agent's: credentials stay as they are.
    #expect(try machines.laptop.run("coffer", "list", "--app", pro).exitCode == 0)
  }
}
