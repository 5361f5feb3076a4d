import CofferTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(120))) struct ConcurrentKeychainTests {
  /// 8 × 8 × 100 if COFFER_SOAK is 1; that takes many minutes on a disk that needs milliseconds for a commit.
  private static let isSoak = SeededGenerator.isSoak

  private let machine: Machine
  private let notes: InstalledApp

  init() throws {
    machine = try Machine()
    try machine.makeVault()
    notes = try InstalledApp("notes", on: machine)
  }

  @Test func `Concurrent additions and updates of processes and threads lose nothing, and one adds each item`() throws {
    let (processes, threads, count) = Self.isSoak ? (8, 8, 100) : (4, 4, 25)
    let running = try (0..<processes).map { index in
      try machine.start(notes.program, ["concurrent", "process\(index)", "\(count)", "\(threads)"])
    }
    var acknowledged = Acknowledgements()
    for program in running {
      let outcome = try program.wait()
      #expect(outcome.exitCode == 0 && outcome.errors.isEmpty, "\(outcome.exitCode ?? 0) \(outcome.errors)")
      acknowledged.take(outcome.output)
    }
    #expect(acknowledged.own.count == processes * threads * count)
    #expect(acknowledged.claims.count == count)
    try expectAll(acknowledged)
    // Exactly the items that were added or updated, and none that was deleted.
    let accounts = try self.accounts()
    #expect(accounts.count == acknowledged.own.count + acknowledged.claims.count + min(count, 5))
    #expect(accounts.filter { $0.hasPrefix("passing-") } == [])
  }

  @Test(arguments: [SeededGenerator.runSeed])
  func `Acknowledged writes of killed processes are present, and the vault is intact and writable`(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    var acknowledged = Acknowledgements()
    for round in 0..<12 {
      let running = try ["a", "b"].map { suffix in
        try machine.start(notes.program, ["concurrent", "round\(round)\(suffix)", "1000000", "4"])
      }
      // Killed at some moment during the work.
      let enough = Int.random(in: 1...400, using: &random)
      try waitUntil("the programs write, or have ended") {
        let written = try running.reduce(0) { try $0 + $1.outputSoFar().count }
        return written >= enough || !running.contains(where: \.isRunning)
      }
      usleep(useconds_t.random(in: 0...5_000, using: &random))
      for program in running {
        program.kill()
        let outcome = try program.wait()
        #expect(outcome.exitCode == nil && outcome.errors.isEmpty, "\(outcome.exitCode ?? 0) \(outcome.errors)")
        acknowledged.take(outcome.output)
      }
    }
    #expect(acknowledged.own.count > 12)
    try expectAll(acknowledged)
    try notes.succeed("add", "afterwards", input: "v")
    #expect(try notes.succeed("get", "afterwards") == "v")
  }

  /// Expects each acknowledged item once, with its value, and a vault without damage.
  private func expectAll(_ acknowledged: Acknowledgements) throws {
    #expect(acknowledged.doubled == [])
    let accounts = Set(try self.accounts())
    #expect(acknowledged.own.filter { !accounts.contains($0) } == [])
    let own = acknowledged.own.sorted()
    try #expect(values(of: own) == own)
    let claims = acknowledged.claims.sorted { $0.key < $1.key }
    try #expect(values(of: claims.map(\.key)) == claims.map(\.value))
    #expect(try machine.status("conflictCount") == "0" && machine.status("pendingRecords") == "0")
    let store = machine.vault.appending(path: "store.sqlite").path
    #expect(try Command.run("sqlite3", store, "PRAGMA integrity_check; PRAGMA foreign_key_check") == "ok")
  }

  private func values(of accounts: [String]) throws -> [String] {
    guard !accounts.isEmpty else { return [] }
    return try machine.succeed(notes.program, ["get"] + accounts).components(separatedBy: "\n")
  }

  /// Returns the accounts of all items as `coffer` lists them (it reports damaged records as errors), each once.
  private func accounts() throws -> [String] {
    let list = try machine.coffer("list", "--json", "--app", notes.bundleID)
    let rows = try JSONSerialization.jsonObject(with: Data(list.utf8)) as? [[String: Any]]
    let accounts = rows?.compactMap { $0["account"] as? String } ?? []
    #expect(Set(accounts).count == accounts.count)
    return accounts
  }
}

/// The output of several processes.
private struct Acknowledgements {
  /// The items that have their final value, which is the name of their account.
  var own: Set<String> = []
  /// The items that several threads tried to add and one added: their values.
  var claims: [String: String] = [:]
  /// The acknowledgements that were printed twice.
  var doubled: [String] = []

  mutating func take(_ output: Data) {
    // A last line without a newline may have been cut off.
    for line in String(decoding: output, as: UTF8.self).components(separatedBy: "\n").dropLast() {
      let words = line.components(separatedBy: " ")
      switch (words.first, words.count) {
      case ("own", 2): if !own.insert(words[1]).inserted { doubled.append(line) }
      case ("claimed", 3): if claims.updateValue(words[2], forKey: words[1]) != nil { doubled.append(line) }
      default: doubled.append("not understood: \(line)")
      }
    }
  }
}
