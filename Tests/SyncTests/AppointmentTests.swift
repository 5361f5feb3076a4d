import Coffer
import CofferAdministration
import CofferCrypto
import CofferFormat
import CofferKeys
import CofferStore
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// Members that become admins, and admins that become members, with the vault key.
@Suite struct AppointmentTests {
  /// The machines of `coffer admin list`.
  private func admins(_ machine: Machine) throws -> [String] {
    struct Row: Decodable { let name: String }
    return try JSONDecoder().decode([Row].self, from: Data(machine.coffer("admin", "list", "--json").utf8)).map(\.name)
      .sorted()
  }

  /// What a new machine says that joins with the vault key.
  private func join(_ suite: MemberMachines, _ machine: Machine) throws -> Machine.Outcome {
    try machine.start(
      "coffer",
      ["clone", "--name", "new", "--no-passphrase", "--vault-key-file", suite.key, suite.remote.path]
    ).wait()
  }

  @Test func `A member's machine removes the admin who began the epoch after it has become an admin's, as advised`()
    throws
  {
    let suite = try MemberMachines()
    try suite.laptop.coffer("compact")
    try suite.sync(suite.member)
    let revocation = ["device", "revoke", "laptop", "--yes", "--vault-key-file", suite.key]
    let refused = try suite.member.start("coffer", revocation).wait()
    #expect(refused.exitCode == 4 && refused.errors.contains("coffer admin add ci && coffer sync"), "\(refused)")
    #expect(try suite.asRoot(on: suite.member, "admin", "add", "ci").exitCode == 0)
    try suite.member.sync()
    let revoked = try suite.member.start("coffer", revocation).wait()
    #expect(revoked.exitCode == 0, "\(revoked)")
    // The desktop was away all the time.
    try suite.desktop.sync()
    #expect(try suite.desktop.status("epoch") == "2")
    let joined = try join(suite, Machine())
    #expect(joined.exitCode == 0, "\(joined)")
  }

  @Test func `The admin's machine that began the epoch does not make itself a member's`() throws {
    let suite = try MemberMachines()
    try suite.laptop.coffer("compact")
    let refused = try suite.asRoot(on: suite.laptop, "admin", "remove", "laptop", "--yes")
    #expect(refused.exitCode == 4 && refused.errors.contains("do this on another admin's machine"), "\(refused)")
    try suite.sync(suite.desktop)
    let removed = try suite.asRoot(on: suite.desktop, "admin", "remove", "laptop", "--yes")
    #expect(removed.exitCode == 0, "\(removed)")
    try suite.sync(suite.member)
    let joined = try join(suite, Machine())
    #expect(joined.exitCode == 0, "\(joined)")
  }

  @Test func `While no admin's machine has signed the beginning of the epoch again, a new machine is told what to do`()
    throws
  {
    let suite = try MemberMachines()
    try suite.laptop.coffer("compact")
    try suite.sync(suite.desktop, suite.member)
    // As a program that does not know that it is needed.
    let opening = try suite.member.local.store.write { writer in
      defer { try? writer.setSetting(.epochOpening, nil) }
      return try writer.setting(.epochOpening)
    }
    try #require(opening != nil)
    let revoked = try suite.asRoot(on: suite.member, "device", "revoke", "laptop", "--yes")
    #expect(revoked.exitCode == 0, "\(revoked)")
    let machine = try Machine()
    let refused = try join(suite, machine)
    #expect(refused.exitCode == 6 && refused.errors.contains("run `coffer sync` on an admin's machine"), "\(refused)")
    try suite.desktop.sync()
    let joined = try join(suite, machine)
    #expect(joined.exitCode == 0, "\(joined)")
  }

  @Test func `A member that root appoints is an admin after its next sync`() throws {
    let suite = try MemberMachines()
    // The item is in a group of which the member has no key.
    try suite.laptop.coffer("set", "service", "free", "--app", MemberMachines.other, input: "value")
    try suite.sync(suite.laptop, suite.member)
    let wrong = try suite.member.directory.write("other-key", "COFFER1-000G-40R4-0M30-E209-185G-R38E-1W8C-PEFZ\n")
    let refused = try suite.laptop.run("coffer", "admin", "add", "ci", "--vault-key-file", wrong)
    #expect(refused.exitCode == 5, "\(refused)")
    let nobody = try suite.laptop.run("coffer", "admin", "add", "ci")
    #expect(nobody.exitCode == 5 && nobody.errors.contains("--vault-key-file"), "\(nobody)")
    let added = try suite.asRoot(on: suite.desktop, "admin", "add", "ci")
    #expect(added.exitCode == 0 && added.text == "ci is an admin after its next sync.", "\(added)")
    let again = try suite.asRoot(on: suite.laptop, "admin", "add", "ci")
    #expect(again.exitCode == 2 && again.errors.contains("ci is an admin already"), "\(again)")
    #expect(try suite.member.addApp("mine").exitCode == 0, "the command syncs first")
    #expect(try admins(suite.member) == ["ci", "desktop", "laptop"])
    #expect(try suite.member.coffer("get", "service", "free", "--group", MemberMachines.other) == "value")
    try suite.sync(suite.laptop, suite.desktop)
    #expect(try suite.laptop.roles()["ci"] == "admin")
    let log = try suite.laptop.coffer("log")
    #expect(log.contains("made the machine ci an admin") && log.contains("the owner on ci"), "\(log)")
    let attributes = try FileManager.default.attributesOfItem(
      atPath: suite.member.vault.appending(path: "admin").path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test func `The keys of an appointed admin are sealed under the machine's passphrase`() throws {
    let suite = try MemberMachines(passphrase: "horse")
    try suite.asRoot(on: suite.laptop, "admin", "add", "ci")
    try suite.sync(suite.member)
    let closed = try suite.member.addApp("mine")
    #expect(closed.exitCode == 5, "\(closed)")
    #expect(!FileManager.default.fileExists(atPath: suite.member.vault.appending(path: "admin").path))
    let wrong = try suite.member.directory.write("wrong", "wrong")
    #expect(try suite.member.addApp("mine", "--passphrase-file", wrong).exitCode == 5)
    #expect(try suite.member.addApp("mine", "--passphrase-file", suite.passphraseFile).exitCode == 0)
    let file = try suite.member.local.folder.adminFile.read { try AdminFile(secretBytes: $0) }
    #expect(file.needsPassphrase)
    #expect(try suite.member.addApp("second").exitCode == 5)
    // A member again, it changes its passphrase. Appointed once more, it needs the old one for nothing.
    #expect(try suite.asRoot(on: suite.laptop, "admin", "remove", "ci", "--yes").exitCode == 0)
    try suite.sync(suite.member)
    let new = try suite.member.directory.write("new", "battery")
    try suite.member.coffer(
      "passphrase", "change", "--passphrase-file", suite.passphraseFile, "--new-passphrase-file", new)
    try suite.asRoot(on: suite.laptop, "admin", "add", "ci")
    #expect(try suite.member.addApp("third", "--passphrase-file", new).exitCode == 0)
  }

  @Test func `A removed admin keeps its machine and apps, and changes nothing any more`() throws {
    let suite = try MemberMachines()
    try suite.desktop.set("before", "1")
    try suite.sync(suite.desktop, suite.laptop)
    let asked = try suite.laptop.run("coffer", "admin", "remove", "desktop", "--yes")
    #expect(asked.exitCode == 5, "\(asked)")
    let removal = try suite.asRoot(on: suite.laptop, "admin", "remove", "desktop", "--yes")
    #expect(removal.exitCode == 0 && removal.text == "desktop is a member.", "\(removal)")
    try suite.sync(suite.desktop)
    try suite.desktop.set("after", "2")
    try suite.sync(suite.desktop, suite.laptop, suite.member)
    for machine in [suite.laptop, suite.desktop, suite.member] {
      #expect(try machine.values() == ["before": "1", "after": "2"])
      #expect(try machine.coffer("check") == "The store matches its signed objects.")
      #expect(try machine.roles() == ["laptop": "admin", "desktop": "member", "ci": "member"])
    }
    #expect(try admins(suite.desktop) == ["laptop"])
    let commands = [
      ["app", "add", Machine.entitlements(of: "PhotoPro")], ["get", "service", "before"],
      ["app", "remove", app, "--yes"],
    ]
    for command in commands {
      let outcome = try suite.desktop.start("coffer", command).wait()
      let words =
        #/desktop, is a member of the vault since its admin was removed on [0-9: -]+ by the vault key \(entry [0-9]+ of/#
      #expect(outcome.exitCode == 4 && outcome.errors.contains(words), "\(outcome)")
      #expect(outcome.errors.contains("on laptop, run: coffer \(command[0])"), "\(outcome)")
    }
    #expect(try suite.laptop.coffer("log").contains("made the machine desktop a member"))
    // Its new apps come from an admin.
    #expect(try suite.laptop.addApp("later").exitCode == 0)
    #expect(try suite.desktop.run("coffer", "app", "install", "com.example.later").exitCode == 4)
    try suite.laptop.coffer("app", "install", "com.example.later", "--on", "desktop")
    try suite.desktop.coffer("app", "install", "com.example.later")
    try suite.desktop.coffer("set", "service", "x", "--app", "com.example.later", input: "3")
    try suite.sync(suite.desktop, suite.laptop)
    #expect(try suite.laptop.coffer("get", "service", "x", "--app", "com.example.later") == "3")
    // Appointed again, it has new keys in place of those in its file.
    try suite.asRoot(on: suite.laptop, "admin", "add", "desktop")
    #expect(try suite.desktop.addApp("again").exitCode == 0)
    #expect(try suite.desktop.coffer("get", "service", "before", "--group", app) == "1")
  }

  /// Makes the desktop a member by a draft on itself. The laptop changes the log before it is pushed.
  private func draftRemoval(in suite: MemberMachines) throws {
    let local = try suite.desktop.local
    let key = try String(contentsOfFile: suite.key, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    _ = try Removal(of: .admin(local.memberMachine(named: "desktop")), from: local).run(
      as: .root(VaultKey(parsing: SecretText(copying: Array(key.utf8)))))
    #expect(try suite.desktop.roles()["desktop"] == "member")
    #expect(try suite.laptop.addApp("first").exitCode == 0)
  }

  @Test func `A draft that removes an admin does not cost its keys when the passphrase is set`() throws {
    let suite = try MemberMachines()
    try draftRemoval(in: suite)
    let new = try suite.desktop.directory.write("new", "horse")
    try suite.desktop.coffer("passphrase", "set", "--new-passphrase-file", new)
    let file = try suite.desktop.local.folder.adminFile.read { try AdminFile(secretBytes: $0) }
    #expect(file.needsPassphrase)
    try suite.sync(suite.desktop)
    #expect(try suite.desktop.roles()["desktop"] == "admin")
    #expect(try suite.desktop.addApp("second", "--passphrase-file", new).exitCode == 0)
  }

  @Test func `A draft that removes an admin does not make it a member when its passphrase was forgotten`() throws {
    let suite = try MemberMachines()
    try draftRemoval(in: suite)
    let new = try suite.desktop.directory.write("new", "horse")
    try suite.desktop.coffer(
      "passphrase", "set", "--forgotten", "--vault-key-file", suite.key, "--new-passphrase-file", new, "--name", "anew")
    #expect(try suite.desktop.roles()["anew"] == "admin")
    #expect(try suite.desktop.addApp("second", "--passphrase-file", new).exitCode == 0)
  }

  @Test func `The last admin is neither removed nor revoked, and the error says how to go on`() throws {
    let suite = try MemberMachines()
    let all = try suite.member.start(
      "coffer", ["device", "revoke", "laptop", "desktop", "--yes", "--vault-key-file", suite.key]
    ).wait()
    #expect(all.exitCode == 2 && all.errors.contains("these machines are all admins of the vault"), "\(all)")
    try suite.asRoot(on: suite.laptop, "admin", "remove", "desktop", "--yes")
    try suite.sync(suite.member)
    let length = try suite.member.status("logLength")
    for (machine, command) in [
      (suite.laptop, ["admin", "remove", "laptop"]), (suite.member, ["admin", "remove", "laptop"]),
      (suite.member, ["device", "revoke", "laptop"]),
    ] {
      let outcome = try machine.start("coffer", command + ["--yes"]).wait()
      #expect(
        outcome.exitCode == 2 && outcome.errors.contains("laptop is the vault's only admin")
          && outcome.errors.contains("coffer admin add NAME"), "\(outcome)")
    }
    let none = try suite.asRoot(on: suite.laptop, "admin", "remove", "desktop", "--yes")
    #expect(none.exitCode == 2 && none.errors.contains("desktop is not an admin"), "\(none)")
    #expect(try suite.member.status("logLength") == length)
    // As the error says: another one first. Then this one can go, also by its own hand.
    try suite.asRoot(on: suite.laptop, "admin", "add", "ci")
    #expect(try suite.asRoot(on: suite.laptop, "admin", "remove", "laptop", "--yes").exitCode == 0)
    #expect(try suite.laptop.addApp("x").exitCode == 4)
    #expect(try suite.member.addApp("x").exitCode == 0)
    #expect(try admins(suite.member) == ["ci"])
  }
}
