import CofferTestSupport
import Foundation
import Testing

/// What `coffer set` does with input that is probably a mistake.
@Suite struct SetInputTests {
  private let app = ["--app", "com.example.photo.pro"]

  @Test func `Empty standard input changes nothing, unless --allow-empty is given`() throws {
    let machine = try Machine.withExamples()
    try machine.succeed("coffer", ["set", "s", "a"] + app, input: "old")
    expectFailure(
      try machine.start("coffer", ["set", "s", "a"] + app).wait(), 2, "nothing was changed", "--allow-empty")
    let stripped = try machine.start("coffer", ["set", "s", "a", "--strip-newline"] + app, input: Data("\n".utf8))
      .wait()
    expectFailure(stripped, 2, "nothing was changed", "--allow-empty")
    #expect(try machine.succeed("coffer", ["get", "s", "a"] + app) == "old")
    try machine.succeed("coffer", ["set", "s", "a", "--allow-empty"] + app)
    #expect(try machine.start("coffer", ["get", "s", "a"] + app).wait().output.isEmpty)
  }

  @Test func `Return at the prompt changes nothing and is not asked for again; --allow-empty asks twice`() throws {
    let machine = try Machine.withExamples()
    try machine.succeed("coffer", ["set", "s", "a"] + app, input: "old")
    let refused = try PseudoTerminal(machine, "set", "s", "a", "--app", "com.example.photo.pro")
    try refused.await("Value of s, a: ")
    refused.type("\n")
    #expect(refused.wait() == 2)
    #expect(refused.screen.contains("nothing was changed") && refused.screen.contains("--allow-empty"))
    #expect(!refused.screen.contains("Once more"))
    #expect(try machine.succeed("coffer", ["get", "s", "a"] + app) == "old")
    let allowed = try PseudoTerminal(machine, "set", "s", "a", "--allow-empty", "--app", "com.example.photo.pro")
    for prompt in ["Value of s, a: ", "Once more: "] {
      try allowed.await(prompt)
      allowed.type("\n")
    }
    #expect(allowed.wait() == 0, "\(allowed.screen)")
    #expect(try machine.start("coffer", ["get", "s", "a"] + app).wait().output.isEmpty)
  }

  @Test func `An item without a service and an account is refused before the prompt, unless --allow-empty is given`()
    throws
  {
    let machine = try Machine.withExamples()
    expectFailure(
      try machine.start("coffer", ["set", "", ""] + app, input: Data("v".utf8)).wait(), 2, "service and account",
      "--allow-empty")
    let terminal = try PseudoTerminal(machine, "set", "", "", "--app", "com.example.photo.pro")
    #expect(terminal.wait() == 2)
    #expect(!terminal.screen.contains("Value of"))
    #expect(try machine.json([ItemRow].self, "list").isEmpty)
    try machine.succeed("coffer", ["set", "", "", "--allow-empty"] + app, input: "v")
    #expect(try machine.json([ItemRow].self, "list").count == 1)
  }

  @Test func `The newline of echo is stored with a note, and --strip-newline removes it`() throws {
    let machine = try Machine.withExamples()
    func set(_ value: String, _ options: String...) throws -> (errors: String, stored: Data) {
      let outcome = try machine.start("coffer", ["set", "s", "a"] + options + app, input: Data(value.utf8)).wait()
      #expect(outcome.exitCode == 0 && outcome.output.isEmpty, "\(outcome)")
      return (outcome.errors, try machine.start("coffer", ["get", "s", "a"] + app).wait().output)
    }
    let noted = try set("x\n")
    #expect(noted.errors.contains("--strip-newline") && noted.stored == Data("x\n".utf8))
    for (value, stored) in [("x\n", "x"), ("x\n\n", "x\n"), ("x", "x"), ("x\ny\n", "x\ny")] {
      let stripped = try set(value, "--strip-newline")
      #expect(stripped.stored == Data(stored.utf8), "\(value)")
    }
    // A text of several lines, such as a key file, ends with a newline for a reason.
    for value in ["x", "x\ny\n", "x\ny"] { #expect(try set(value).errors.isEmpty, "\(value)") }
  }
}
