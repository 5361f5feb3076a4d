import CofferTestSupport
import Foundation
import Testing

/// What a person keeps without any app.
@Suite struct PersonalSecretTests {
  @Test func `The first secret needs one command: it creates the vault, and says so in a line`() throws {
    let machine = try Machine()
    let first = try machine.run("coffer", "set", "github.com", "jane", input: Data("s3cret".utf8))
    #expect(first.exitCode == 0, "\(first)")
    #expect(
      first.errors.split(separator: "\n").count == 1 && first.errors.contains("coffer vault-key show"), "\(first)")
    #expect(try machine.coffer("get", "github.com", "jane") == "s3cret")
    let second = try machine.run("coffer", "set", "gitlab.com", input: Data("other".utf8))
    #expect(second.exitCode == 0 && second.errors.isEmpty, "\(second)")
    #expect(try machine.coffer("get", "gitlab.com") == "other")
    // The only account of a service needs no name; of two, both are named.
    #expect(try machine.coffer("get", "github.com") == "s3cret")
    try machine.coffer("set", "github.com", "joe", input: "third")
    expectFailure(try machine.run("coffer", "get", "github.com"), 2, "2 accounts", "jane, joe")
    #expect(try machine.coffer("list").contains("coffer.personal"))
    try machine.coffer("rm", "github.com", "jane")
    #expect(try machine.coffer("get", "github.com") == "third")
    #expect(try machine.json(StatusReport.self, "status").appCount == 1)
  }

  @Test func `Reading creates no vault`() throws {
    let machine = try Machine()
    for command in [["get", "github.com"], ["list"], ["rm", "github.com"]] {
      let outcome = try machine.start("coffer", command).wait()
      expectFailure(outcome, 1, "there is no vault", "coffer set")
    }
    #expect(!FileManager.default.fileExists(atPath: machine.home.path))
  }

  @Test func `In a vault with a passphrase, it is asked for once, for the group and for its first secret`() throws {
    let machine = try Machine()
    let passphrase = try machine.makeVault(passphrase: "correct horse")
    expectFailure(try machine.run("coffer", "set", "a", input: Data("x".utf8), wrapper: ["setsid", "--wait"]), 5)
    let terminal = try PseudoTerminal(machine, "set", "a", "b")
    try terminal.await("The access group coffer.personal is created now, for what you store without naming a group")
    try terminal.await("Ctrl-C stores nothing and creates no group")
    try terminal.await("Passphrase of laptop (to create coffer.personal): ")
    terminal.type("correct horse\n")
    try terminal.await("Value of")
    terminal.type("1\n")
    try terminal.await("Once more")
    terminal.type("1\n")
    #expect(terminal.wait() == 0)
    #expect(terminal.screen.ranges(of: "Passphrase of").count == 1, "\(terminal.screen)")
    // It protects what is stored from then on, too.
    for command in [["get", "a", "b"], ["read", "coffer:///a/b"], ["show", "a", "b"], ["list"]] {
      expectFailure(try machine.start("coffer", command, wrapper: ["setsid", "--wait"]).wait(), 5)
    }
    expectFailure(try machine.run("coffer", "set", "b", input: Data("2".utf8), wrapper: ["setsid", "--wait"]), 5)
    #expect(try machine.coffer("get", "a", "b", "--passphrase-file", passphrase) == "1")
  }

  @Test func `A value that is empty or cannot be read is an error before anybody is asked for the passphrase`() throws {
    let machine = try Machine()
    try machine.makeVault(passphrase: "correct horse")
    for group in [[], ["--group", "coffer.personal"]] {
      let nobody = ["setsid", "--wait"]
      let empty = try machine.start("coffer", ["set", "a"] + group, input: Data(), wrapper: nobody).wait()
      expectFailure(empty, 2, "the value is empty")
      let missing = try machine.start("coffer", ["set", "a", "--from-file", "/missing"] + group, wrapper: nobody).wait()
      expectFailure(missing, 2, "/missing")
    }
    #expect(try !machine.coffer("group", "list").contains("coffer.personal"))
  }

  @Test func `COFFER_APP names the app of a shell, and an empty --app the owner`() throws {
    let machine = try Machine.withExamples()
    machine.environment["COFFER_APP"] = "com.example.photo.pro"
    try machine.coffer("set", "api.example.com", "jane", input: "token")
    let row = try machine.coffer("show", "api.example.com", "jane")
    #expect(row.contains("com.example.photo.pro"), "\(row)")
    try machine.coffer("set", "api.example.com", "jane", "--app", "", input: "own")
    #expect(try machine.coffer("get", "api.example.com", "jane") == "token")
    machine.environment["COFFER_APP"] = nil
    #expect(
      try machine.coffer("get", "api.example.com", "jane", "--group", "coffer.personal") == "own")
  }

  @Test func `Two commands that set the first secrets at once create one vault`() throws {
    for _ in 0..<5 {
      let machine = try Machine()
      let running = try (0..<4).map {
        try machine.start("coffer", ["set", "service-\($0)"], input: Data("\($0)".utf8))
      }
      for program in running { #expect(try program.wait().exitCode == 0) }
      for index in 0..<4 { #expect(try machine.coffer("get", "service-\(index)") == "\(index)") }
      #expect(try machine.vaultNames() == ["default"])
    }
  }
}
