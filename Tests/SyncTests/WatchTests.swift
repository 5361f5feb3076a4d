import CofferTestSupport
import Foundation
import Testing

/// `coffer sync --watch`, as a process.
@Suite struct WatchTests {
  /// Starts to watch, and waits until the first sync has ended.
  private func watch(_ machine: Machine, every interval: String = "1h", wrapper: [String] = []) throws -> RunningProgram
  {
    let program = try machine.start("coffer", ["sync", "--watch", "--interval", interval], wrapper: wrapper)
    try waitUntil("the first sync has ended") {
      guard program.isRunning else { throw SpawnedProgram.Failure(description: "\(try program.wait())") }
      return try program.errorsSoFar().contains("watching") && machine.health()["nextSync"] != nil
    }
    return program
  }

  /// Ends a process as systemd and Ctrl-C do, and returns how it has ended.
  private func stop(_ program: RunningProgram, by signal: Int32 = SIGTERM) throws -> Machine.Outcome {
    kill(program.processIdentifier, signal)
    return try program.wait()
  }

  @Test func `A change is on the remote soon after its commit, and one line says so`() throws {
    let suite = try TwoMachines()
    let program = try watch(suite.laptop)
    let before = suite.remote.tip
    try suite.laptop.set("a", "1")
    try waitUntil("the change is sent") { suite.remote.tip != before }
    try waitUntil("the sync is recorded") { try program.errorsSoFar().contains("synced: sent 1 item change") }
    let outcome = try stop(program)
    #expect(outcome.exitCode == 0 && outcome.errors.hasSuffix("coffer-sync: stopped\n"), "\(outcome)")
    #expect(outcome.errors.split(separator: "\n").count == 3, "\(outcome)")
  }

  @Test func `The writes of a sync call for no other one: the next begins at the interval, and not before`() throws {
    let suite = try TwoMachines()
    // If the writes of a sync called for another one, that would begin within four seconds.
    let program = try watch(suite.laptop, every: "10s")
    try suite.laptop.set("a", "1")
    try waitUntil("the change is sent") { try program.errorsSoFar().contains("synced: sent 1 item change") }
    let tip = suite.remote.tip
    let attempt = try #require(try suite.laptop.lastAttempt())
    var next = attempt
    try waitUntil("the next sync has ended") {
      next = try #require(try suite.laptop.lastAttempt())
      return next != attempt
    }
    // Waits are up to 20 % shorter than the interval.
    #expect(next - attempt >= 8, "\(next - attempt) s")
    #expect(suite.remote.tip == tip)
    #expect(try stop(program).exitCode == 0)
  }

  @Test func `Changes of other machines arrive at the interval`() throws {
    let suite = try TwoMachines()
    let program = try watch(suite.laptop, every: "1s")
    try suite.desktop.set("a", "from the desktop")
    try suite.desktop.sync()
    try waitUntil("the change has arrived") { (try? suite.laptop.get("a")) == "from the desktop" }
    #expect(try stop(program, by: SIGINT).exitCode == 0)
  }

  @Test func `What another machine has written arrives soon after a program has looked for it`() throws {
    let suite = try TwoMachines()
    let start = ContinuousClock.now
    let program = try watch(suite.laptop, every: "3m")
    try suite.desktop.set("a", "from the desktop")
    try suite.desktop.sync()
    try waitUntil("the item has arrived") { (try? suite.laptop.get("a")) == "from the desktop" }
    #expect(ContinuousClock.now - start < .seconds(140), "sooner than the interval")
    #expect(try stop(program).exitCode == 0)
  }

  @Test func `A second process names the first one and ends, and status shows which one runs`() throws {
    struct Status: Decodable {
      struct Sync: Decodable {
        let isWatched: Bool
        let process: Int32?
        let nextSync: Date?
        let failureCount: Int
      }
      let sync: Sync
    }
    func status(_ machine: Machine) throws -> Status.Sync {
      let decoder = JSONDecoder()
      decoder.dateDecodingStrategy = .iso8601
      return try decoder.decode(Status.self, from: Data(machine.coffer("status", "--json").utf8)).sync
    }
    let suite = try TwoMachines()
    let program = try watch(suite.laptop)
    let second = try suite.laptop.run("coffer", "sync", "--watch")
    #expect(second.exitCode == 1 && second.errors.contains("process \(program.processIdentifier) syncs the vault"))
    let shown = try status(suite.laptop)
    #expect(shown.isWatched && shown.process == program.processIdentifier && shown.failureCount == 0)
    #expect(try #require(shown.nextSync) > Date.now.addingTimeInterval(1_800))
    let text = try suite.laptop.coffer("status")
    #expect(text.contains("process \(program.processIdentifier) syncs by itself, last "), "\(text)")
    // Other syncs are not kept out.
    try suite.laptop.sync()
    program.kill()
    _ = try program.wait()
    #expect(try !status(suite.laptop).isWatched)
    #expect(try suite.laptop.coffer("status").contains("no sync runs by itself (coffer service install)"))
    #expect(try stop(watch(suite.laptop)).exitCode == 0)
  }

  @Test func `A vault that was cloned again after its folder was moved aside is watched, too`() throws {
    let suite = try TwoMachines()
    let program = try watch(suite.laptop)
    let vault = suite.laptop.vault.path
    try FileManager.default.moveItem(atPath: vault, toPath: vault + ".away")
    try suite.laptop.coffer(
      "clone", "--name", "again", "--no-passphrase", "--vault-key-file", suite.key, suite.remote.path)
    try waitUntil("the new folder is synced") { try suite.laptop.health()["nextSync"] != nil }
    let before = suite.remote.tip
    try suite.laptop.set("a", "1")
    try waitUntil("the change is sent") { suite.remote.tip != before }
    let second = try suite.laptop.run("coffer", "sync", "--watch")
    #expect(second.exitCode == 1 && second.errors.contains("process \(program.processIdentifier) syncs the vault"))
    #expect(try stop(program).exitCode == 0)
  }

  @Test func `A remote that cannot be reached is named once, and synced with as soon as it is back`() throws {
    let suite = try TwoMachines()
    let program = try watch(suite.laptop, every: "1s")
    let away = suite.remote.path + ".away"
    try FileManager.default.moveItem(atPath: suite.remote.path, toPath: away)
    try waitUntil("several syncs have failed") { (try suite.laptop.health()["failureCount"] as? Int ?? 0) > 2 }
    #expect(try suite.laptop.coffer("status").contains("Sync fails"))
    try suite.laptop.set("a", "1")
    try FileManager.default.moveItem(atPath: away, toPath: suite.remote.path)
    try waitUntil("the sync works again") { try program.errorsSoFar().contains("the sync works again") }
    try suite.desktop.sync()
    #expect(try suite.desktop.get("a") == "1")
    let outcome = try stop(program)
    #expect(outcome.errors.components(separatedBy: "the sync failed").count == 2, "\(outcome)")
    #expect(try !suite.laptop.coffer("status").contains("Sync fails"))
  }

  @Test func `A signal ends it at once, also while the remote is silent, and leaves no process`() throws {
    let machine = try Machine()
    try machine.makeVault()
    let processes = machine.directory.path("processes")
    machine.environment["COFFER_SSH"] = try machine.directory.writeScript(
      "ssh", "echo $$ > '\(processes).new' && mv '\(processes).new' '\(processes)' && exec cat > /dev/null")
    try machine.setRemote("host.example:vault.git")
    let program = try machine.start("coffer", ["sync", "--watch"])
    let ssh = try #require(Int32(waitForFile(processes).trimmingCharacters(in: .whitespacesAndNewlines)))
    let start = ContinuousClock.now
    #expect(try stop(program).exitCode == 0)
    // Sooner than the time limits of the connection.
    #expect(ContinuousClock.now - start < .seconds(25) && waitForEnd(ofProcess: ssh))
  }

  @Test func `A wrong interval and a missing vault are refused`() throws {
    let machine = try Machine()
    for interval in ["0s", "5", "8d", "-1m", "1x"] {
      #expect(try machine.run("coffer", "sync", "--watch", "--interval=\(interval)").exitCode == 2)
    }
    for arguments in [["--json"], ["--progress"]] {
      #expect(try machine.start("coffer", ["sync", "--watch"] + arguments).wait().exitCode == 2)
    }
    #expect(try machine.run("coffer", "sync", "--interval", "5m").exitCode == 2)
    let outcome = try machine.run("coffer", "sync", "--watch")
    #expect(outcome.exitCode == 1 && outcome.errors.contains("there is no vault at"), "\(outcome)")
  }

  #if os(Linux)
    @Test(.enabled(if: geteuid() == 0, "only root can change a network"))
    func `A change of the network after a failure leads to a sync`() throws {
      let suite = try TwoMachines()
      try FileManager.default.moveItem(atPath: suite.remote.path, toPath: suite.remote.path + ".away")
      let program = try watch(suite.laptop, wrapper: ["unshare", "--net"])
      #expect(try suite.laptop.health()["failureCount"] as? Int == 1)
      try FileManager.default.moveItem(atPath: suite.remote.path + ".away", toPath: suite.remote.path)
      try Command.run(
        "nsenter", "--net=/proc/\(program.processIdentifier)/ns/net", "ip", "link", "set", "lo", "up")
      try waitUntil("the sync works again") { try program.errorsSoFar().contains("the sync works again") }
      let outcome = try stop(program)
      let (network, success) = (
        outcome.errors.range(of: "the network has changed"), outcome.errors.range(of: "the sync works again")
      )
      #expect(try #require(network?.lowerBound) < #require(success?.lowerBound))
    }
  #endif
}

extension Machine {
  /// What the last syncs have left; empty if there is nothing.
  fileprivate func health() throws -> [String: Any] {
    guard let data = FileManager.default.contents(atPath: vault.appending(path: "sync-health").path) else { return [:] }
    return try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
  }

  /// When the last sync has ended, in seconds.
  fileprivate func lastAttempt() throws -> Double? { try health()["lastAttempt"] as? Double }

  /// Sets a remote without a look at it.
  func setRemote(_ url: String) throws {
    try Command.run(
      "sqlite3", vault.appending(path: "store.sqlite").path,
      "INSERT OR REPLACE INTO setting (name, value) VALUES ('remote-url', CAST('\(url)' AS BLOB))")
  }
}
