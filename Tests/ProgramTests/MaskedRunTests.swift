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

  /// Starts a script of a shell on a terminal, whose arguments are the command line of `coffer` with these words.
  private func script(_ script: String, _ words: String...) throws -> PseudoTerminal {
    try PseudoTerminal(
      machine, program: "/bin/sh", ["-c", script, "sh", Machine.path(of: "coffer")] + options + words)
  }

  /// Starts a shell on a terminal, as people use it.
  private func shell() throws -> PseudoTerminal {
    let shell = try PseudoTerminal(
      machine, program: "/bin/bash", ["--norc", "--noprofile", "-i"], environment: ["PS1": "ready> ", "TERM": "dumb"])
    try shell.await("ready> ")
    return shell
  }

  /// Returns the command line of `coffer` with these words, as a shell reads it.
  private func commandLine(_ words: String...) -> String {
    ([Machine.path(of: "coffer")] + options + words).map { "'\($0.replacing("'", with: "'\\''"))'" }
      .joined(separator: " ")
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
    let go = machine.directory.path("go")
    let late = "(while [ ! -e '\(go)' ]; do sleep 0.02; done; echo late $A) & echo early; : > '\(go)'"
    #expect(try run(late).text == "early\nlate [masked]")
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

  @Test func `A signal ends a coffer that waits for what the program has left running`() throws {
    let running = try machine.start("coffer", options + ["sh", "-c", "tail -f /dev/null & echo $$ $!"])
    var processes: [pid_t] = []
    try waitUntil("the program has printed its processes") {
      let text = String(decoding: try running.outputSoFar(), as: UTF8.self)
      processes = text.hasSuffix("\n") ? text.split(whereSeparator: \.isWhitespace).compactMap { pid_t($0) } : []
      return processes.count == 2
    }
    defer { kill(processes[1], SIGKILL) }
    // Before, the program would get the signal.
    try waitUntil("coffer knows that the program has ended") { kill(processes[0], 0) != 0 }
    kill(running.processIdentifier, SIGTERM)
    let outcome = try running.wait()
    #expect(outcome.signal == SIGTERM, "\(outcome)")
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

  @Test func `After the program's end, the terminal has its settings, and Ctrl-C ends coffer`() throws {
    let errors = machine.directory.path("errors")
    let terminal = try script(
      "echo \"pid $$ here\"; exec \"$@\" 2>'\(errors)'", "sh", "-c",
      "trap '' HUP; tail -f /dev/null </dev/null >/dev/null & echo \"left $! here\"; echo \"e $A\" >&2")
    try terminal.await("left ")
    try terminal.await(" here\r\n")
    let coffer = try #require(terminal.screen.firstMatch(of: /pid (\d+) here/).flatMap { pid_t($0.output.1) })
    let left = try #require(terminal.screen.firstMatch(of: /left (\d+) here/).flatMap { pid_t($0.output.1) })
    defer { kill(left, SIGKILL) }
    try waitUntil("the terminal has its settings") { terminal.echoes }
    terminal.type("\u{3}")
    #expect(waitForEnd(ofProcess: coffer))
    #expect(terminal.wait() == -SIGINT)
    #expect(try String(contentsOfFile: errors, encoding: .utf8) == "e [masked]\n\n")
  }

  @Test func `An output that is closed ends the program on a terminal, where errors go elsewhere`() throws {
    let terminal = try script("\"$@\" 2>&1 >/dev/tty | head -n 1", "sh", "-c", "exec yes >&2")
    #expect(terminal.wait() == 0)
    #expect(terminal.screen.contains("y"), "\(terminal.screen)")
  }

  /// Returns the processes of an endless program: its own, that which leads its session, and that of `coffer`.
  private func processes(on terminal: PseudoTerminal) throws -> (program: pid_t, leader: pid_t, coffer: pid_t) {
    try terminal.await(" end")
    let found = try #require(terminal.screen.firstMatch(of: /ids (\d+) (\d+) PPid:\s+(\d+) end/)).output
    return (try #require(pid_t(found.1)), try #require(pid_t(found.2)), try #require(pid_t(found.3)))
  }

  /// Starts a program on a terminal that goes on until it is ended.
  private func endlessProgram() throws -> PseudoTerminal {
    try terminal("sh", "-c", "echo \"ids $$ $PPID $(grep PPid /proc/$PPID/status) end\"; exec tail -f /dev/null")
  }

  @Test func `If coffer is killed, the program on its terminal ends`() throws {
    let terminal = try endlessProgram()
    let (program, leader, coffer) = try processes(on: terminal)
    defer { kill(program, SIGKILL) }
    kill(coffer, SIGKILL)
    #expect(waitForEnd(ofProcess: program))
    #expect(waitForEnd(ofProcess: leader))
  }

  @Test(.enabled(if: geteuid() == 0, "only root can examine a process that is protected from debuggers"))
  func `The process that leads the program's session has no value, and no descriptor that it does not need`() throws {
    let terminal = try endlessProgram()
    let (program, leader, coffer) = try processes(on: terminal)
    defer { kill(program, SIGKILL) }
    #expect(try ProcessMemory(of: coffer).count(of: "s3cret-value") > 0)
    try waitUntil("the values are wiped") { try ProcessMemory(of: leader).count(of: "s3cret-value") == 0 }
    // Its connection with coffer, and the program's end of the terminal.
    try waitUntil("its descriptors are closed") {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/\(leader)/fd").count == 2
    }
  }

  @Test func `Signals that are ignored stay ignored on a terminal too`() throws {
    let ignoring = "trap '' HUP INT QUIT USR1; exec \"$@\""
    let words = ["grep", "SigIgn", "/proc/self/status"]
    let direct = try PseudoTerminal(machine, program: "/bin/sh", ["-c", ignoring, "sh"] + words)
    let observed = try script(ignoring, words[0], words[1], words[2])
    #expect(direct.wait() == 0 && observed.wait() == 0)
    #expect(observed.screen == direct.screen && direct.screen.contains("SigIgn"), "\(observed.screen)")
  }

  @Test func `In a pipeline, the program has the terminal itself, and leaves its settings to a pager`() throws {
    let terminal = try script(
      "\"$@\" | cat", "sh", "-c", "test -t 0 && echo ready; read line; echo \"<$line> $A\"")
    try terminal.await("ready")
    #expect(terminal.echoes)
    terminal.type("hello\n")
    try terminal.await("<hello> [masked]")
    #expect(terminal.wait() == 0)
  }

  @Test func `In the background, the program runs`() throws {
    let shell = try shell()
    shell.type(commandLine("sh", "-c", "echo \"back\"\"ground $A\"") + " &\n")
    try shell.await("background [masked]")
    shell.type("wait; echo d\"\"one\n")
    try shell.await("\r\ndone")
    shell.type("exit\n")
    #expect(shell.wait() == 0)
  }

  @Test func `A value of several lines is masked on the terminal, where lines end otherwise`() throws {
    try machine.coffer("set", "key", "a", input: "first line\nsecond line\n")
    let terminal = try PseudoTerminal(
      machine, "run", "--mask", "--env", "K=coffer:///key/a", "--", "sh", "-c", "printf '%s' \"$K\"; echo end")
    #expect(terminal.wait() == 0)
    #expect(terminal.screen == "[masked]\r\nend\r\n", "\(terminal.screen)")
  }

  @Test func `Ctrl-Z stops the program for the shell, which continues it`() throws {
    let shell = try shell()
    shell.type(commandLine("sh", "-c", "echo run\"\"ning; read line; echo \"read $line\"") + "\n")
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

  @Test func `A program that is continued in the background leaves the terminal with its first settings`() throws {
    let shell = try shell()
    let program = commandLine("sh", "-c", "echo run\"\"ning; read line; echo \"read $line\"")
    shell.type("(\(program); stty -a | grep -ow -e -echo -e echo; echo d\"\"one)\n")
    try shell.await("\r\nrunning")
    shell.type("\u{1A}")
    try shell.await("Stopped")
    try shell.await("ready> ")
    shell.type("bg\n")
    try waitUntil("the program waits for the terminal") {
      usleep(100_000)
      shell.type("jobs\n")
      try shell.await("ready> ")
      return shell.screen.ranges(of: "Stopped").count > 1
    }
    shell.type("fg\n")
    try shell.await("grep -ow")
    shell.type("typed\n")
    try shell.await("read typed")
    try shell.await("done")
    #expect(shell.screen.contains("\r\necho\r\n") && !shell.screen.contains("\r\n-echo"), "\(shell.screen)")
    shell.type("exit\n")
    #expect(shell.wait() == 0)
  }
}
