import CofferTestSupport
import Foundation
import Testing

@Suite struct CrashTests {
  @Test func `Syncs killed at random moments block nothing, and everything arrives in the end`() throws {
    var generator = SeededGenerator(seed: 7)
    let suite = try TwoMachines()
    for round in 0..<12 {
      let machine = round % 2 == 0 ? suite.laptop : suite.desktop
      try machine.set("round-\(round)", "value \(round)")
      let sync = try machine.start("coffer", ["sync"])
      usleep(UInt32.random(in: 1_000...80_000, using: &generator))
      sync.kill()
      _ = try sync.wait()
    }
    for machine in [suite.laptop, suite.desktop, suite.laptop] { try machine.coffer("sync") }
    #expect(try suite.laptop.values().count == 12)
    #expect(try suite.desktop.values() == suite.laptop.values())
    #expect(try Command.run("git", "-C", suite.remote.path, "fsck", "--no-dangling").contains("error") == false)
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `Ctrl-C ends a sync that waits for a silent remote, and the ssh that it started`(signal: Int32) throws {
    let machine = try Machine()
    try machine.makeVault()
    let started = machine.directory.path("ssh-started")
    machine.environment["COFFER_SSH"] = try machine.directory.writeScript(
      "silent-ssh", "echo $$ > '\(started).new' && mv '\(started).new' '\(started)'; exec sleep 600")
    try machine.coffer("remote", "set", "host.example:vault.git")
    let sync = try machine.start("coffer", ["sync"])
    while !FileManager.default.fileExists(atPath: started) {
      try #require(sync.isRunning)
      usleep(5_000)
    }
    kill(sync.processIdentifier, signal)
    let outcome = try sync.wait()
    #expect(outcome.exitCode == 7 && outcome.errors.contains("cancelled"), "\(outcome)")
    let ssh = try String(contentsOfFile: started, encoding: .utf8).trimmingCharacters(in: .newlines)
    #expect(kill(try #require(pid_t(ssh)), 0) != 0)
  }

  @Test func `Clones killed at random moments do not block the next one`() throws {
    var generator = SeededGenerator(seed: 11)
    let suite = try TwoMachines()
    try suite.laptop.set("kept", "value")
    try suite.laptop.coffer("sync")
    let third = try Machine()
    for _ in 0..<6 {
      let clone = try third.start(
        "coffer", ["clone", "--no-passphrase", "--vault-key-file", suite.key, suite.remote.path])
      usleep(UInt32.random(in: 1_000...90_000, using: &generator))
      clone.kill()
      _ = try clone.wait()
      if FileManager.default.fileExists(atPath: third.vault.path) {
        try FileManager.default.removeItem(at: third.vault)
      }
    }
    try third.coffer("clone", "--no-passphrase", "--vault-key-file", suite.key, suite.remote.path)
    #expect(try third.get("kept") == "value")
    // The last killed clone's coffer-sync may still run; the next command that creates a vault removes what it leaves.
    var leftovers: [String] = []
    for _ in 0..<100 {
      #expect(try third.run("coffer", "init", "--no-passphrase").exitCode == 1)
      leftovers = try FileManager.default.contentsOfDirectory(atPath: third.home.appending(path: "vaults").path)
      if leftovers == ["default"] { break }
    }
    #expect(leftovers == ["default"])
  }

  @Test func `An acknowledged write is present after kill -9, and the vault opens`() throws {
    var generator = SeededGenerator(seed: 13)
    let machine = try Machine()
    try machine.makeVault()
    try machine.register("PhotoPro")
    var acknowledged: Set<String> = []
    for round in 0..<25 {
      let write = try machine.start(
        "coffer", ["set", "service", "account-\(round)", "--app", app], input: Data("value \(round)".utf8))
      usleep(UInt32.random(in: 1_000...40_000, using: &generator))
      write.kill()
      if try write.wait().exitCode == 0 { acknowledged.insert("account-\(round)") }
    }
    let values = try machine.values()
    #expect(acknowledged.isSubset(of: values.keys))
    for (account, value) in values { #expect(value == "value " + account.dropFirst("account-".count)) }
    let check = try Command.run(
      "python3", "-c",
      "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute('PRAGMA integrity_check').fetchone()[0])",
      machine.vault.appending(path: "store.sqlite").path)
    #expect(check == "ok")
  }

  @Test func `A copied home that syncs under the same name is reported, and neither copy loses an item`() throws {
    let suite = try TwoMachines()
    let copy = try Machine()
    try Command.run("cp", "-a", suite.laptop.home.path, copy.home.path)
    try suite.laptop.set("original", "1")
    try copy.set("copy", "2")
    try suite.laptop.coffer("sync")
    let sync = try copy.run("coffer", "sync")
    #expect(sync.exitCode == 0, "\(sync)")
    #expect(sync.text.contains("copy of this machine"), "\(sync)")
    for machine in [suite.laptop, copy, suite.desktop] { try machine.coffer("sync") }
    for machine in [suite.laptop, copy, suite.desktop] {
      #expect(try machine.values() == ["original": "1", "copy": "2"])
    }
  }

  @Test func `A machine restored from a backup gets its later changes back and continues`() throws {
    let suite = try TwoMachines()
    try suite.laptop.set("before", "1")
    try suite.laptop.coffer("sync")
    let backup = suite.laptop.directory.path("backup")
    try Command.run("cp", "-a", suite.laptop.home.path, backup)
    try suite.laptop.set("after", "2")
    try suite.laptop.coffer("sync")
    try FileManager.default.removeItem(at: suite.laptop.home)
    try FileManager.default.moveItem(atPath: backup, toPath: suite.laptop.home.path)
    try suite.laptop.set("restored", "3")
    try suite.laptop.coffer("sync")
    try suite.desktop.coffer("sync")
    let expected = ["before": "1", "after": "2", "restored": "3"]
    #expect(try suite.laptop.values() == expected)
    #expect(try suite.desktop.values() == expected)
  }
}
