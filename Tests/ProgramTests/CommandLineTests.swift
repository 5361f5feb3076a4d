import CofferTestSupport
import Foundation
import Testing

@Suite struct CommandLineTests {
  static let commands: [[String]] = [
    [], ["init"], ["clone"], ["sync"], ["status"], ["check"], ["set"], ["get"], ["list"], ["show"], ["delete"], ["app"],
    ["app", "add"], ["health"],
    ["app", "install"], ["app", "list"], ["app", "show"], ["group"], ["group", "list"], ["remote"], ["remote", "set"],
    ["remote", "show"], ["conflicts"], ["history"], ["restore"], ["passphrase"],
    ["passphrase", "set"], ["passphrase", "change"], ["why"], ["log"], ["vault-key"], ["vault-key", "check"],
    ["lock"], ["app", "remove"], ["device"], ["device", "list"], ["device", "revoke"], ["device", "rename"],
    ["device", "invite"],
    ["device", "approve"], ["refused"], ["refused", "list"],
    ["refused", "adopt"], ["rotate"], ["rotate", "list"], ["rotate", "dismiss"],
  ]

  @Test(arguments: commands)
  func `Every command has a help text, on standard output and without a vault`(command: [String]) throws {
    let machine = try Machine()
    let outcome = try machine.start("coffer", command + ["--help"]).wait()
    #expect(outcome.exitCode == 0 && outcome.errors.isEmpty)
    #expect(
      outcome.text.contains("USAGE: coffer \(command.joined(separator: " "))".trimmingCharacters(in: .whitespaces)))
    #expect(outcome.text.contains("OVERVIEW: "))
    #expect(!FileManager.default.fileExists(atPath: machine.home.path))
  }

  @Test func `The help names the exit codes`() throws {
    let text = try Machine().coffer("--help").replacingOccurrences(of: "\n", with: " ")
    for words in ["0 done", "2 usage", "3 not found", "4 not entitled", "5 locked", "7 network", "8 another sync"] {
      #expect(text.contains(words))
    }
  }

  @Test func `--version prints only the version`() throws {
    #expect(try Machine().coffer("--version").wholeMatch(of: /[0-9]+\.[0-9]+\.[0-9]+/) != nil)
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `Completion scripts are printed`(shell: String) throws {
    let machine = try Machine()
    let script = try machine.coffer("--generate-completion-script", shell)
    #expect(script.contains("vault-key-file"))
    for command in Self.commands.compactMap(\.last) { #expect(script.contains(command), "\(command)") }
    for option in [
      "allow-empty", "strip-newline", "forgotten", "new-passphrase-file", "signed-by", "verify", "entitlements",
      "dismissed", "undo", "reason", "force", "revoked", "invite-code-file", "invitations",
    ] {
      #expect(script.contains(option), "\(option)")
    }
    if shell == "bash" {
      let file = try machine.directory.write("completion", script)
      try Command.run("bash", "-n", file)
    }
  }

  @Test(arguments: [
    (["bogus"], "coffer --help"), (["set"], "coffer set --help"), (["get"], "coffer get --help"),
    (["set", "s", "a", "value"], "coffer set --help"), (["get", "s", "a", "--bogus"], "coffer get --help"),
    (["app", "add"], "coffer app add --help"),
    (["init", "--no-passphrase", "--passphrase-file", "x"], "coffer init --help"),
    (["list", "--group"], "coffer list --help"), (["clone"], "coffer clone --help"),
    (["remote", "set"], "coffer remote set --help"),
    (["show", "--class", "key", "a", "b"], "coffer show --help"),
    (["show", "--class", "x", "a"], "coffer show --help"),
    (["show", "--reference", "genp/0"], "coffer show --help"), (["list", "s", "--tree"], "coffer list --help"),
    (["why"], "coffer why --help"), (["vault-key", "check", "key"], "coffer vault-key check --help"),
    (["rotate", "dismiss", "--reason", "x"], "coffer rotate dismiss --help"),
    (["rotate", "dismiss", "s", "--reason", "x"], "coffer rotate dismiss --help"),
    (["rotate", "dismiss", "s", "a", "--all"], "coffer rotate dismiss --help"),
    (["rotate", "dismiss", "s", "a", "--reason", "x", "--undo"], "coffer rotate dismiss --help"),
    (["rotate", "dismiss", "--class", "identity", "l", "--reason", "x"], "coffer rotate dismiss --help"),
    (["rotate", "dismiss", "--reference", "genp/0", "--reason", "x"], "coffer rotate dismiss --help"),
    (["refused", "adopt"], "coffer refused adopt --help"), (["device", "revoke"], "coffer device revoke --help"),
  ])
  func `A wrong command line is exit code 2, with one line that refers to the help`(arguments: [String], help: String)
    throws
  {
    let machine = try Machine()
    let outcome = try machine.start("coffer", arguments).wait()
    expectFailure(outcome, 2, "coffer: ", "see: \(help)")
    #expect(outcome.output.isEmpty)
  }

  @Test func `The JSON of status, app and group has the same content as their text`() throws {
    let machine = try Machine.withExamples()
    try machine.succeed("PhotoPro", ["buy"])
    let status = try machine.json(StatusReport.self, "status")
    let team = status.team
    #expect(team.wholeMatch(of: /[A-Z2-7]{10}/) != nil)
    #expect(status.vault == machine.vault.path)
    #expect(status.machines == [StatusReport.Machine(name: "laptop", isThisMachine: true, isAdmin: true)])
    #expect(status.appCount == 2 && status.groupCount == 3 && status.itemCount == 2 && status.conflictCount == 0)
    #expect(status.remote == nil && status.pendingRecords == 0 && status.refusedRecords == 0)
    #expect(status.unsyncedChanges == status.logLength + 2)
    #expect(status.headPhrase.wholeMatch(of: /[a-z]{5}(-[a-z]{5}){5}/) != nil)
    let text = try machine.coffer("status")
    for part in [
      team, "laptop (this one)", status.headPhrase, "none (coffer remote set URL)", "\(status.unsyncedChanges) changes",
    ] {
      #expect(text.contains(part))
    }

    let apps = try machine.json([AppRow].self, "app", "list")
    #expect(apps.map(\.bundleID) == ["com.example.photo.free", "com.example.photo.pro"])
    #expect(apps.map(\.id) == apps.map { "\(team).\($0.bundleID)" })
    #expect(apps.allSatisfy { $0.hasCredentialHere })
    #expect(
      apps[0].groups == [
        AppRow.Group(group: "\(team).com.example.photo.free", access: "read-write"),
        AppRow.Group(group: "\(team).com.example.photo.purchases", access: "read"),
      ])
    let shown = try machine.json(AppRow.self, "app", "show", "com.example.photo.free")
    #expect(shown.groups == apps[0].groups)
    #expect(try machine.coffer("app", "show", "com.example.photo.free").contains("coffer-read-only-access-groups"))
    #expect(try machine.coffer("app", "list").contains("ready"))
    expectFailure(try machine.run("coffer", "app", "show", "com.example.none"), 4, "registered are")

    let groups = try machine.json([GroupRow].self, "group", "list")
    #expect(groups.map(\.group) == ["free", "pro", "purchases"].map { "\(team).com.example.photo.\($0)" })
    #expect(groups.map(\.itemCount) == [0, 1, 1])
    #expect(groups[2].readers.count == 2 && groups[2].writers == ["\(team).com.example.photo.pro"])
    #expect(groups.allSatisfy { $0.keyGeneration == 1 && $0.conflictCount == 0 })
  }

  @Test func `An empty vault has an empty list, also in JSON`() throws {
    let machine = try Machine()
    try machine.makeVault()
    for command in [["list"], ["app", "list"], ["group", "list"]] {
      #expect(try machine.succeed("coffer", command + ["--json"]).filter { !$0.isWhitespace } == "[]")
    }
    #expect(try machine.run("coffer", "app", "list").errors.contains("coffer app add"))
    let tree = try machine.run("coffer", "list", "--tree")
    #expect(tree.exitCode == 0 && tree.output.isEmpty && tree.errors.contains("no groups; register an app"), "\(tree)")
    #expect(try machine.run("coffer", "list").exitCode == 0)
    expectFailure(try machine.run("coffer", "remote", "show"), 3, "coffer remote set")
  }

  @Test func `Closed standard output ends a command silently`() throws {
    let machine = try Machine.withExamples()
    let outcome = try machine.start(
      "/bin/sh", ["-c", "\"$0\" app show com.example.photo.pro | :", Machine.path(of: "coffer")]
    )
    .wait()
    #expect(!outcome.errors.contains("Fatal") && !outcome.errors.contains("0x"))
  }
}
