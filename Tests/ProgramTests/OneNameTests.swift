import ArgumentParser
import CofferTerminal
import CofferTestSupport
import Foundation
import Testing

@testable import CofferProgram

/// Commands that get the service alone, and how what they have changed is undone.
@Suite struct OneNameTests {
  private let machine: Machine

  init() throws {
    machine = try Machine.withExamples()
    machine.environment["COFFER_APP"] = "com.example.photo.pro"
    try machine.coffer("set", "github.com", "jane", input: "one")
    try machine.coffer("set", "github.com", "jane", input: "two")
  }

  private struct Version: Decodable { let version: String }

  /// The commands that take one password that exists.
  private static let commands = [
    ["get"], ["show"], ["history"], ["delete"], ["edit", "--label", "Code"], ["copy", "--service", "copy"],
    ["move", "--to", "com.example.photo.purchases"], ["otp", "code"], ["otp", "remove"],
  ]

  @Test func `edit, copy, move and otp take the only password of a service, too`() throws {
    try machine.coffer("edit", "github.com", "--label", "Code")
    #expect(try machine.coffer("get", "github.com", "--field", "label") == "Code")
    try machine.coffer("copy", "github.com", "--service", "copy")
    #expect(try machine.coffer("get", "copy", "jane") == "two")
    try machine.coffer("otp", "add", "github.com", input: "JBSWY3DPEHPK3PXP")
    #expect(try machine.coffer("otp", "code", "github.com").count == 6)
    try machine.coffer("otp", "remove", "github.com")
    try machine.coffer("move", "github.com", "--to", "com.example.photo.purchases")
    #expect(try machine.coffer("get", "github.com", "jane", "--group", "com.example.photo.purchases") == "two")
    // A name that no password has is an error as before.
    expectFailure(try machine.run("coffer", "edit", "gitlab.com", "--label", "x"), 3, "there is no such item")
  }

  @Test func `If two groups have the only account, each command that takes one password names the groups`() throws {
    let machine = try Machine()
    try machine.coffer("group", "create", "work")
    for (group, value) in [("coffer.personal", "own"), ("work", "of work")] {
      try machine.coffer("set", "--group", group, "github.com", "jane", input: value)
      try machine.coffer("otp", "add", "--group", group, "github.com", "jane", input: "JBSWY3DPEHPK3PXP")
    }
    let team = try machine.team()
    let scene = AdviceScene(machine)
    for command in [["get"], ["show"], ["otp", "code"], ["edit", "--label", "my code"], ["copy", "--service", "c"]] {
      let outcome = try machine.start("coffer", command + ["github.com"]).wait()
      expectFailure(outcome, 2, "2 access groups have a password of github.com jane")
      let commands = AdviceScene.commands(in: outcome.errors)
      #expect(commands.count == 2, "\(outcome)")
      for (group, typed) in zip(["coffer.personal", "work"], commands) {
        #expect(typed.hasSuffix("--group \(team).\(group)"), "\(typed)")
        #expect(try scene.run(typed).exitCode == 0, "\(typed)")
      }
    }
    #expect(try machine.coffer("get", "--group", "work", "github.com", "--field", "label") == "my code")
    // After a word that could be an option, none counts any more.
    let separated = try machine.run("coffer", "get", "--", "github.com")
    let typed = try #require(AdviceScene.commands(in: separated.errors).last)
    #expect(try scene.run(typed).text == "of work", "\(typed)")
    // Whoever names the account gets that of the first group, and a list of versions has all of them.
    #expect(try machine.coffer("get", "github.com", "jane") == "own")
    let history = try machine.coffer("history", "github.com")
    #expect(try history == machine.coffer("history", "github.com", "jane"))
    #expect(history.contains("coffer.personal") && history.contains("work"), "\(history)")
    expectFailure(
      try machine.run("coffer", "delete", "github.com"), 2, "2 access groups have this item", "--all-groups")
    try machine.coffer("delete", "github.com", "--all-groups")
    #expect(try machine.run("coffer", "get", "github.com").exitCode == 3)
  }

  @Test func `Without an account, every command takes the only password of the service`() throws {
    for command in ["get", "show", "history"] {
      #expect(try machine.coffer(command, "github.com") == machine.coffer(command, "github.com", "jane"))
    }
    let first = try #require(try machine.json([Version].self, "history", "github.com").last)
    try machine.coffer("restore", "github.com", first.version)
    #expect(try machine.coffer("get", "github.com") == "one")
    #expect(try machine.coffer("delete", "github.com").hasPrefix("Deleted github.com jane from "))
    // A deleted item has versions, too.
    try machine.coffer("restore", "github.com", first.version)
    #expect(try machine.coffer("get", "github.com", "jane") == "one")
    // The item that has no account is meant before any other.
    try machine.coffer("set", "github.com", input: "none")
    #expect(try machine.coffer("get", "github.com") == "none")
    #expect(try machine.json([Version].self, "history", "github.com").count == 1)
    #expect(try machine.coffer("delete", "github.com").hasPrefix("Deleted github.com from "))
  }

  @Test func `Of several passwords of a service, the accounts are named`() throws {
    try machine.coffer("set", "github.com", "joe", input: "three")
    for command in Self.commands {
      let outcome = try machine.start("coffer", command + ["github.com"]).wait()
      expectFailure(outcome, 2, "github.com has 2 accounts", "name one: jane, joe")
    }
    expectFailure(try machine.run("coffer", "restore", "github.com", "0000"), 2, "name one: jane, joe")
    try machine.coffer("delete", "github.com", "joe")
    try machine.coffer("delete", "github.com", "jane")
    let deleted = try machine.run("coffer", "history", "github.com")
    expectFailure(deleted, 2, "2 passwords of github.com were deleted", "jane, joe")
  }

  /// Runs the command that follows "To undo: ".
  private func undo(_ text: String) throws {
    let command = try #require(text.split(separator: "To undo: ").last).split(whereSeparator: \.isNewline)[0]
    #expect(command.hasPrefix("coffer restore github.com jane "), "\(text)")
    try machine.succeed("coffer", command.split(separator: " ").dropFirst().map(String.init))
  }

  @Test func `A generated value in place of another, and a deletion on a terminal, say how they are undone`() throws {
    let replaced = try machine.run("coffer", "set", "--generate", "github.com", "jane")
    #expect(replaced.exitCode == 0 && replaced.errors.contains("The item had another value."), "\(replaced)")
    #expect(try machine.coffer("get", "github.com", "jane") != "two")
    try undo(replaced.errors)
    #expect(try machine.coffer("get", "github.com", "jane") == "two")
    let terminal = try PseudoTerminal(machine, "delete", "github.com")
    #expect(terminal.wait() == 0)
    try undo(terminal.screen)
    #expect(try machine.coffer("get", "github.com", "jane") == "two")
    // Nothing was lost.
    #expect(try machine.run("coffer", "set", "--generate", "new", "jane").errors.isEmpty)
  }

  @Test func `Who interrupts the first prompt has no vault, and the prompt shows the names that were given`() throws {
    let machine = try Machine()
    let terminal = try PseudoTerminal(machine, "set", "github.com")
    try terminal.await("Value of github.com: ")
    terminal.type("\u{3}")
    #expect(terminal.wait() != 0)
    #expect(!FileManager.default.fileExists(atPath: machine.vault.path))
  }

  @Test func `The short option of pass copies, and a time without its unit is none`() throws {
    #expect(try #require(CofferCommand.parseAsRoot(["get", "-c", "github.com"]) as? GetCommand).clipboard.clip)
    for text in ["5", "5d", "s", "", "1 h"] { #expect(IdleTime(text) == nil) }
    #expect(IdleTime("5m")?.seconds == 300)
    let outcome = try machine.run("coffer", "unlock", "--idle", "5")
    expectFailure(outcome, 2, "from 1 second to 24 hours, such as 90s, 10m or 1h")
  }
}
