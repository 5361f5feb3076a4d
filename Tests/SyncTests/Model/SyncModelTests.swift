import CofferTestSupport
import Foundation
import Testing

/// Random work on five machines, which write, sync in any order and are apart for long, against a model in memory.
@Suite struct SyncModelTests {
  /// The number of steps: 20,000 in a soak run (COFFER_SOAK=1).
  private static let stepCount = ProcessInfo.processInfo.environment["COFFER_SOAK"] == "1" ? 20_000 : 300
  private static let seeds: [UInt64] =
    ProcessInfo.processInfo.environment["COFFER_SEED"].flatMap { UInt64($0) }.map { [$0] } ?? [.random(in: 0 ... .max)]
  private static let itemCount = 8

  /// The first difference between machines and model.
  private struct Difference: Error, CustomStringConvertible {
    let description: String
  }

  /// The machines, the model, and how often each thing was done.
  private struct Run {
    let remote: TemporaryRemote
    let key: String
    var generator: SeededGenerator
    var machines: [ModelledMachine] = []
    var model = ModelledWrites()
    var step = 0
    var counts: [String: Int] = [:]
    private var cloneCount = 0

    init(seed: UInt64) throws {
      generator = SeededGenerator(seed: seed)
      let two = try TwoMachines()
      (remote, key) = (two.remote, two.key)
      machines = [
        try ModelledMachine(two.laptop, named: "laptop"), try ModelledMachine(two.desktop, named: "desktop"),
      ]
      for _ in 0..<3 { try join() }
    }

    private mutating func join() throws {
      cloneCount += 1
      let name = "machine-\(cloneCount)"
      let machine = try Machine()
      try machine.coffer("clone", "--name", name, "--no-passphrase", "--vault-key-file", key, remote.path)
      let joined = try ModelledMachine(machine, named: name)
      machines.append(joined)
      try sync(joined)
    }

    mutating func sync(_ machine: ModelledMachine) throws {
      let problems = try machine.sync()
      machine.known = model.sync(knowing: machine.known)
      guard problems.isEmpty else { throw Difference(description: "\(machine.name): \(problems)") }
    }

    /// Takes a machine out, with what it has not synced, and lets another one join.
    private mutating func replace(_ machine: ModelledMachine) throws {
      let laptop = machines[0]
      try laptop.machine.coffer("device", "revoke", machine.name, "--vault-key-file", key, "--yes")
      laptop.known = model.sync(knowing: laptop.known)
      machines.removeAll { $0 === machine }
      try join()
    }

    mutating func work() throws {
      step += 1
      let machine = generator.pick(machines)
      let item = Int.random(in: 0..<SyncModelTests.itemCount, using: &generator)
      let kind: String
      switch Int.random(in: 0..<1_000, using: &generator) {
      case ..<560:
        kind = "set"
        try machine.set("\(step)", item)
        machine.known = model.write("\(step)", to: item, knowing: machine.known)
      case ..<680:
        kind = "delete"
        let existed = try machine.delete(item)
        if existed { machine.known = model.write(nil, to: item, knowing: machine.known) }
      case ..<960:
        kind = "sync"
        try sync(machine)
      case ..<990:
        kind = "reopen"
        try machine.reopen()
      default:
        guard machine !== machines[0], generator.chance(SyncModelTests.stepCount > 1_000 ? 10 : 60) else { return }
        kind = "replace"
        try replace(machine)
      }
      counts[kind, default: 0] += 1
      try compare(item, on: machine)
    }

    func compare(_ item: Int, on machine: ModelledMachine) throws {
      let expected = model.values(of: item, knowing: machine.known)
      let found = try machine.values(of: item)
      // Deletions alone are no conflict, and an item that was never written is one that does not exist.
      let isEqual = expected.subtracting([nil]).isEmpty ? found == [nil] : found == expected
      guard isEqual, try found.contains(machine.value(of: item)) else {
        throw Difference(description: "\(machine.name), item \(item): \(found) instead of \(expected)")
      }
    }

    /// Lets all machines meet, and compares everything.
    mutating func converge() throws {
      for _ in 0..<2 { for machine in machines { try sync(machine) } }
      for item in 0..<SyncModelTests.itemCount {
        let current = try machines[0].value(of: item)
        for machine in machines {
          try compare(item, on: machine)
          guard try machine.value(of: item) == current else {
            throw Difference(description: "\(machine.name) and laptop read different values of item \(item)")
          }
        }
      }
    }
  }

  @Test(arguments: seeds)
  func `Machines that write, delete, sync, restart and are replaced have what a plain model has`(seed: UInt64) throws {
    var run = try Run(seed: seed)
    do {
      while run.step < Self.stepCount {
        try run.work()
        if run.step.isMultiple(of: 500) { try run.converge() }
      }
      try run.converge()
    } catch {
      Issue.record("seed \(seed), step \(run.step): \(error)")
    }
    #expect(run.counts["set", default: 0] > Self.stepCount / 3 && run.counts["sync", default: 0] > Self.stepCount / 6)
    if Self.stepCount > 1_000 { print("model: \(run.counts.sorted { $0.key < $1.key })") }
    for machine in run.machines { #expect(try machine.machine.run("coffer", "check").exitCode == 0) }
  }
}
