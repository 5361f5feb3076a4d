import Coffer
import CofferAdministration
import CofferExchange
import CofferTestSupport
import CofferVault
import Foundation

/// Five machines of one vault beside the model of it, and the steps that they take.
struct ModelledVault {
  /// How much is done, and how often the rare things are: each takes place at every step that is a multiple of its
  /// number.
  struct Plan {
    let stepCount: Int
    let compactEvery: Int
    let replaceEvery: Int
    /// How often machines that were removed try to sync.
    let revokedEvery: Int
    let offlineEvery: Int
    let laneEvery: Int
    let convergeEvery: Int
    /// The size of an epoch's segments from which on it ends by itself.
    let epochByteCount: Int

    static let short = Plan(
      stepCount: 240, compactEvery: 47, replaceEvery: 131, revokedEvery: 145, offlineEvery: 33, laneEvery: 109,
      convergeEvery: 150, epochByteCount: 48 << 10)
    static let soak = Plan(
      stepCount: 20_000, compactEvery: 797, replaceEvery: 1_499, revokedEvery: 1_130, offlineEvery: 401, laneEvery: 293,
      convergeEvery: 2_500, epochByteCount: 768 << 10)
  }

  /// The first difference between machines and model.
  struct Difference: Error, CustomStringConvertible {
    let description: String
  }

  static let machineCount = 5
  private static let itemCount = 8

  let plan: Plan
  private let two: TwoMachines
  private var remote: TemporaryRemote { two.remote }
  private var generator: SeededGenerator
  private(set) var machines: [ModelledMachine] = []
  /// Machines that were removed and may not know it yet.
  private var revoked: [ModelledMachine] = []
  private var model = ModelledWrites()
  private(set) var step = 0
  private(set) var counts: [String: Int] = [:]
  private var cloneCount = 0
  private var keptBranchCount = 0

  init(_ plan: Plan, seed: UInt64) throws {
    self.plan = plan
    generator = SeededGenerator(seed: seed)
    two = try TwoMachines()
    machines = [
      try ModelledMachine(two.laptop, named: "laptop"), try ModelledMachine(two.desktop, named: "desktop"),
    ]
    while machines.count < Self.machineCount { try join(asMember: machines.count == 2) }
  }

  /// The last steps, for the report of a difference.
  private(set) var trace: [String] = []
  private static let traceLength = 200

  private mutating func count(_ kind: String, _ detail: String = "") {
    counts[kind, default: 0] += 1
    trace = trace.suffix(Self.traceLength - 1) + ["\(step): \(kind) \(detail)"]
  }

  private func require(_ condition: Bool, _ description: @autoclosure () -> String) throws {
    guard condition else { throw Difference(description: description()) }
  }

  // MARK: Steps

  /// Takes the next step.
  mutating func work() throws {
    step += 1
    func isTime(_ interval: Int) -> Bool { step.isMultiple(of: interval) }
    if isTime(plan.compactEvery) { try compact() }
    if isTime(plan.replaceEvery) { try replace() }
    if isTime(plan.revokedEvery) { try syncRevoked() }
    if isTime(plan.laneEvery) { try leaveInLane() }
    if isTime(plan.offlineEvery) { disconnect() }
    if isTime(plan.convergeEvery) { try converge() }
    let machine = generator.pick(machines)
    let item = Int.random(in: 0..<Self.itemCount, using: &generator)
    switch Int.random(in: 0..<1_000, using: &generator) {
    case ..<570: try set(item, on: machine)
    case ..<690:
      let existed = try machine.delete(item)
      count("delete", "\(item) on \(machine.name), \(existed)")
      if existed { machine.known = model.write(nil, to: item, knowing: machine.known) }
    case ..<970:
      guard machine.offlineUntil < step else { return count("no network", machine.name) }
      count("sync", machine.name)
      try sync(machine)
    default:
      count("reopen", machine.name)
      try machine.reopen()
    }
    try compare(item, on: machine)
  }

  private mutating func set(_ item: Int, on machine: ModelledMachine) throws {
    let value = "\(counts["set", default: 0] + 1)"
    count("set", "\(item) to \(value) on \(machine.name)")
    try machine.set(value, item)
    machine.known = model.write(value, to: item, knowing: machine.known)
  }

  private mutating func sync(_ machine: ModelledMachine) throws {
    let report = try machine.sync(epochByteCount: plan.epochByteCount)
    try record(report, of: machine)
  }

  /// Records what a sync must have done.
  private mutating func record(_ report: SyncReport, of machine: ModelledMachine) throws {
    machine.known = model.sync(knowing: machine.known)
    try require(
      report.isComplete && report.unadmittedRecords.entries.isEmpty && !report.isClonedDevice,
      "\(machine.name): \(report)")
    if machine.epoch > 0, report.epoch > machine.epoch + 1 { count("syncs over several epochs", machine.name) }
    machine.epoch = Int(report.epoch)
    if report.epoch > epoch { count("epochs", "\(report.epoch) by \(machine.name)") }
    epoch = max(epoch, Int(report.epoch))
  }

  private(set) var epoch = 1

  /// Machines that have a network, and that may do what only admins may.
  private var admins: [ModelledMachine] { machines.filter { $0.isAdmin && $0.offlineUntil < step } }

  private mutating func compact() throws {
    let machine = generator.pick(admins)
    let keepsBranch = generator.chance(40)
    try sync(machine)
    let former = epoch
    try record(try machine.compact(keepingBranch: keepsBranch), of: machine)
    try require(epoch == former + 1, "epoch \(epoch) follows \(former)")
    if keepsBranch { keptBranchCount += 1 }
    count(keepsBranch ? "compact --keep" : "compact", "\(machine.name) to epoch \(epoch)")
  }

  /// Takes a machine without a network for a time, in which several epochs may begin.
  private mutating func disconnect() {
    let connected = machines.filter { $0.offlineUntil < step }
    guard connected.count > 2 else { return }
    let machine = generator.pick(connected)
    guard connected.contains(where: { $0 !== machine && $0.isAdmin }) else { return }
    machine.offlineUntil = step + Int.random(in: 1...plan.compactEvery * 3, using: &generator)
    count("offline", "\(machine.name) until \(machine.offlineUntil)")
  }

  /// Lets a machine lose so many races that its changes wait in a lane.
  private mutating func leaveInLane() throws {
    let connected = machines.filter { $0.offlineUntil < step }
    let machine = generator.pick(connected)
    try set(0, on: machine)
    try "4".write(toFile: remote.path + "/races", atomically: true, encoding: .utf8)
    try remote.setPushHook(
      """
      read old new ref
      races=$(cat races)
      case $ref in refs/heads/vault-*) [ "$races" -gt 0 ] || exit 0 ;; *) exit 0 ;; esac
      echo $((races - 1)) > races
      unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES
      other=$(git -c user.name=host -c user.email=host@localhost commit-tree -m x -p "$ref" "$ref^{tree}")
      git update-ref "$ref" "$other"
      exit 1
      """)
    let report = try machine.sync(epochByteCount: .max)
    try remote.setPushHook(nil)
    try record(report, of: machine)
    try require(report.recordsInLanes > 0, "\(machine.name) has left nothing in a lane: \(report)")
    count("lane", machine.name)
  }

  // MARK: Machines that come and go

  private mutating func join(asMember isMember: Bool) throws {
    cloneCount += 1
    let name = "machine-\(cloneCount)"
    let machine = try Machine()
    try machine.succeed(
      "coffer",
      ["clone"] + (isMember ? ["--member", "--app", app] : [])
        + ["--name", name, "--no-passphrase", "--vault-key-file", two.key, remote.path])
    let joined = try ModelledMachine(machine, named: name, isAdmin: !isMember)
    machines.append(joined)
    count(isMember ? "member" : "admin", name)
    try sync(joined)
  }

  /// Removes a machine, with what it has not sent, and lets another one join. What it has not sent reaches nobody.
  private mutating func replace() throws {
    let machine = generator.pick(machines)
    let others = admins.filter { $0 !== machine }
    guard !others.isEmpty else { return }
    let admin = generator.pick(others)
    try admin.machine.coffer("device", "revoke", machine.name, "--vault-key-file", two.key, "--yes")
    admin.known = model.sync(knowing: admin.known)
    machines.removeAll { $0 === machine }
    for item in 0..<Self.itemCount { try machine.set("of a machine that was removed", item) }
    revoked = (revoked + [machine]).suffix(2)
    count("revoke", "\(machine.name) by \(admin.name)")
    try join(asMember: !machine.isAdmin)
  }

  /// Lets the machines that were removed sync, after which they know it. They send nothing.
  private mutating func syncRevoked() throws {
    for machine in revoked {
      let branches = try remote.git("for-each-ref")
      do {
        let report = try machine.sync(epochByteCount: 1)
        throw Difference(description: "\(machine.name) was removed, and has synced: \(report)")
      } catch let error as VaultError where error.code == .notEntitled && error.description.contains("removed") {
        count("sync of a machine that was removed")
      }
      try require(remote.git("for-each-ref") == branches, "\(machine.name) was removed, and has pushed")
    }
  }

  // MARK: Comparisons

  private func compare(_ item: Int, on machine: ModelledMachine) throws {
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
    for machine in machines { machine.offlineUntil = 0 }
    for _ in 0..<2 { for machine in machines { try sync(machine) } }
    for item in 0..<Self.itemCount {
      let current = try machines[0].value(of: item)
      for machine in machines {
        try compare(item, on: machine)
        guard try machine.value(of: item) == current else {
          throw Difference(
            description: "\(machine.name) and \(machines[0].name) read different values of item \(item)")
        }
      }
    }
    for machine in machines {
      let status = try machine.machine.storedStatus()
      try require(
        status.epoch.number == epoch && status.unsyncedChanges == 0,
        "\(machine.name) is in epoch \(status.epoch), not \(epoch)")
    }
    let branches = try remote.git("for-each-ref", "--format=%(refname)", "refs/heads/vault-*", "refs/heads/lane-*")
      .split(separator: "\n")
    try require(branches.count == keptBranchCount + 1, "\(branches), of which \(keptBranchCount) were kept")
    count("converged")
  }

  /// Expects that every store is sound, also of machines that were removed.
  func check() throws {
    for machine in machines + revoked {
      let outcome = try machine.machine.run("coffer", "check")
      try require(outcome.exitCode == 0, "\(machine.name): \(outcome)")
    }
  }
}
