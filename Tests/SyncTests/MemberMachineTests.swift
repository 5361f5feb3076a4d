import CofferCrypto
import CofferFormat
import CofferKeys
import CofferStore
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// A member: a machine that has the apps that an admin gives to it, and changes nothing of the membership.
@Suite struct MemberMachineTests {
  private func run(_ suite: MemberMachines, _ command: [String]) throws -> Machine.Outcome {
    try suite.member.start("coffer", command, input: Data("value".utf8)).wait()
  }

  @Test func `A member reads and writes with its apps, and has no key of anything else`() throws {
    let suite = try MemberMachines()
    #expect(try suite.laptop.roles() == ["laptop": "admin", "desktop": "admin", "ci": "member"])
    try suite.laptop.set("from the laptop", "1")
    try suite.sync(suite.laptop, suite.member)
    try suite.member.set("from the member", "2")
    try suite.sync(suite.member, suite.laptop, suite.desktop)
    for machine in [suite.member, suite.laptop, suite.desktop] {
      #expect(try machine.values() == ["from the laptop": "1", "from the member": "2"])
      #expect(try machine.coffer("check") == "The store matches its signed objects.")
    }
    // Of the other app it has nothing, and no admin keys.
    #expect(try run(suite, ["get", "service", "x", "--app", MemberMachines.other]).exitCode == 4)
    let names = Set(try FileManager.default.contentsOfDirectory(atPath: suite.member.vault.path))
    #expect(!names.contains("admin") && names.contains("delivery"))
    let membership = try suite.member.local.membership()
    let own = try #require(suite.member.local.machine(in: membership))
    #expect(own.role == .member && membership.holders(on: own.id).count == 1)
    let readable = membership.groups.values.filter { group in
      membership.holders(on: own.id).contains { group.generations.last?.boxes[$0] != nil }
    }
    #expect(readable.count < membership.groups.count)
    #expect(try suite.member.coffer("status").contains("member: changes of membership are made on desktop or laptop"))
    #expect(!(try suite.member.coffer("status").contains("No credential here")))
    #expect(try suite.member.coffer("app", "list").contains("not given to this machine by an admin"))
  }

  @Test func `An admin gives a member an app, and the member takes it; also when it has lost its credential`() throws {
    let suite = try MemberMachines()
    let other = MemberMachines.other
    var install = try run(suite, ["app", "install", other])
    #expect(
      install.exitCode == 4 && install.errors.contains("no admin has given \(other) to this machine, ci")
        && install.errors.contains("on desktop or laptop, run: coffer app install \(other) --on ci"), "\(install)")
    let given = try suite.laptop.run("coffer", "app", "install", other, "--on", "ci")
    #expect(
      given.exitCode == 0 && given.text.contains("is given to ci")
        && given.errors.contains("run on ci: coffer app install \(other)"), "\(given)")
    let length = try suite.laptop.status("logLength")
    #expect(try suite.laptop.coffer("app", "install", other, "--on", "ci").contains("was already given to ci"))
    #expect(try suite.laptop.status("logLength") == length)
    // The command syncs by itself.
    install = try run(suite, ["app", "install", other])
    #expect(install.exitCode == 0 && install.text.contains("has a credential on this machine"), "\(install)")
    try suite.member.coffer("set", "service", "free", "--app", other, input: "value")
    try suite.sync(suite.member, suite.laptop)
    #expect(try suite.laptop.coffer("get", "service", "free", "--app", other) == "value")
    // A lost credential comes from the log, without an admin and without the remote.
    try FileManager.default.removeItem(at: suite.member.credential(of: other))
    let head = try suite.member.status("headPhrase")
    try FileManager.default.moveItem(atPath: suite.remote.path, toPath: suite.remote.path + ".away")
    #expect(try suite.member.coffer("status").contains("No credential here"))
    #expect(try run(suite, ["app", "install", other]).exitCode == 0)
    #expect(try suite.member.coffer("get", "service", "free", "--app", other) == "value")
    #expect(try suite.member.status("headPhrase") == head)
  }

  @Test func `An admin gives an app to a machine that has joined since the admin's last sync`() throws {
    let suite = try TwoMachines()
    let new = try Machine()
    try new.coffer(
      "clone", "--member", "--name", "service", "--no-passphrase", "--vault-key-file", suite.key, suite.remote.path)
    let given = try suite.laptop.coffer("app", "install", app, "--on", "service")
    #expect(given.contains("is given to service"), "\(given)")
    try new.coffer("app", "install", app)
    let unknown = try suite.laptop.run("coffer", "app", "install", app, "--on", "nothing")
    #expect(unknown.exitCode == 3 && unknown.errors.contains("is named nothing"), "\(unknown)")
  }

  @Test func `What an admin has delivered opens with the machine's delivery file and with no other key of the machine`()
    throws
  {
    let suite = try MemberMachines()
    let other = MemberMachines.other
    try suite.laptop.coffer("app", "install", other, "--on", "ci")
    try suite.sync(suite.member)
    let local = try suite.member.local
    let membership = try local.membership()
    let machine = try #require(local.machine(in: membership))
    let author = try #require(
      membership.authors.values.first { author in
        author.device == machine.id && author.application?.bundleID.description == other
      })
    let delivery = try #require(author.delivery)
    let credential = try Credential(secretBytes: [UInt8](Data(contentsOf: suite.member.credential(of: app))))
    // The program that syncs has the first of them.
    let appKeys = try credential.open(passphrase: nil, in: local.membership().vault)
    for keys in [try local.deviceFile().keys, appKeys] {
      #expect(throws: CryptoError.authenticationFailed) {
        try delivery.open(with: keys.agreement, expecting: author.keys)
      }
    }
    let file = suite.member.vault.appending(path: "delivery")
    let own = try Data(contentsOf: file)
    try FileManager.default.removeItem(at: file)
    let missing = try run(suite, ["app", "install", other])
    #expect(missing.exitCode == 6 && missing.errors.contains("/delivery is missing; restore the file"), "\(missing)")
    try Command.run("cp", "-a", suite.laptop.vault.appending(path: "delivery").path, file.path)
    let foreign = try run(suite, ["app", "install", other])
    #expect(
      foreign.exitCode == 6 && foreign.errors.contains("the keys that were delivered to this machine do not open"),
      "\(foreign)")
    #expect(try !FileManager.default.fileExists(atPath: suite.member.credential(of: other).path))
    try own.write(to: file)
    try suite.member.coffer("app", "install", other)
    try suite.member.coffer("set", "service", "free", "--app", other, input: "value")
  }

  @Test func `An app that is taken from a member works again after it was given anew`() throws {
    let suite = try MemberMachines()
    try suite.laptop.coffer("app", "remove", app, "--device", "ci", "--yes")
    try suite.sync(suite.member)
    for command in [["get", "service", "x", "--app", app], ["app", "install", app]] {
      #expect(try run(suite, command).exitCode == 4, "\(command)")
    }
    #expect(try suite.laptop.coffer("app", "install", app, "--on", "ci").contains("is given to ci"))
    try suite.member.coffer("app", "install", app)
    try suite.member.set("again", "value")
    try suite.sync(suite.member, suite.laptop)
    #expect(try suite.laptop.get("again") == "value")
  }

  @Test func `What only an admin may do names an admin's machine and the command to run there`() throws {
    let suite = try MemberMachines()
    let plist = Machine.entitlements(of: "PhotoPro")
    let commands = [
      ["app", "add", plist], ["app", "remove", app, "--yes"], ["app", "install", app, "--on", "laptop"],
      ["app", "install", app, "--on", "desktop"], ["get", "service", "it's"], ["set", "service", "x", "--group", app],
      ["refused", "list"],
    ]
    let before = try suite.member.status("logLength")
    for command in commands {
      let outcome = try run(suite, command)
      let advice = ["get", "set"].contains(command[0]) ? "act as an app with --app APP; or " : ""
      let words = command.map { $0 == "it's" ? "'it'\\''s'" : $0 }.joined(separator: " ")
      #expect(
        outcome.exitCode == 4 && outcome.output.isEmpty
          && outcome.errors.contains(
            "this machine, ci, is a member of the vault, and only an admin may do this; \(advice)on desktop or laptop, run: coffer \(words)"
          ), "\(outcome)")
    }
    #expect(try suite.member.status("logLength") == before)
    let inspect = try suite.member.run("coffer", "inspect", "--no-open")
    #expect(
      inspect.exitCode == 4
        && inspect.errors.contains("see what an app sees with --app APP; or on desktop or laptop, run"),
      "\(inspect)")
  }

  @Test func `A member removes neither another member nor, without the vault key, an admin`() throws {
    let suite = try MemberMachines()
    try Machine().coffer(
      "clone", "--member", "--name", "other", "--no-passphrase", "--vault-key-file", suite.key, suite.remote.path)
    try suite.sync(suite.member)
    let before = try suite.member.status("logLength")
    let member = try run(suite, ["device", "revoke", "other", "--yes"])
    #expect(
      member.exitCode == 4
        && member.errors.contains(
          "this machine, ci, is a member of the vault, and only an admin may do this; on desktop or laptop, run: coffer device revoke other --yes"
        ), "\(member)")
    for command in [["device", "revoke", "laptop", "--yes"], ["admin", "remove", "laptop", "--yes"]] {
      let admin = try run(suite, command)
      #expect(admin.exitCode == 5 && admin.errors.contains("--vault-key-file"), "\(admin)")
    }
    #expect(try suite.member.status("logLength") == before)
    try suite.sync(suite.laptop)
    #expect(try suite.laptop.roles() == ["laptop": "admin", "desktop": "admin", "ci": "member", "other": "member"])
  }

  @Test func `What a member signs into the log of the remote is named and refused by everybody`() throws {
    let suite = try MemberMachines()
    let local = try suite.member.local
    let credential = try Credential(secretBytes: [UInt8](Data(contentsOf: suite.member.credential(of: app))))
    let statement = Statement.device(
      DeviceStatement(
        keys: PartyKeys.random().publicKeys, role: .member(delivery: AgreementKey.random().publicKey), name: "forged"))
    let own = try credential.open(passphrase: nil, in: local.membership().vault)
    for keys in [own, try local.deviceFile().keys] {
      let head = try suite.laptop.local.membership().head
      let entry = LogEntry(
        vault: try local.membership().vault, after: head, time: .now,
        signer: .admin(AuthorID(vault: try local.membership().vault, keys: keys.publicKeys)), key: keys.signing,
        statement: statement)
      let sealed = try suite.member.seal(entry, at: entry.sequence)
      for machine in [suite.laptop, suite.desktop] {
        // The first machine takes it off.
        try suite.remote.tamper { try Data(sealed.file).write(to: $0.appending(path: sealed.path)) }
        let sync = try machine.run("coffer", "sync")
        #expect(
          sync.exitCode == 6 && sync.errors.contains("a log entry \(entry.sequence) that is not valid"), "\(sync)")
        #expect(try machine.local.membership().head == head)
      }
      // The next change takes its place.
      #expect(try suite.laptop.addApp("after\(entry.sequence)").exitCode == 0)
      try suite.sync(suite.laptop, suite.desktop, suite.member)
      #expect(try suite.member.roles() == ["laptop": "admin", "desktop": "admin", "ci": "member"])
    }
  }

  @Test func `A member opens a locked app with its passphrase, changes it, and stays a member if it is forgotten`()
    throws
  {
    let (remote, laptop, member) = (try TemporaryRemote(), try Machine(), try Machine())
    let owner = try laptop.makeVault(name: "laptop", passphrase: "laptop's")
    let key = laptop.directory.path("vault-key")
    let plist = try laptop.directory.write(
      "locked.entitlements", entitlementsPlist("com.example.locked", groups: ["~com.example.locked"]))
    try laptop.coffer("app", "add", "--locked", plist, "--passphrase-file", owner)
    try laptop.coffer("remote", "set", remote.path)
    try laptop.sync()
    let passphrase = try member.directory.write("passphrase", "member's")
    try member.coffer(
      "clone", "--member", "--name", "ci", "--passphrase-file", passphrase, "--vault-key-file", key, remote.path)
    let locked = "com.example.locked"
    try laptop.sync()
    try laptop.coffer("app", "install", locked, "--on", "ci", "--passphrase-file", owner)
    func install(_ file: String) throws -> Int32? {
      try member.run("coffer", "app", "install", locked, "--passphrase-file", file).exitCode
    }
    func get(_ file: String) throws -> String {
      try member.coffer("get", "service", "x", "--app", locked, "--passphrase-file", file)
    }
    #expect(try install(member.directory.write("wrong", "wrong")) == 5)
    #expect(try install(passphrase) == 0)
    try member.coffer("set", "service", "x", "--app", locked, "--passphrase-file", passphrase, input: "value")
    #expect(try get(passphrase) == "value")
    // The key that opens what was delivered is sealed too.
    let file = try member.local.folder.deliveryFile.read { try DeliveryFile(secretBytes: $0).needsPassphrase }
    #expect(file)
    let new = try member.directory.write("new", "member's new one")
    try member.coffer("passphrase", "change", "--passphrase-file", passphrase, "--new-passphrase-file", new)
    try FileManager.default.removeItem(at: member.credential(of: locked))
    #expect(try install(passphrase) == 5)
    #expect(try install(new) == 0)
    #expect(try get(new) == "value")
    let third = try member.directory.write("third", "a third one")
    try member.coffer(
      "passphrase", "change", "--forgotten", "--vault-key-file", key, "--new-passphrase-file", third, "--name", "ci2")
    #expect(try member.roles() == ["laptop": "admin", "ci": "member", "ci2": "member"])
    #expect(try get(third) == "value")
    try FileManager.default.removeItem(at: member.credential(of: locked))
    #expect(try install(new) == 5)
    #expect(try install(third) == 0)
    try member.sync()
  }

  @Test func `Clone refuses apps without --member, an unknown app, and --member with --rejoin`() throws {
    let two = try TwoMachines()
    let machine = try Machine()
    func clone(_ options: String...) throws -> Machine.Outcome {
      try machine.start(
        "coffer", ["clone", "--no-passphrase", "--vault-key-file", two.key] + options + [two.remote.path]
      ).wait()
    }
    #expect(try clone("--app", app).exitCode == 2)
    #expect(try clone("--member", "--rejoin").exitCode == 2)
    let unknown = try clone("--member", "--app", "com.example.none")
    #expect(unknown.exitCode == 4 && unknown.errors.contains("com.example.none"), "\(unknown)")
    #expect(!FileManager.default.fileExists(atPath: machine.vault.path))
    let none = try clone("--member", "--name", "empty")
    #expect(none.exitCode == 0 && none.text.contains("This machine is a member, with 0 apps ready."), "\(none)")
    try two.laptop.sync()
    #expect(try two.laptop.status("logFork") == "none")
    #expect(try two.laptop.roles()["empty"] == "member")
  }
}
