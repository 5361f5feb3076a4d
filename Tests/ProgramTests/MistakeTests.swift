import CofferTestSupport
import Foundation
import Testing

/// Usual mistakes, each with an error that says what to do instead.
@Suite struct MistakeTests {
  @Test(arguments: ["git@github.com", "git@github.com/jane/vault.git", "jane@host"])
  func `A user and a host without a path are no folder`(url: String) throws {
    let machine = try Machine()
    try machine.makeVault()
    expectFailure(try machine.run("coffer", "remote", "set", url), 2, "without a path", "user@host:path")
    #expect(try machine.run("coffer", "remote", "show").exitCode == 3)
    // A folder can have any name.
    let folder = "\(machine.directory.path)/a@b"
    try Command.run("git", "init", "--quiet", "--bare", folder)
    #expect(try machine.coffer("remote", "set", folder).contains("a@b"))
  }

  @Test(arguments: [
    (["device", "invite", "--expires", "90"], "24h, 90d, 12w or 1y"),
    (["device", "create", "--expires", "soon"], "such as 2027-03-01"),
    (["service", "install", "--interval", "15"], "90s, 15m or 2h"),
    (
      ["show", "--class", "password", "a"],
      "one of 'generic-password', 'internet-password', 'certificate', 'key' or 'identity'; "
    ),
    (["get", "--class", "password", "a", "b"], "one of 'generic-password' and 'internet-password'; "),
  ])
  func `A value of another form than its option takes is answered with that form`(arguments: [String], form: String)
    throws
  {
    let machine = try Machine()
    let outcome = try machine.start("coffer", arguments).wait()
    expectFailure(outcome, 2, "is invalid for", form, "see: coffer \(arguments[0])")
  }

  @Test(arguments: [
    (["generate"], "coffer set --generate SERVICE ACCOUNT"),
    (["mv", "a", "b"], "coffer edit SERVICE ACCOUNT --service NEW"),
    (["uninstall"], "README.md"),
    (["remote", "delete"], "coffer remote remove"),
  ])
  func `A command that other programs have is answered with the way to the same`(arguments: [String], way: String)
    throws
  {
    let machine = try Machine()
    let outcome = try machine.start("coffer", arguments).wait()
    expectFailure(outcome, 2, "unknown command '", way)
  }

  @Test func `The command for a random value that the error names stores one of 20 characters`() throws {
    let machine = try Machine.withExamples()
    let advice = try machine.run("coffer", "generate").errors
    let command = try #require(advice.firstMatch(of: /coffer set .*/)).0.replacing("SERVICE ACCOUNT", with: "s a")
    let app = "com.example.photo.pro"
    let run = try machine.start(
      "/bin/sh", ["-c", "\(command) --app \(app)"], environment: ["PATH": "\(Machine.programs.path):/usr/bin:/bin"]
    ).wait()
    #expect(run.exitCode == 0, "\(run)")
    #expect(try machine.run("coffer", "get", "s", "a", "--app", app).output.count == 20)
  }

  @Test func `A vault without the file of its machine's keys says how to go on`() throws {
    let machine = try Machine.withExamples()
    try FileManager.default.removeItem(at: machine.vault.appending(path: "device"))
    let outcome = try machine.run("coffer", "status")
    #expect(outcome.exitCode == 1, "\(outcome)")
    for part in ["No such file", "move the folder \(machine.vault.path)", "as a new machine: coffer clone URL"] {
      #expect(outcome.errors.contains(part), "\(outcome)")
    }
  }
}
