import Coffer
import CofferAdministration
import CofferTestSupport
import Foundation
import Testing

/// Three machines that write and sync while their programs are killed at random moments.
struct RandomKills {
  /// What a program does that is killed.
  enum Operation: String, CaseIterable {
    case set, delete, sync, compact
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let machines: PortableMachines
  private let all: [Machine]
  private var generator: SeededGenerator
  /// What every machine must have in the end: all writes that were acknowledged. Each account has one machine that
  /// writes it, so there are no conflicts.
  private var expected: [String: String] = [:]
  /// How long operations took that were not killed.
  private var durations: [Operation: Duration] = [:]
  private var writeCount = 0
  /// The number of programs that were running when they were killed.
  private(set) var kills: [Operation: Int] = [:]
  /// The number of programs that ended before they were to be killed.
  private(set) var escapes: [Operation: Int] = [:]
  /// The number of killed writes that are in the store.
  private(set) var keptCount = 0
  private(set) var acknowledgedCount = 0
  private(set) var concurrentCount = 0
  private(set) var epochs: Set<String> = []

  private static let accountsPerMachine = 12

  init(seed: UInt64) throws {
    generator = SeededGenerator(seed: seed)
    machines = try PortableMachines()
    try machines.enrolThird()
    all = [machines.laptop, machines.desktop, machines.third]
    for machine in all {
      for operation in [Operation.set, .sync, .delete, .compact] { try run(operation, on: machine) }
    }
  }

  private func require(_ condition: Bool, _ description: @autoclosure () -> String) throws {
    guard condition else { throw Failure(description: description()) }
  }

  // MARK: Operations

  private func start(_ operation: Operation, _ account: String, _ value: String, on machine: Machine) throws
    -> RunningProgram
  {
    // The program itself that syncs, and not one that waits for it.
    switch operation {
    case .set:
      try machine.start("coffer", ["set", "service", account, "--app", app], input: Data(value.utf8))
    case .delete: try machine.start("coffer", ["delete", "service", account, "--app", app])
    case .sync: try machine.start("coffer-sync", ["sync"])
    case .compact: try machine.start("coffer-sync", ["compact"])
    }
  }

  /// Runs a program, and kills it at a random moment if it is to be killed.
  private mutating func run(_ operation: Operation, on machine: Machine, isKilled: Bool = false) throws {
    guard let index = all.firstIndex(where: { $0 === machine }) else { return }
    var account = "\(index)-\(Int.random(in: 0..<Self.accountsPerMachine, using: &generator))"
    var operation = operation
    if operation == .delete {
      let own = expected.keys.filter { $0.hasPrefix("\(index)-") }.sorted()
      if own.isEmpty { operation = .set } else { account = generator.pick(own) }
    }
    writeCount += 1
    let value = "\(writeCount)"
    let start = ContinuousClock.now
    let program = try self.start(operation, account, value, on: machine)
    if isKilled, let usual = durations[operation] {
      let delay = Int.random(in: 0...Int(usual / .microseconds(1)), using: &generator)
      usleep(UInt32(delay))
      program.kill()
    }
    let outcome = try program.wait()
    if outcome.signal == SIGKILL {
      kills[operation, default: 0] += 1
      guard operation == .set || operation == .delete else { return }
      // It is there as a whole, or not at all; and that stays so.
      let found = try machine.storedValues()[account]
      let written = operation == .set ? value : nil
      try require(found == written || found == expected[account], "\(account) is \(found ?? "deleted")")
      if found == written, found != expected[account] { keptCount += 1 }
      expected[account] = found
      return
    }
    if isKilled { escapes[operation, default: 0] += 1 }
    // Another machine may be writing, or have begun an epoch.
    let isHindered = operation == .compact && [6, 7].contains(outcome.exitCode)
    try require(outcome.exitCode == 0 || isHindered, "\(operation) on machine \(index): \(outcome)")
    // Idle syncs take less time than those that are killed.
    durations[operation] = max(.now - start, (durations[operation] ?? .zero) * 0.9)
    guard operation == .set || operation == .delete else { return }
    acknowledgedCount += 1
    expected[account] = operation == .set ? value : nil
  }

  // MARK: Rounds

  /// Writes on a machine and syncs it, and kills one of the programs or both, while another machine may sync.
  mutating func work() throws {
    let machine = generator.pick(all)
    let other = generator.pick(all.filter { $0 !== machine })
    try run(generator.chance(80) ? .set : .delete, on: machine, isKilled: generator.chance(30))
    if generator.chance(30) {
      concurrentCount += 1
      let sync = try start(.sync, "", "", on: other)
      try run(generator.chance(90) ? .sync : .compact, on: machine, isKilled: true)
      let outcome = try sync.wait()
      try require(outcome.exitCode == 0, "a sync beside one that was killed: \(outcome)")
    } else {
      try run(generator.chance(85) ? .sync : .compact, on: machine, isKilled: true)
    }
  }

  /// Syncs all machines, and expects that each goes on by itself and has every acknowledged write.
  mutating func converge() throws {
    for machine in all + all { try run(.sync, on: machine) }
    for (index, machine) in all.enumerated() {
      let values = try machine.storedValues()
      let differences = Set(values.keys).union(expected.keys).filter { values[$0] != expected[$0] }.sorted()
      try require(
        differences.isEmpty,
        "machine \(index): \(differences.map { "\($0) is \(values[$0] ?? "nil"), not \(expected[$0] ?? "nil")" })")
      let status = try machine.storedStatus()
      try require(
        status.unsyncedChanges == 0 && status.pendingRecords == 0 && status.refusedRecords == 0,
        "machine \(index) has something to send, or records that do not count")
    }
    epochs.insert(try machines.branch)
  }

  /// Expects that every store is sound, and that machines and host are in the same epoch.
  func check() throws {
    for machine in all {
      try require(
        try machine.coffer("check") == "The store matches its signed objects.", "a store is not sound")
      try require(
        try "\(machine.storedStatus().epoch.number)" == machines.branch.split(separator: "-")[1], "another epoch")
    }
    try machines.git("fsck", "--connectivity-only")
  }
}
