import CofferTestSupport
import Foundation
import Testing

@Suite struct TerminalPromptTests {
  @Test func `A passphrase is prompted for twice, hidden, and then for each command of the owner`() throws {
    let machine = try Machine()
    let make = try PseudoTerminal(
      machine, "init", "--name", "laptop", "--vault-key-file", machine.directory.path("key"))
    try make.await("New passphrase for this machine: ")
    make.type("correct horse\n")
    try make.await("Once more: ")
    make.type("correct horse\n")
    #expect(make.wait() == 0, "\(make.screen)")
    #expect(!make.screen.contains("horse"))

    let add = try PseudoTerminal(machine, "app", "add", Machine.entitlements(of: "PhotoPro"))
    try add.await("Passphrase of laptop: ")
    add.type("corect\u{7F}\u{7F}\u{7F}rect horsé\u{7F}e\n")
    #expect(add.wait() == 0, "\(add.screen)")
    #expect(!add.screen.contains("horse"))

    let group = ["--group", "com.example.photo.pro"]
    let get = try PseudoTerminal(machine, program: Machine.path(of: "coffer"), ["get", "s", "a"] + group)
    try get.await("Passphrase of laptop (owner access; `coffer unlock` asks once): ")
    get.type("correct horse\n")
    #expect(get.wait() == 3)
    #expect(get.screen.contains("coffer list --group com.example.photo.pro"), "\(get.screen)")
  }

  @Test func `A prompt in the background waits for the terminal, and leaves it as it was then`() throws {
    let machine = try Machine()
    try machine.makeVault(passphrase: "correct horse")
    let shell = try PseudoTerminal(
      machine, program: "/bin/bash", ["--norc", "--noprofile", "-i"], environment: ["PS1": "ready> ", "TERM": "dumb"])
    try shell.await("ready> ")
    let coffer = Machine.path(of: "coffer").replacing("'", with: "'\\''")
    let (started, go) = (machine.directory.path("started"), machine.directory.path("go"))
    let wait = ": > '\(started)'; until [ -e '\(go)' ]; do sleep 0.02; done"
    shell.type("(\(wait); '\(coffer)' list; stty -a | grep -ow -e -echo -e echo; echo d\"\"one) &\n")
    _ = try waitForFile(started)
    // The prompt begins while the shell reads the next line, for which it turns off the echo.
    try waitUntil("the shell reads the next line") { !shell.echoes }
    try machine.directory.write("go", "")
    try waitUntil("the prompt waits for the terminal") {
      usleep(100_000)
      shell.type("jobs\n")
      try shell.await("ready> ")
      return shell.screen.contains("Stopped")
    }
    #expect(!shell.screen.contains("Passphrase of laptop"))
    shell.type("fg\n")
    try shell.await("Passphrase of laptop")
    shell.type("correct horse\n")
    try shell.await("done")
    #expect(shell.screen.contains("\r\necho\r\n") && !shell.screen.contains("\r\n-echo"), "\(shell.screen)")
    shell.type("exit\n")
    #expect(shell.wait() == 0)
  }

  @Test func `A wrong passphrase can be corrected twice at a prompt, and then the command ends`() throws {
    let machine = try Machine()
    let file = try machine.directory.write("passphrase", "correct horse")
    let key = machine.directory.path("key")
    try machine.coffer("init", "--name", "laptop", "--vault-key-file", key, "--passphrase-file", file)
    let prompt = "Passphrase of laptop (owner access; `coffer unlock` asks once): "
    let refusal =
      "coffer: wrong passphrase for laptop; each machine has its own; if it is forgotten, start from the vault key: coffer passphrase change --forgotten"
    for (last, exitCode) in [("correct horse\n", Int32(0)), ("staple\n", 5), ("\u{3}", 5)] {
      let terminal = try PseudoTerminal(machine, "list")
      for keys in ["battery\n", "\n"] {
        try terminal.await(prompt)
        terminal.type(keys)
        try terminal.await(refusal)
      }
      try terminal.await(prompt)
      terminal.type(last)
      #expect(terminal.wait() == exitCode, "\(terminal.screen)")
      #expect(terminal.screen.ranges(of: refusal).count == (last == "staple\n" ? 3 : 2))
      #expect(!terminal.screen.contains("battery") && !terminal.screen.contains("staple"))
    }
    // The command needs the passphrase twice, and asks for it once.
    let plist = Machine.entitlements(of: "PhotoPro")
    let add = try PseudoTerminal(machine, "app", "add", "--locked", plist)
    for keys in ["battery\n", "correct horse\n"] {
      try add.await("Passphrase of laptop: ")
      add.type(keys)
    }
    #expect(add.wait() == 0, "\(add.screen)")
    let app = ["--app", "com.example.photo.pro"]
    let locked = try PseudoTerminal(machine, program: Machine.path(of: "coffer"), ["list"] + app)
    for keys in ["battery\n", "correct horse\n"] {
      try locked.await("Passphrase of laptop (required by com.example.photo.pro; `coffer unlock` asks once): ")
      locked.type(keys)
    }
    #expect(locked.wait() == 0, "\(locked.screen)")
    #expect(locked.screen.contains(refusal))
    // A file is not read again.
    let wrong = try machine.directory.write("wrong", "battery")
    expectFailure(try machine.run("coffer", "list", "--passphrase-file", wrong), 5, refusal)
  }

  @Test(arguments: [
    (["one\n", "two\n"], Int32(2)), (["\n"], Int32(2)), (["\u{3}"], Int32(5)), (["one\n", "\u{3}"], Int32(5)),
    (["\u{4}"], Int32(5)),
  ])
  func `Two different passphrases, an empty one, and Ctrl-C create no vault`(keys: [String], exitCode: Int32) throws {
    let machine = try Machine()
    let terminal = try PseudoTerminal(machine, "init")
    for (prompt, keys) in zip(["New passphrase for this machine: ", "Once more: "], keys) {
      try terminal.await(prompt)
      terminal.type(keys)
    }
    #expect(terminal.wait() == exitCode, "\(terminal.screen)")
    #expect(!terminal.screen.contains("COFFER1-"))
    #expect(!FileManager.default.fileExists(atPath: machine.home.path))
  }

  @Test func `A value is prompted for twice, hidden, and printed with a newline`() throws {
    let machine = try Machine.withExamples()
    let set = try PseudoTerminal(machine, "set", "s", "a\u{1B}[2J", "--app", "com.example.photo.pro")
    try set.await("Value of s, a\\u{1B}[2J: ")
    set.type("hidden-value\n")
    try set.await("Once more: ")
    set.type("hidden-value\n")
    #expect(set.wait() == 0, "\(set.screen)")
    #expect(!set.screen.contains("hidden-value"))
    let get = try PseudoTerminal(machine, "get", "s", "a\u{1B}[2J", "--app", "com.example.photo.pro")
    #expect(get.wait() == 0)
    #expect(get.screen == "hidden-value\r\n")
  }

  @Test func `Two different values, and Ctrl-C, change nothing`() throws {
    let machine = try Machine.withExamples()
    let app = ["--app", "com.example.photo.pro"]
    try machine.succeed("coffer", ["set", "s", "a"] + app, input: "old")
    for (second, exitCode) in [("other\n", Int32(2)), ("\u{3}", 5)] {
      let terminal = try PseudoTerminal(machine, "set", "s", "a", "--app", "com.example.photo.pro")
      try terminal.await("Value of s, a: ")
      terminal.type("new\n")
      try terminal.await("Once more: ")
      terminal.type(second)
      #expect(terminal.wait() == exitCode)
      #expect(terminal.screen.contains("nothing was changed"))
    }
    #expect(try machine.succeed("coffer", ["get", "s", "a"] + app) == "old")
  }

  // SIGUSR1 is what a user may send to lock, and SIGALRM ends what runs out of time.
  @Test(arguments: [SIGTERM, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU])
  func `A program that is ended at its prompt leaves a terminal that shows what is typed`(number: Int32) throws {
    let machine = try Machine()
    let terminal = try PseudoTerminal(machine, "init")
    try terminal.await("New passphrase for this machine: ")
    #expect(!terminal.echoes)
    for process in try machine.processes(named: ["coffer"]) { kill(process, number) }
    #expect(terminal.wait() == -number && terminal.echoes)
    #expect(!FileManager.default.fileExists(atPath: machine.home.path))
  }

  /// Only root can read the memory of other processes wherever the kernel is hardened.
  @Test(.enabled(if: geteuid() == 0 && FileManager.default.fileExists(atPath: "/proc/self/mem")))
  func `A passphrase that has been used is not in the memory of the program`() throws {
    let machine = try Machine()
    let passphrase = "correct-horse-\(UUID().uuidString)"
    let file = try machine.directory.write("passphrase", passphrase)
    let entitlements = Machine.entitlements(of: "PhotoPro")
    try machine.succeed(
      "coffer", ["init", "--vault-key-file", machine.directory.path("key"), "--passphrase-file", file])
    try machine.succeed("coffer", ["app", "add", entitlements, "--passphrase-file", file])

    for typesPassphrase in [true, false] {
      let arguments = ["set", "s", "a", "--group", "com.example.photo.pro"]
      let terminal = try PseudoTerminal(
        machine, program: Machine.path(of: "coffer"),
        arguments + (typesPassphrase ? [] : ["--passphrase-file", file]))
      if typesPassphrase {
        try terminal.await("(owner access; `coffer unlock` asks once): ")
        terminal.type("\(passphrase)\n")
      }
      try terminal.await("Value of s, a: ")
      let memory = try ProcessMemory(ofCofferOn: machine)
      #expect(try memory.count(of: passphrase) == 0, "typed: \(typesPassphrase)")
      // The value is held until it is typed again: the memory that is searched is the program's.
      let value = "staple-\(UUID().uuidString)"
      terminal.type("\(value)\n")
      try terminal.await("Once more: ")
      #expect(try memory.count(of: value) >= 1, "typed: \(typesPassphrase)")
      terminal.type("\(value)\n")
      #expect(terminal.wait() == 0, "\(terminal.screen)")
    }
  }

  @Test func `No prompt is shown for a value that cannot be written`() throws {
    let machine = try Machine.withExamples()
    let terminal = try PseudoTerminal(machine, "set", "s", "a", "--group", "com.example.nothing")
    #expect(terminal.wait() == 4)
    #expect(!terminal.screen.contains("Value of"))
  }
}
