import CofferFormat
import CofferSystem
import CofferTestSupport
import CofferTrust
import CofferVault
import Testing

extension KilledOperation {
  static let revocations = [revocation, receivedRevocation]

  /// Clones the vault to the third machine, which writes an item.
  @Sendable private static func enrolThird(_ machines: PortableMachines) throws -> [String: String] {
    try machines.enrolThird()
    try machines.third.set("by the third", "1")
    try machines.third.sync()
    try machines.laptop.sync()
    return ["by the third": "1"]
  }

  @Sendable private static func revoke(_ machines: PortableMachines) -> [String] {
    ["device", "revoke", "third", "--vault-key-file", machines.key, "--yes"]
  }

  /// Expects that the third machine is removed, once.
  private static func expectRevoked(_ machines: PortableMachines) throws {
    for machine in [machines.laptop, machines.desktop] {
      let local = try LocalVault.open(VaultFolder(machine.vault))
      let membership = try local.membership()
      #expect(membership.revocations.count == 1)
      #expect(try local.deviceFile().transportKeys.map(\.generation) == [1, 2])
      #expect(membership.groups.values.allSatisfy { $0.generations.count == 2 })
      #expect(try VaultCheck.open(local.folder).run().isEmpty)
    }
    #expect(try machines.third.run("coffer", "sync").exitCode == 4)
  }

  static let revocation = KilledOperation(
    testDescription: "a revocation",
    points: pushPoints.union(secretFilePoints).union([.transportKeyWritten, .recordsRevalidated]), machine: \.laptop,
    arguments: { revoke($0) }
  ) { machines in
    try enrolThird(machines)
  } recover: { machines in
    try machines.laptop.sync()
    let local = try LocalVault.open(VaultFolder(machines.laptop.vault))
    if try local.membership().revocations.isEmpty { try machines.laptop.succeed("coffer", revoke(machines)) }
    try machines.laptop.sync()
    try machines.desktop.sync()
    try expectRevoked(machines)
    return [:]
  }

  static let receivedRevocation = KilledOperation(
    testDescription: "a sync that receives a revocation",
    points: pushPoints.union(secretFilePoints).union([
      .transportKeyWritten, .logEntryImported, .recordsRevalidated, .segmentImported,
    ]), machine: \.desktop, arguments: { _ in ["sync"] }
  ) { machines in
    let values = try enrolThird(machines)
    try machines.laptop.succeed("coffer", revoke(machines))
    try machines.laptop.set("sealed under the new key", "1")
    try machines.laptop.sync()
    return values.merging(["sealed under the new key": "1"]) { $1 }
  } recover: { machines in
    try machines.desktop.sync()
    try expectRevoked(machines)
    return [:]
  }
}
