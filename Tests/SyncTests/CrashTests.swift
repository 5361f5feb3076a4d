import CofferTestSupport
import Foundation
import Testing

@Suite struct CrashTests {
  @Test(arguments: [SIGINT, SIGTERM], [["sync"], ["remote", "set", "other.example:vault.git"]])
  func `Ctrl-C ends a command that waits for a silent remote, and the ssh that it started`(
    signal: Int32, arguments: [String]
  ) throws {
    let machine = try Machine()
    try machine.makeVault()
    machine.environment["COFFER_SSH"] = try machine.directory.writeScript("ssh-without-network", "exit 255")
    try machine.coffer("remote", "set", "host.example:vault.git")
    let started = machine.directory.path("ssh-started")
    machine.environment["COFFER_SSH"] = try machine.directory.writeScript(
      "silent-ssh", "echo $$ > '\(started).new' && mv '\(started).new' '\(started)'; exec sleep 600")
    let sync = try machine.start("coffer", arguments)
    try waitUntil("ssh has started") {
      try #require(sync.isRunning)
      return FileManager.default.fileExists(atPath: started)
    }
    kill(sync.processIdentifier, signal)
    let outcome = try sync.wait()
    #expect(outcome.exitCode == 130 && outcome.errors.hasSuffix(": interrupted\n"), "\(outcome)")
    let ssh = try String(contentsOfFile: started, encoding: .utf8).trimmingCharacters(in: .newlines)
    #expect(kill(try #require(pid_t(ssh)), 0) != 0)
    #expect(try machine.coffer("remote", "show") == "host.example:vault.git")
  }

  @Test(arguments: ["read answer < /dev/tty", "kill -INT $$"], [["sync"], ["clone"]])
  func `Ctrl-C at a prompt of ssh ends the command as interrupted, without advice`(
    waiting: String, command: [String]
  ) throws {
    let machine = try Machine()
    let key = try machine.makeVault()
    machine.environment["COFFER_SSH"] = try machine.directory.writeScript("ssh-without-network", "exit 255")
    try machine.coffer("remote", "set", "host.example:vault.git")
    machine.environment["COFFER_SSH"] = try machine.directory.writeScript(
      "asking-ssh", "printf 'Passphrase for key: ' > /dev/tty\n\(waiting)\nexit 255")
    var arguments = command
    if command == ["clone"] {
      machine.environment["COFFER_HOME"] = machine.directory.path("new")
      arguments += ["--no-passphrase", "--vault-key-file", key, "host.example:vault.git"]
    }
    let terminal = try PseudoTerminal(machine, program: Machine.path(of: "coffer"), arguments)
    try terminal.await("Passphrase for key: ")
    if waiting.hasPrefix("read") { terminal.type("\u{3}") }
    #expect(terminal.wait() == 130, "\(terminal.screen)")
    #expect(terminal.screen.hasSuffix("host.example:vault.git: interrupted\r\n"), "\(terminal.screen)")
    #expect(try machine.processes().isEmpty)
  }

  @Test func `The advice about a host that does not speak git names the remote`() throws {
    let machine = try Machine()
    try machine.makeVault()
    machine.environment["COFFER_SSH"] = try machine.directory.writeScript("ssh-without-network", "exit 255")
    try machine.coffer("remote", "set", "me@host.example:my vault.git")
    machine.environment["COFFER_SSH"] = try machine.directory.writeScript("odd-ssh", "echo welcome")
    let outcome = try machine.run("coffer", "sync")
    #expect(outcome.exitCode == 7, "\(outcome)")
    #expect(outcome.errors.hasSuffix("git ls-remote 'me@host.example:my vault.git'\n"), "\(outcome)")
  }

  @Test func `A machine and its remote restored from one backup lose no item on any machine`() throws {
    let suite = try TwoMachines()
    let third = try Machine()
    try third.coffer("clone", "--name", "third", "--no-passphrase", "--vault-key-file", suite.key, suite.remote.path)
    for machine in [suite.laptop, suite.desktop, third] { try machine.sync() }
    try suite.laptop.set("before", "1")
    try suite.laptop.sync()
    let backup = try TemporaryDirectory()
    try Command.run("cp", "-a", suite.laptop.home.path, backup.path("home"))
    try Command.run("cp", "-a", suite.remote.path, backup.path("remote"))
    try suite.laptop.set("lost with the backup", "2")
    try suite.laptop.sync()
    try suite.desktop.sync()
    try Command.run("rm", "-rf", suite.laptop.home.path, suite.remote.path)
    try Command.run("cp", "-a", backup.path("home"), suite.laptop.home.path)
    try Command.run("cp", "-a", backup.path("remote"), suite.remote.path)
    for item in ["after", "later"] {
      try suite.laptop.set(item, "3")
      try suite.laptop.sync()
    }
    let sync = try suite.desktop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("restored from a backup"), "\(sync)")
    let machines = [suite.laptop, suite.desktop, third]
    for machine in machines + machines { _ = try machine.run("coffer", "sync") }
    let tip = suite.remote.tip
    for machine in machines {
      try machine.sync()
      #expect(
        try machine.values() == ["before": "1", "lost with the backup": "2", "after": "3", "later": "3"])
    }
    #expect(suite.remote.tip == tip)
  }

  @Test func `A copied home that syncs under the same name is reported, and neither copy loses an item`() throws {
    let suite = try TwoMachines()
    let copy = try Machine()
    try Command.run("cp", "-a", suite.laptop.home.path, copy.home.path)
    try suite.laptop.set("original", "1")
    try copy.set("copy", "2")
    try suite.laptop.sync()
    let sync = try copy.run("coffer", "sync")
    #expect(sync.exitCode == 0, "\(sync)")
    #expect(sync.text.contains("copy of this machine"), "\(sync)")
    for machine in [suite.laptop, copy, suite.desktop] { try machine.sync() }
    for machine in [suite.laptop, copy, suite.desktop] {
      #expect(try machine.values() == ["original": "1", "copy": "2"])
    }
  }

  @Test func `A machine restored from a backup gets its later changes back and continues`() throws {
    let suite = try TwoMachines()
    try suite.laptop.set("before", "1")
    try suite.laptop.sync()
    let backup = suite.laptop.directory.path("backup")
    try Command.run("cp", "-a", suite.laptop.home.path, backup)
    try suite.laptop.set("after", "2")
    try suite.laptop.sync()
    try FileManager.default.removeItem(at: suite.laptop.home)
    try FileManager.default.moveItem(atPath: backup, toPath: suite.laptop.home.path)
    try suite.laptop.set("restored", "3")
    try suite.laptop.sync()
    try suite.desktop.sync()
    let expected = ["before": "1", "after": "2", "restored": "3"]
    #expect(try suite.laptop.values() == expected)
    #expect(try suite.desktop.values() == expected)
  }
}
