import CofferTestSupport
import Foundation
import Testing

/// Names whose bytes are not UTF-8, as a terminal or a disk of another encoding gives them to a program.
@Suite struct TextEncodingTests {
  /// Runs a line of a shell on a machine, in which `coffer` is the program, and `caf` and `fac` are two names in
  /// Latin-1.
  private func shell(_ line: String, on machine: Machine, input: String = "") throws -> Machine.Outcome {
    let names = "a=$(printf 'caf\\351'); b=$(printf 'caf\\352'); "
    return try machine.run(
      "/bin/sh", "-c", names + line, input: Data(input.utf8),
      environment: ["PATH": "\(Machine.programs.path):/usr/bin:/bin"])
  }

  @Test func `Two names that are not UTF-8 do not become one item`() throws {
    let machine = try Machine.withExamples()
    let options = "--app com.example.photo.pro"
    for (name, value) in [("a", "first"), ("b", "second")] {
      let outcome = try shell("coffer set \"$\(name)\" jane \(options)", on: machine, input: value)
      expectFailure(outcome, 2, "coffer: argument 2 is not UTF-8; ")
      #expect(!outcome.errors.contains("caf"))
    }
    let list = try machine.coffer("list", "--app", "com.example.photo.pro")
    #expect(!list.contains("caf"))
    expectFailure(try shell("coffer get api \"$a\"", on: machine), 2, "argument 3 is not UTF-8")
    expectFailure(try shell("coffer set api jane --label \"$b\" \(options)", on: machine), 2, "argument 5 ")
    #expect(try shell("coffer set 'café' jane \(options)", on: machine, input: "x").exitCode == 0)
  }

  @Test func `The name of a file that is not UTF-8 is refused, and no other file is read`() throws {
    let machine = try Machine()
    try machine.makeVault()
    let folder = machine.directory.path
    let copy = "cp '\(Machine.entitlements(of: "PhotoPro"))' '\(folder)'/"
    expectFailure(
      try shell("\(copy)\"$a\"; coffer app add '\(folder)'/\"$a\"", on: machine), 2, "argument 3 is not UTF-8",
      "rename files")
    #expect(try machine.coffer("app", "list", "--json").filter { !$0.isWhitespace } == "[]")
  }

  @Test(arguments: ["sync", "inspect", "transport"])
  func `The other programs refuse it too`(program: String) throws {
    let machine = try Machine()
    expectFailure(try shell("coffer-\(program) --verbose \"$a\"", on: machine), 2, "argument 2 is not UTF-8")
  }

  @Test func `A variable that is not UTF-8 is named, and another folder is not used`() throws {
    let machine = try Machine()
    machine.environment["COFFER_HOME"] = nil
    let folder = machine.directory.path
    for variable in ["COFFER_HOME", "XDG_DATA_HOME", "HOME"] {
      let outcome = try shell("export \(variable)='\(folder)'/\"$a\"; coffer init --no-passphrase", on: machine)
      expectFailure(outcome, 2, "the variable \(variable) is not UTF-8")
    }
    let file = "export COFFER_PASSPHRASE_FILE='\(folder)'/\"$b\"; coffer status"
    expectFailure(try shell(file, on: machine), 2, "the variable COFFER_PASSPHRASE_FILE is not UTF-8")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).allSatisfy { !$0.hasPrefix("caf") })
    // What Coffer does not read may be anything.
    try machine.makeVault()
    #expect(try shell("export OTHER=\"$a\"; coffer status", on: machine).exitCode == 0)
  }

  @Test func `A relative remote in a folder whose name is not UTF-8 is refused`() throws {
    let machine = try Machine()
    try machine.makeVault()
    let line = "cd '\(machine.directory.path)' && mkdir \"$a\" && cd \"$a\" && git init --quiet --bare vault.git"
    let outcome = try shell("\(line) && coffer remote set vault.git", on: machine)
    expectFailure(outcome, 2, "the working directory does not exist or its path is not UTF-8")
    expectFailure(try machine.run("coffer", "remote", "show"), 3, "coffer remote set")
  }
}
