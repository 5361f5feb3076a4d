import CofferTestSupport
import Foundation
import Testing

/// `coffer lock`, which a screen locker runs.
@Suite struct LockCommandTests {
  private static let passphrase = "a passphrase"

  @Test func `The command that the documentation gives to a screen locker locks the vault`() throws {
    let page = try DocumentationPage("InspectingAVault").lines.joined(separator: "\n")
    let line = try #require(page.firstMatch(of: /`swayidle -w lock '([^']+)'`/)?.1)
    try expectLock(by: String(line))
  }

  @Test func `The command that the help of inspect shows locks the vault`() throws {
    let help = try Machine().coffer("help", "inspect")
    let line = try #require(help.split(separator: "\n").first { $0.contains("coffer lock") })
    try expectLock(by: line.trimmingCharacters(in: .whitespaces))
  }

  /// Expects that a line of a shell locks a running inspector, which its passphrase unlocks again.
  private func expectLock(by line: String) throws {
    let inspector = try RunningInspector.withPassphrase(Self.passphrase)
    let session = try inspector.enter()
    #expect(try inspector.send("GET", "/items", as: session).status == 200)
    let path = ["PATH": "\(Machine.programs.path):/usr/bin:/bin"]
    let outcome = try inspector.machine.run("/bin/sh", "-c", line, environment: path)
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(outcome.text == "Locked coffer inspect in process \(inspector.program.processIdentifier).")
    // At once: the command has waited for it.
    #expect(try inspector.send("GET", "/items", as: session).status == 423)
    let form = "csrf=\(session.csrf)&passphrase=a+passphrase"
    #expect(try inspector.send("POST", "/unlock", form: form, as: session).status == 303)
    #expect(try inspector.send("GET", "/items", as: session).status == 200)
    #expect(try inspector.machine.coffer("lock").contains("\(inspector.program.processIdentifier)"))
    #expect(try inspector.send("GET", "/items", as: session).status == 423)
  }

  @Test func `It locks the vaults of this home that are open, and no other ones`() throws {
    let first = try RunningInspector.withPassphrase(Self.passphrase)
    let second = try RunningInspector(on: first.machine)
    // A vault that needs no passphrase.
    let other = ["COFFER_VAULT": "other"]
    #expect(try first.machine.run("coffer", "init", "--no-passphrase", environment: other).exitCode == 0)
    let third = try RunningInspector(on: first.machine, environment: other)
    let foreign = try RunningInspector()
    let sessions = try [first.enter(), second.enter(), foreign.enter()]

    let processes = [first, second, third].map(\.program.processIdentifier).sorted()
    let names = processes.map(String.init).joined(separator: ", ")
    #expect(try first.machine.coffer("lock") == "Locked coffer inspect in process \(names).")
    #expect(try first.send("GET", "/items", as: sessions[0]).status == 423)
    #expect(try second.send("GET", "/items", as: sessions[1]).status == 423)
    #expect(try foreign.send("GET", "/items", as: sessions[2]).status == 200)
    let end = try third.program.wait()
    #expect(end.exitCode == 0 && end.errors.contains("Locked by another program; coffer inspect has ended."), "\(end)")

    let again = try first.machine.run("coffer", "lock")
    #expect(again.exitCode == 0 && again.output.isEmpty)
    #expect(again.errors == "Nothing was unlocked: no agent or service has keys, and no coffer inspect a vault.\n")
  }

  @Test func `Without an open vault there is nothing to lock`() throws {
    let machine = try Machine()
    #expect(
      try machine.run("coffer", "lock").errors
        == "Nothing was unlocked: no agent or service has keys, and no coffer inspect a vault.\n")
    machine.environment["COFFER_PASSPHRASE_FILE"] = try machine.makeVault(passphrase: Self.passphrase)
    #expect(
      try machine.run("coffer", "lock").errors
        == "Nothing was unlocked: no agent or service has keys, and no coffer inspect a vault.\n")
    // Nor in a page that asks for the passphrase.
    machine.environment["COFFER_PASSPHRASE_FILE"] = nil
    let asking = try RunningInspector(on: machine, "--ask-in-page")
    #expect(
      try machine.run("coffer", "lock").errors
        == "Nothing was unlocked: no agent or service has keys, and no coffer inspect a vault.\n")
    #expect(asking.program.isRunning)
    // Nor if its process was killed.
    let killed = try RunningInspector.withPassphrase(Self.passphrase)
    killed.program.kill()
    #expect(
      try killed.machine.run("coffer", "lock").errors
        == "Nothing was unlocked: no agent or service has keys, and no coffer inspect a vault.\n")
  }

  @Test func `A process that keeps its keys is named, and the others are locked`() throws {
    let stopped = try RunningInspector.withPassphrase(Self.passphrase)
    let process = stopped.program.processIdentifier
    let running = try RunningInspector(on: stopped.machine)
    let session = try running.enter()
    kill(process, SIGSTOP)
    let outcome = try stopped.machine.run("coffer", "lock")
    #expect(outcome.exitCode == 1, "\(outcome)")
    #expect(outcome.errors.contains("in process \(process); end it with: kill -KILL \(process)"), "\(outcome)")
    #expect(try running.send("GET", "/items", as: session).status == 423)
    kill(process, SIGCONT)
    // It gets the signal now.
    try waitUntil("it is locked") { try stopped.machine.run("coffer", "lock").output.isEmpty }
  }

  @Test func `A process that has locked the whole file at once is named, too`() throws {
    let machine = try Machine()
    try machine.makeVault()
    let holder = try machine.start(
      "/usr/bin/python3",
      [
        "-c",
        """
        import fcntl, os, signal, sys, time
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)
        file = open(sys.argv[1], "w")
        fcntl.lockf(file, fcntl.LOCK_EX)
        os.open(sys.argv[2], os.O_CREAT)
        time.sleep(600)
        """, machine.vault.appending(path: "inspect.lock").path, machine.directory.path("held"),
      ])
    defer { holder.kill() }
    _ = try waitForFile(machine.directory.path("held"))
    let outcome = try machine.run("coffer", "lock")
    let process = holder.processIdentifier
    #expect(outcome.exitCode == 1, "\(outcome)")
    #expect(outcome.errors.contains("in process \(process); end it with: kill -KILL \(process)\n"), "\(outcome)")
  }

  @Test func `The process has the name of its program, which advice repeats`() throws {
    let inspector = try RunningInspector()
    let process = "/proc/\(inspector.program.processIdentifier)"
    #expect(try String(contentsOfFile: "\(process)/comm", encoding: .utf8) == "coffer-inspect\n")
    let words = try String(contentsOfFile: "\(process)/cmdline", encoding: .utf8).split(separator: "\0")
    #expect(words.first?.hasSuffix("/coffer-inspect") == true && words.dropFirst() == ["--no-open"])
  }

  @Test func `On a member, the advice is the command that was typed`() throws {
    let laptop = try Machine()
    let key = try laptop.makeVault()
    let remote = laptop.directory.path("vault.git")
    try Command.run("git", "init", "--quiet", "--bare", remote)
    try laptop.coffer("remote", "set", remote)
    try laptop.coffer("sync")
    let member = try Machine()
    try member.coffer("clone", "--member", "--name", "ci", "--no-passphrase", "--vault-key-file", key, remote)
    let outcome = try member.run("coffer", "inspect", "--no-open")
    #expect(outcome.exitCode == 4, "\(outcome)")
    #expect(outcome.errors.contains("on laptop, run: coffer inspect --no-open\n"), "\(outcome)")
  }
}
