import CofferTestSupport
import Foundation
import Testing

/// Programs whose output is masked.
@Suite struct MaskedRunTests {
  private let machine: Machine
  private let options = ["run", "--mask", "--env", "A=coffer:///github.com/jane", "--"]

  init() throws {
    machine = try Machine.withExamples()
    machine.environment["COFFER_APP"] = "com.example.photo.pro"
    try machine.coffer("set", "github.com", "jane", input: "s3cret-value\n")
  }

  private func run(_ script: String, input: String = "") throws -> Machine.Outcome {
    try machine.start("coffer", options + ["sh", "-c", script], input: Data(input.utf8)).wait()
  }

  private func terminal(_ words: String..., columns: Int = 100) throws -> PseudoTerminal {
    try PseudoTerminal(machine, program: Machine.path(of: "coffer"), options + words, columns: columns)
  }

  @Test func `Both outputs are masked, in pieces too, and the rest and the exit code are the program's`() throws {
    let outcome = try run(
      "printf s3cr; sleep 0.1; printf et-value; echo; cat; echo \"e $A\" >&2; exit 3", input: "\u{1}in\0put")
    #expect(outcome.exitCode == 3)
    #expect(outcome.output == Data("[masked]\n\u{1}in\0put".utf8), "\(outcome)")
    #expect(outcome.errors == "e [masked]\n\n")
    #expect(try run("kill -KILL $$").signal == SIGKILL)
    let large = try run("head -c 3000000 /dev/zero; printf %s $A")
    #expect(large.output.count == 3_000_008 && large.output.suffix(8) == Data("[masked]".utf8))
  }

  @Test func `Output of what the program leaves running is shown, and a closed output ends the program`() throws {
    #expect(try run("(sleep 0.2; echo late $A) & echo early").text == "early\nlate [masked]")
    let pipeline = try machine.start(
      "/bin/sh", ["-c", "\"$@\" | head -n 1", "sh", Machine.path(of: "coffer")] + options + ["yes"]
    ).wait()
    #expect(pipeline.exitCode == 0 && pipeline.text == "y", "\(pipeline)")
  }

  @Test func `A signal that another program sends reaches the program`() throws {
    let running = try machine.start(
      "coffer", options + ["sh", "-c", "trap 'echo got it; exit 9' TERM; echo ready; while :; do sleep 0.05; done"])
    try waitUntil("the program runs") { try running.outputSoFar() == Data("ready\n".utf8) }
    kill(running.processIdentifier, SIGTERM)
    let outcome = try running.wait()
    #expect(outcome.exitCode == 9 && outcome.text == "ready\ngot it", "\(outcome)")
  }

  @Test func `A short value is not masked, and a note names it`() throws {
    try machine.coffer("set", "pin", "a", input: "123")
    let outcome = try machine.run("coffer", "run", "--mask", "--env", "P=coffer:///pin/a", "--", "sh", "-c", "echo $P")
    #expect(
      outcome.text == "123" && outcome.errors == "The value of P has fewer than 4 bytes, and is not masked\n",
      "\(outcome)")
  }

  @Test func `On a terminal, the program has one too, with the same window and the keys that are typed`() throws {
    let terminal = try terminal(
      "sh", "-c", "test -t 0 && test -t 1 && test -t 2 && tput cols; stty size; read line; echo \"<$line> $A\"",
      columns: 93)
    try terminal.await("93\r\n")
    terminal.type("hello\n")
    try terminal.await("<hello> [masked]")
    #expect(terminal.wait() == 0)
    #expect(!terminal.screen.contains("s3cret"), "\(terminal.screen)")
  }

  @Test func `Ctrl-C on the terminal interrupts the program, whose exit code is kept`() throws {
    let terminal = try terminal("sh", "-c", "trap 'echo caught; exit 4' INT; echo ready; while :; do sleep 0.05; done")
    try terminal.await("ready")
    #expect(!terminal.echoes)
    terminal.type("\u{3}")
    try terminal.await("caught")
    #expect(terminal.wait() == 4)
  }

  @Test func `A value of several lines is masked on the terminal, where lines end otherwise`() throws {
    try machine.coffer("set", "key", "a", input: "first line\nsecond line\n")
    let terminal = try PseudoTerminal(
      machine, "run", "--mask", "--env", "K=coffer:///key/a", "--", "sh", "-c", "printf '%s' \"$K\"; echo end")
    #expect(terminal.wait() == 0)
    #expect(terminal.screen == "[masked]\r\nend\r\n", "\(terminal.screen)")
  }

  @Test func `Ctrl-Z stops the program for the shell, which continues it`() throws {
    let shell = try PseudoTerminal(
      machine, program: "/bin/bash", ["--norc", "--noprofile", "-i"], environment: ["PS1": "ready> ", "TERM": "dumb"])
    try shell.await("ready> ")
    let words =
      ([Machine.path(of: "coffer")] + options + ["sh", "-c", "echo run\"\"ning; read line; echo \"read $line\""])
    shell.type(words.map { "'\($0.replacing("'", with: "'\\''"))'" }.joined(separator: " ") + "\n")
    try shell.await("\r\nrunning")
    shell.type("\u{1A}")
    try shell.await("Stopped")
    try shell.await("ready> ")
    shell.type("echo a\"\"gain\n")
    try shell.await("\r\nagain")
    shell.type("fg\n")
    try shell.await("sh")
    shell.type("typed\n")
    try shell.await("read typed")
    try shell.await("ready> ")
    shell.type("exit\n")
    #expect(shell.wait() == 0)
  }
}
