import CofferTestSupport
import Foundation
import Testing

@testable import CofferProgram

/// What `coffer doctor` finds, and how it says to fix it.
@Suite struct DoctorCommandTests {
  private struct Finding: Decodable {
    let check, severity, subject, message, fix: String
    let isFixed: Bool
  }

  private func findings(on machine: Machine, _ exitCode: Int32) throws -> [Finding] {
    let outcome = try machine.run("coffer", "doctor", "--json")
    #expect(outcome.exitCode == exitCode, "\(outcome)")
    return try JSONDecoder().decode([Finding].self, from: Data(outcome.text.utf8))
  }

  /// Syncs the vault with a repository, so that it is not on this machine only.
  private func share(_ machine: Machine) throws {
    let remote = machine.home.appending(path: "remote.git").path
    try Command.run("git", "init", "--quiet", "--bare", remote)
    try machine.coffer("remote", "set", remote)
    try machine.coffer("sync")
  }

  @Test func `An app whose keys other programs can read is advice, with the command that installs it`() throws {
    let machine = try Machine()
    let passphrase = try machine.makeVault(passphrase: "correct horse")
    try share(machine)
    #expect(
      try machine.coffer("doctor") == "Nothing was found that is wrong or weakens the protection of this vault here.")
    try machine.coffer("app", "add", Machine.entitlements(of: "PhotoPro"), "--passphrase-file", passphrase)
    let found = try findings(on: machine, 0)
    #expect(found.map(\.check) == ["apps"] && found.map(\.severity) == ["advice"])
    #expect(found.first?.subject.hasSuffix(".com.example.photo.pro") == true)
    #expect(found.first?.fix.contains("sudo coffer app install com.example.photo.pro --setgid PROGRAM") == true)
  }

  @Test func `The advice for a vault that 'coffer set' has created can be carried out, until nothing is found`() throws
  {
    let machine = try Machine()
    let (passphrase, key) = (try machine.directory.write("passphrase", "correct horse"), machine.directory.path("key"))
    let remote = machine.home.appending(path: "remote.git").path
    try Command.run("git", "init", "--quiet", "--bare", remote)
    try machine.coffer("set", "example.com", input: "s3cret")
    try machine.register("PhotoPro")
    // What a person would type.
    let answers: KeyValuePairs = [
      "coffer passphrase set": ["--new-passphrase-file", passphrase],
      "coffer vault-key show": ["--vault-key-file", key],
    ]
    let texts = ["remote set URL": "remote set \(remote)"]
    var carriedOut: [String] = []
    while let finding = try findings(on: machine, 0).first {
      // The last command: of two ways, the first one needs root.
      var command = try #require(finding.fix.components(separatedBy: ": ").last)
      for (text, typed) in texts { command.replace(text, with: typed) }
      let words = command.split(separator: " ").map(String.init)
      try #require(words.first == "coffer" && !carriedOut.contains(command), "\(finding) \(carriedOut)")
      carriedOut.append(command)
      let typed = answers.first { $0.key == command }?.value ?? []
      let outcome = try machine.start("coffer", Array(words.dropFirst()) + typed).wait()
      try #require(outcome.exitCode == 0, "\(command): \(outcome)")
      if command == "coffer passphrase set" { machine.environment["COFFER_PASSPHRASE_FILE"] = passphrase }
      #expect(
        try !findings(on: machine, 0).contains { $0.subject == finding.subject && $0.message == finding.message })
    }
    #expect(carriedOut.count == 5, "\(carriedOut)")
    #expect(try machine.coffer("get", "example.com") == "s3cret")
  }

  @Test func `Owner's keys without a passphrase are advice, and a file where the group forbids it is a problem`() throws
  {
    let machine = try Machine()
    try machine.makeVault()
    try machine.register("PhotoPro")
    #expect(try findings(on: machine, 0).map(\.subject).first == "the owner's keys")
    try machine.coffer("group", "require", "com.example.photo.purchases", "strong")
    let problem = try #require(try findings(on: machine, 1).first { $0.severity == "problem" })
    #expect(problem.check == "apps" && problem.subject.hasSuffix(".com.example.photo.pro"))
  }

  @Test func `Files that other users can open are problems, and the command given fixes them`() throws {
    let machine = try Machine()
    try machine.makeVault(passphrase: "correct horse")
    try share(machine)
    let file = machine.vault.appending(path: "admin").path
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: machine.vault.path)
    let found = try findings(on: machine, 1)
    #expect(found.map(\.check) == ["files", "files"] && found.map(\.severity) == ["problem", "problem"])
    #expect(found.last?.subject == file && found.last?.message.contains("mode 644") == true)
    for finding in found {
      let command = try #require(finding.fix.components(separatedBy: "with: ").last)
      try Command.run("sh", "-c", command)
    }
    #expect(try findings(on: machine, 0).isEmpty)
  }

  @Test func `A store that differs from its signed objects, and files that others can open, are fixed on request`()
    throws
  {
    let machine = try Machine()
    let passphrase = try machine.makeVault(passphrase: "correct horse")
    try machine.coffer("set", "--generate", "example.com", "--passphrase-file", passphrase)
    try share(machine)
    // The app of the owner's own group is advice, which nobody fixes without a decision.
    let isRepairable = { (finding: Finding) in ["files", "store"].contains(finding.check) }
    let (store, admin) = (
      machine.vault.appending(path: "store.sqlite").path, machine.vault.appending(path: "admin").path
    )
    try Command.run("sqlite3", store, "UPDATE record SET value = x'00' WHERE id = (SELECT min(id) FROM record)")
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: admin)
    let found = try findings(on: machine, 1).filter(isRepairable)
    #expect(found.map(\.check) == ["files", "store"] && found.allSatisfy { $0.isFixed == false })
    #expect(found.last?.fix.contains("coffer check --repair") == true)
    let outcome = try machine.run("coffer", "doctor", "--fix", "--json")
    let fixed = try JSONDecoder().decode([Finding].self, from: Data(outcome.text.utf8)).filter(isRepairable)
    #expect(outcome.exitCode == 0 && fixed.map(\.check) == ["files", "store"] && fixed.allSatisfy(\.isFixed))
    #expect(try findings(on: machine, 0).filter(isRepairable).isEmpty)
    #expect(try machine.run("coffer", "get", "example.com", "--passphrase-file", passphrase).exitCode == 0)
  }

  @Test func `A check that cannot be done is a problem, and what others have found and fixed is reported`() throws {
    let machine = try Machine()
    try machine.makeVault()
    let admin = machine.vault.appending(path: "admin").path
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: admin)
    // Without a folder for the user's units, nobody knows whether backups are scheduled.
    let outcome = try machine.run(
      "coffer", "doctor", "--fix", "--json", environment: ["HOME": "", "XDG_CONFIG_HOME": ""])
    let found = try JSONDecoder().decode([Finding].self, from: Data(outcome.text.utf8))
    #expect(outcome.exitCode == 1 && found.contains { $0.check == "files" && $0.isFixed }, "\(outcome)")
    let failed = try #require(found.first { $0.check == "backups" })
    #expect(failed.severity == "problem" && failed.message.contains("HOME is not set") && !failed.isFixed)
  }

  @Test func `A clock that is more than five minutes behind what another machine has written is a problem`() {
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    #expect(ClockCheck.finding(writer: "desktop", wrote: now + 300, now: now) == nil)
    let finding = ClockCheck.finding(writer: "desktop", wrote: now + 301, now: now)
    #expect(finding?.severity == .problem && finding?.message.contains("desktop") == true)
  }

  @Test func `A vault on one machine without a remote is advice, and a sync that fails is a problem`() throws {
    let machine = try Machine()
    try machine.makeVault(passphrase: "correct horse")
    let alone = try #require(try findings(on: machine, 0).first)
    #expect(alone.check == "vault" && alone.severity == "advice" && alone.fix.contains("coffer remote set URL"))
    try share(machine)
    try FileManager.default.removeItem(at: machine.home.appending(path: "remote.git"))
    #expect(try machine.run("coffer", "sync").exitCode != 0)
    let failing = try #require(try findings(on: machine, 1).first)
    #expect(failing.check == "vault" && failing.severity == "problem" && failing.message.contains("has failed"))
  }

  #if os(Linux)
    @Test func `A folder of the agent that others can open, and a silent agent, are problems`() throws {
      let scene = try AgentScene()
      try scene.unlock()
      let process = try #require(try scene.agents().first)
      kill(process, SIGSTOP)
      let silent = try findings(on: scene.machine, 1).filter { $0.check == "agent" }
      kill(process, SIGCONT)
      #expect(silent.map(\.severity) == ["problem"] && silent.first?.fix.contains("kill -KILL \(process)") == true)
      let folder = scene.machine.directory.path("run")
      try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
      let open = try findings(on: scene.machine, 1).filter { $0.check == "agent" }
      #expect(open.map(\.subject) == [folder])
    }

    @Test(.enabled(if: PrivateSystem.isAvailable, "only root can install apps, in a namespace with mounts of its own"))
    func `An installed app is no finding, until its program is replaced or its group gets a member`() throws {
      let scene = try InstalledScene()
      func doctor() throws -> Machine.Outcome {
        try scene.system.run(["/usr/local/bin/coffer", "doctor", "--json"], as: "alice")
      }
      func found(_ outcome: Machine.Outcome) throws -> [Finding] {
        try JSONDecoder().decode([Finding].self, from: Data(outcome.text.utf8)).filter { $0.check == "installations" }
      }
      let sound = try doctor()
      #expect(try sound.exitCode == 0 && found(sound).isEmpty, "\(sound)")
      try scene.system.succeed(["gpasswd", "--add", "alice", try scene.group()])
      let joined = try doctor()
      let member = try #require(try found(joined).first)
      #expect(joined.exitCode == 1 && member.message.contains("alice") && member.fix.contains("gpasswd --delete"))
      try scene.system.succeed(["gpasswd", "--delete", "alice", try scene.group()])
      try scene.system.succeed(["sh", "-c", "cp \(InstalledScene.program) new && mv new \(InstalledScene.program)"])
      let replaced = try #require(try found(doctor()).first)
      #expect(replaced.message.contains("is not the one that was installed") && replaced.fix.contains("app reinstall"))
    }
  #endif
}
