import CofferSystem
import CofferTestSupport
import Foundation
import Testing

/// A secret that somebody types in the place of another argument: no program prints it.
@Suite struct SecretArgumentTests {
  private static let secret = "Hunter2-s3cret"

  /// Runs command lines, some at a time, and expects that none prints the secret.
  private func expectSilence(_ program: String, _ lines: [[String]]) throws {
    let machine = try Machine()
    var rest = lines[...]
    while !rest.isEmpty {
      let some = rest.prefix(8)
      rest = rest.dropFirst(8)
      let running = try some.map { line in (line, try machine.start(program, line)) }
      for (line, run) in running {
        let outcome = try run.wait()
        let text = outcome.text + outcome.errors
        #expect(!text.localizedCaseInsensitiveContains("hunter2"), "\(program) \(line): \(outcome)")
        #expect(outcome.exitCode != 0 && !outcome.errors.isEmpty, "\(program) \(line): \(outcome)")
        #expect(outcome.errors.split(separator: "\n").count < 20, "\(program) \(line): \(outcome)")
      }
    }
  }

  @Test func `No command prints an argument that is one too many`() throws {
    let lines = try CommandTree.read().leaves.compactMap { leaf -> [[String]]? in
      // `coffer security` takes the words of macOS's tool, and `coffer run` those of a program.
      guard let count = leaf.positionalCount else { return nil }
      let names = leaf.words + (0..<count).map { "name\($0)" }
      return [names + [Self.secret], names + ["-", Self.secret, Self.secret + "2"]]
    }.flatMap(\.self)
    #expect(lines.count > 150)
    try expectSilence("coffer", lines)
    try expectSilence("coffer", [["set", "foo", "bar", Self.secret], ["set", "foo", "bar", "x\n' \(Self.secret)"]])
  }

  @Test func `No command prints an unknown option with a value, or what follows one hyphen`() throws {
    let lines = try CommandTree.read().leaves.filter { $0.name != "security" }.flatMap { leaf in
      [leaf.words + ["--value=\(Self.secret)"], leaf.words + ["-\(Self.secret)"], leaf.words + ["--\(Self.secret)"]]
    }
    try expectSilence("coffer", lines)
    let known = try Machine().run("coffer", "list", "--jsn", "--group=\(Self.secret)")
    expectFailure(known, 2, "Unknown option '--jsn'. Did you mean '--json'?", "see: coffer list --help")
  }

  @Test func `No command prints a value that an option or a flag does not take`() throws {
    var seen: Set<String> = []
    let lines = try CommandTree.read().leaves.filter { $0.name != "security" }.flatMap { leaf in
      leaf.arguments.flatMap { argument -> [[String]] in
        guard let name = argument.long, !["--help", "--version"].contains(name),
          seen.insert("\(name) \(argument.kind)").inserted
        else { return [] }
        // The last option is none: the command does not run, whatever the first takes.
        let end = ["--no-such-option"]
        return argument.kind == "flag"
          ? [leaf.words + ["\(name)=\(Self.secret)"] + end]
          : [leaf.words + [name, Self.secret] + end, leaf.words + [name, "' is invalid for '\(Self.secret)"] + end]
      }
    }
    #expect(lines.count > 100)
    try expectSilence("coffer", lines)
  }

  @Test func `No program prints an argument that it does not know`() throws {
    let unknown = [
      [Self.secret], [Self.secret, "two"], ["--value=\(Self.secret)"], ["-\(Self.secret)"], ["--\(Self.secret)"],
    ]
    let programs = [
      "coffer", "coffer-sync", "coffer-agent", "coffer-inspect", "coffer-secret-service", "coffer-import",
      "coffer-transport",
    ]
    for program in programs where FileManager.default.isExecutableFile(atPath: Machine.path(of: program)) {
      try expectSilence(program, unknown)
    }
    try expectSilence(
      "coffer",
      ["app", "help", "security", "remote", "otp add --new a b"].map {
        $0.split(separator: " ").map(String.init) + [Self.secret]
      })
    try expectSilence("coffer-sync", [["sync", Self.secret], ["sync", "--timeout", Self.secret]])
  }

  @Test func `What the parser may quote in a form that is not known is not printed`() {
    #expect(UsageMistake.text("Something new about '\(Self.secret)'") == "wrong arguments")
    #expect(UsageMistake.text("") == "wrong arguments")
    #expect(UsageMistake.text("--raw and --json exclude each other") == "--raw and --json exclude each other")
    let invalid = "The value '\(Self.secret)' is invalid for '--x <y>': give a number"
    #expect(UsageMistake.text(invalid) == "The value is invalid for '--x <y>': give a number")
  }
}
