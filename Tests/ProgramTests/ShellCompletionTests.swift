import CofferTestSupport
import Foundation
import Testing

/// The completion scripts in the shells that they are for, each on a terminal, with names from a vault.
@Suite struct ShellCompletionTests {
  private let machine: Machine

  init() throws {
    machine = try Machine.withExamples()
    machine.environment["COFFER_APP"] = "com.example.photo.pro"
    machine.environment["TERM"] = "dumb"
    try machine.coffer("set", "github.com", "jane", input: "s3cret-value")
    try machine.coffer("set", "example.com", "joe", input: "other-value")
  }

  /// Starts a shell that has loaded the script, and types a command line with tabs. Returns what the command prints.
  private func output(of line: String, in shell: String) throws -> String {
    let script = machine.directory.path("_coffer")
    let text = try machine.coffer("--generate-completion-script", shell)
    try Data(text.utf8).write(to: URL(fileURLWithPath: script))
    let options = ["bash": ["--noprofile", "--norc"], "zsh": ["-f"], "fish": ["--no-config"]][shell] ?? []
    let programs = Machine.programs.path
    let path = "\(programs):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")"
    let terminal = try PseudoTerminal(
      machine, program: "/usr/bin/env", [shell] + options + ["-i"], columns: 200, environment: ["PATH": path])
    let load =
      shell == "zsh"
      ? "fpath=(\(machine.directory.path) $fpath); autoload -U compinit; compinit -D -u" : "source \(script)"
    terminal.type("\(load); echo lo''aded\n")
    try terminal.await("loaded")
    let result = machine.directory.path("result")
    terminal.type("\(line)> \(result); echo do''ne\n")
    try terminal.await("done")
    terminal.type("exit\n")
    _ = terminal.wait()
    return (try? String(contentsOfFile: result, encoding: .utf8)) ?? terminal.screen
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `A tab completes commands, services, accounts and options`(shell: String) throws {
    #expect(try output(of: "coffer get gith\tja\t", in: shell) == "s3cret-value")
    #expect(try output(of: "coffer get exam\tjo\t--fie\tacct ", in: shell) == "joe")
    #expect(try output(of: "coffer sho\t--refe\tx 2>&1; coffer get gith\tja\t", in: shell) == "s3cret-value")
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `A tab completes apps and access groups`(shell: String) throws {
    machine.environment["COFFER_APP"] = nil
    #expect(try output(of: "coffer get --app com.example.photo.p\tgithub.com jane ", in: shell) == "s3cret-value")
  }
}
