import CofferTestSupport
import Foundation
import Testing

/// Commands that do not exist, aliases, and the commands that errors name.
@Suite struct UnknownCommandTests {
  @Test(arguments: [
    (["add", "s", "a"], "coffer set, or coffer app add?"), (["insert", "s", "a"], "coffer set?"),
    (["modify", "s", "a"], "coffer edit?"), (["remove", "s", "a"], "coffer delete?"),
    (["remote", "add", "origin", "url"], "coffer remote set?"),
    (
      ["install", "app"],
      "coffer agent install, or coffer bridge install, or coffer secret-service install, or coffer service install, or coffer app install?"
    ),
    (["lsit"], "coffer list?"), (["statsu", "--json"], "coffer status?"), (["conflict"], "coffer conflicts?"),
    (["app", "lst"], "coffer app list?"), (["push"], "coffer sync?"), (["undo"], "coffer restore?"),
    (["browse"], "coffer inspect?"),
    (["item", "get", "s"], "coffer get, or coffer list, or coffer show, or coffer set?"),
    (["help", "ap"], "coffer app?"), (["Set", "s"], "coffer set?"),
  ])
  func `An unknown command is exit code 2, and the error names the command that was probably meant`(
    arguments: [String], suggestion: String
  ) throws {
    let machine = try Machine()
    let outcome = try machine.start("coffer", arguments, input: Data("v".utf8)).wait()
    expectFailure(outcome, 2, "coffer: unknown command '", "did you mean \(suggestion) See: coffer ", "--help")
    #expect(outcome.output.isEmpty)
    let terminal = try PseudoTerminal(machine, program: Machine.path(of: "coffer"), arguments)
    #expect(terminal.wait() == 2)
    #expect(terminal.screen == outcome.errors.replacingOccurrences(of: "\n", with: "\r\n"))
  }

  @Test func `A command of macOS's program leads to the one with its words`() throws {
    let outcome = try Machine().run("coffer", "find-generic-password", "-s", "github.com")
    expectFailure(outcome, 2, "As on macOS: coffer security find-generic-password")
  }

  @Test(arguments: [
    (["help", "nope"], "coffer"), (["help", "remote", "nope"], "coffer remote"),
    (["help", "set", "nope"], "coffer set"),
    (["nope", "--help"], "coffer"), (["nope\u{1B}[2J"], "coffer"),
  ])
  func `Help for an unknown command is exit code 2 as well`(arguments: [String], parent: String) throws {
    let machine = try Machine()
    let outcome = try machine.start("coffer", arguments).wait()
    expectFailure(outcome, 2, "coffer: unknown command; see: \(parent) --help")
    #expect(outcome.output.isEmpty && !outcome.errors.contains("nope"))
  }

  @Test(arguments: [["help"], ["help", "set"], ["help", "remote", "set"], ["help", "ls"], ["remote", "--help"]])
  func `Help for a command, also by its alias, is printed`(arguments: [String]) throws {
    #expect(try Machine().succeed("coffer", arguments).contains("USAGE: coffer"))
  }

  @Test func `ls and rm are list and delete`() throws {
    let machine = try Machine.withExamples()
    let app = ["--app", "com.example.photo.pro"]
    try machine.succeed("coffer", ["set", "s", "a"] + app, input: "v")
    #expect(try machine.succeed("coffer", ["ls"] + app) == machine.succeed("coffer", ["list"] + app))
    for group in ["app", "group"] {
      #expect(try machine.coffer(group, "ls") == machine.coffer(group, "list"))
    }
    try machine.succeed("coffer", ["rm", "s", "a"] + app)
    #expect(try machine.json([ItemRow].self, "list").isEmpty)
  }

  @Test func `list SERVICE lists the items of that service only`() throws {
    let machine = try Machine.withExamples()
    let app = ["--app", "com.example.photo.pro"]
    for (service, account) in [("s", "1"), ("s", "2"), ("server", "1")] {
      try machine.succeed("coffer", ["set", service, account] + app, input: "v")
    }
    let rows = try machine.json([ItemRow].self, "list", "s", "--group", "com.example.photo.pro")
    #expect(rows.map(\.account) == ["1", "2"] && rows.allSatisfy { $0.service == "s" })
    #expect(try machine.json([ItemRow].self, "list", "nothing").isEmpty)
    let terminal = try PseudoTerminal(machine, "list", "nothing")
    let note = "no passwords of this service or server\r\n"
    #expect(terminal.wait() == 0 && terminal.screen == note, "\(terminal.screen)")
  }

  @Test(arguments: ["get", "delete", "history", "restore"])
  func `An error that names a next command repeats the app and the group`(command: String) throws {
    let machine = try Machine.withExamples()
    let arguments = [command, "s", "a"] + (command == "restore" ? ["abcd"] : [])
    let app = ["--app", "com.example.photo.pro"]
    let group = ["--group", "com.example.photo.purchases"]
    func error(_ options: [String]) throws -> String {
      let outcome = try machine.start("coffer", arguments + options).wait()
      expectFailure(outcome, 3)
      return outcome.errors
    }
    #expect(try error(app).hasSuffix(": coffer list --app com.example.photo.pro\n"))
    #expect(try error(group).hasSuffix(": coffer list --group com.example.photo.purchases\n"))
    let both = try error(app + ["--group", "$(AppIdentifierPrefix)com.example.photo.pro"])
    #expect(
      both.hasSuffix(
        ": coffer list --app com.example.photo.pro --group '$(AppIdentifierPrefix)com.example.photo.pro'\n"))
    // The shell reads the command as it was meant.
    let named = both.split(separator: ": ").last.map(String.init) ?? ""
    let run = try machine.start(
      "/bin/sh", ["-c", named], environment: ["PATH": "\(Machine.programs.path):/usr/bin:/bin"]
    ).wait()
    #expect(run.exitCode == 0, "\(named): \(run)")
  }
}
