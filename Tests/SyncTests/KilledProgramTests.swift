import Coffer
import CofferAdministration
import CofferStore
import CofferSystem
import CofferTestSupport
import CofferVault
import Foundation
import Testing

/// Programs that are killed at a fault point, as by a crash or a power failure.
@Suite struct KilledProgramTests {
  /// The fault points at which an operation is killed: all that it reaches in a full run, otherwise those that no
  /// operation before it in the list reaches.
  private static let plan = {
    var killed: Set<FaultPoint> = []
    return KilledOperation.all.compactMap { operation -> (operation: KilledOperation, points: Set<FaultPoint>)? in
      let points = TestRun.isFull ? operation.points : operation.points.subtracting(killed)
      killed.formUnion(points)
      return points.isEmpty ? nil : (operation, points)
    }
  }()

  @Test(arguments: plan)
  func `A program killed at any step loses and duplicates nothing, and both machines continue`(
    operation: KilledOperation, points: Set<FaultPoint>
  ) throws {
    let template = try PortableMachines()
    let acknowledged = try operation.prepare(template)
    let undisturbed = try PortableMachines(copying: template)
    let steps = try operation.machine(undisturbed).steps(
      of: "coffer", try operation.arguments(undisturbed), input: operation.input, exitCode: operation.exitCode)
    #expect(Set(steps.map(\.point)) == operation.points)
    let distinct = steps.filter {
      points.contains($0.point) && ($0.occurrence == 1 || TestRun.isFull && $0.point.changesDisk)
    }
    for step in distinct {
      let machines = try PortableMachines(copying: template)
      let victim = operation.machine(machines)
      // Throws unless the program is killed at this very step.
      try victim.kill("coffer", try operation.arguments(machines), input: operation.input, at: step)
      try operation.inspect(machines, step)
      guard let recovered = try operation.recover(machines) else { continue }
      let comment: Comment = "\(operation.testDescription) killed at \(step)"
      var values = acknowledged.merging(recovered) { $1 }
      try machines.expectConvergence(to: &values, writing: [victim], comment)
      if step == distinct.last {
        try machines.expectConvergence(to: &values, writing: [machines.desktop, machines.laptop], comment)
        try machines.git("fsck", "--connectivity-only")
      }
    }
  }

  @Test func `Every fault point is a step of a program that is killed there`() {
    // FirstLaunchTests kill an app at each step of its first launch, the last of which only that has, and
    // JoiningCloneTests kill a clone that a vault of this machine joins.
    // BackupFileTests kill backups and restores.
    let others: [FaultPoint] = [
      .appRegistered, .appsJoined, .itemsTaken, .formerVaultRetired, .formerVaultDiscarded, .backupWritten,
      .backupVerified,
      .backupMoved, .backupUnpacked,
    ]
    #expect(Set(KilledOperation.all.flatMap(\.points) + others) == Set(FaultPoint.allCases))
  }

  @Test func `A fault point kills only the program that the environment names`() throws {
    let machines = try PortableMachines()
    let log = machines.laptop.directory.path("log")
    let arguments = ["set", "service", "account", "--app", app]
    for variables in [["COFFER_FAULT_POINT": "transactionCommitted:1"], ["COFFER_FAULT_LOG": log]] {
      let outcome = try machines.laptop.start(
        "coffer", arguments, input: Data("value".utf8), environment: variables
      ).wait()
      #expect(outcome.exitCode == 0, "\(outcome)")
    }
    #expect(try String(contentsOfFile: log, encoding: .utf8) == "transactionComplete\ntransactionCommitted\n")
  }
}

extension FaultPoint {
  /// Whether the disk differs from that at the step before, which is a kill of its own.
  fileprivate var changesDisk: Bool {
    switch self {
    case .transactionComplete, .logEntryImported, .segmentsWithdrawn, .segmentImported, .recordsRevalidated,
      .segmentSealed:
      false
    default: true
    }
  }
}

extension PortableMachines {
  /// Writes on some machines, syncs them, and expects that laptop and desktop have all values once, the same log and
  /// nothing left to push.
  fileprivate func expectConvergence(
    to values: inout [String: String], writing machines: [Machine], _ comment: Comment
  ) throws {
    for (number, machine) in machines.enumerated() {
      let account = "after \(values.count) on \(number)"
      try machine.set(account, "later")
      values[account] = "later"
    }
    let first = machines.first === laptop ? laptop : desktop
    let second = first === laptop ? desktop : laptop
    for machine in machines { try machine.sync() }
    for machine in [first, second] where machine !== machines.last { try machine.sync() }
    for machine in [laptop, desktop] {
      #expect(try machine.storedValues() == values, comment)
      let local = try LocalVault.open(VaultFolder(machine.vault))
      try local.store.checkIntegrity()
      let status = try VaultStatus.read(from: local)
      #expect(status.unsyncedChanges == 0 && status.pendingRecords == 0, comment)
      #expect(status.groups.allSatisfy { $0.conflictCount == 0 }, comment)
    }
    let (ours, theirs) = (try laptop.storedStatus(), try desktop.storedStatus())
    #expect(ours.logLength == theirs.logLength && ours.headPhrase == theirs.headPhrase, comment)
    #expect(ours.groups.map(\.itemCount) == theirs.groups.map(\.itemCount), comment)
    try expectWholeStreams(comment)
  }

  /// Expects that no stream and no log has a gap on the remote.
  private func expectWholeStreams(_ comment: Comment) throws {
    var numbers: [String: Set<Int>] = [:]
    for path in try files() {
      let parts = path.split(separator: "/").map(String.init)
      guard parts.count > 2, let number = Int(parts[parts.count - 1]) else { continue }
      numbers[parts.dropLast(2).joined(separator: "/"), default: []].insert(number)
    }
    for (folder, numbers) in numbers {
      // A later epoch begins with the segments after its snapshot.
      let first = folder == "log" ? 1 : try branch == "vault-1" ? 0 : numbers.min() ?? 0
      #expect(numbers == Set(first..<first + numbers.count), comment)
    }
  }

  /// Expects that nothing remains of the third machine's killed run beside its vault.
  func expectNoLeftovers() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: third.home.appending(path: "vaults").path)
    #expect(names == ["default"])
  }
}
