import CofferFormat
import CofferSystem
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

extension KilledOperation {
  static let vaultKeys = [rotation, receivedRotation]

  @Sendable private static func newKey(_ machines: PortableMachines) -> String { machines.host.path("new-vault-key") }

  @Sendable private static func rotate(_ machines: PortableMachines) -> [String] {
    ["vault-key", "rotate", "--vault-key-file", machines.key, "--new-vault-key-file", newKey(machines)]
  }

  private static func opens(_ key: String, _ machine: Machine) throws -> Bool {
    guard FileManager.default.fileExists(atPath: key) else { return false }
    return try machine.run("coffer", "vault-key", "check", "--vault-key-file", key).exitCode == 0
  }

  /// Expects that the vault key was replaced once on both machines, and that the new one clones the vault.
  private static func expectRotated(_ machines: PortableMachines, by key: String) throws {
    for machine in [machines.laptop, machines.desktop] {
      let local = try LocalVault.open(VaultFolder(machine.vault))
      let membership = try local.membership()
      #expect(membership.successions.count == 1)
      #expect(membership.groups.values.allSatisfy { $0.generations.count == 2 })
      #expect(try local.deviceFile().transportKeys.map(\.generation) == [1, 2])
      #expect(try opens(key, machine) && !opens(machines.key, machine))
      #expect(try VaultCheck.open(local.folder).run().isEmpty)
    }
    try machines.third.coffer(
      "clone", "--name", "third", "--no-passphrase", "--vault-key-file", key, PortableMachines.url)
    #expect(try machines.third.storedValues() == ["kept": "1"])
    try machines.laptop.sync()
    try machines.desktop.sync()
  }

  static let rotation = KilledOperation(
    testDescription: "a replacement of the vault key",
    points: pushPoints.union(secretFilePoints).union([.vaultKeyWritten, .transportKeyWritten, .recordsRevalidated]),
    machine: \.laptop, arguments: { rotate($0) }
  ) { machines in
    try machines.laptop.set("kept", "1")
    for machine in [machines.laptop, machines.desktop] { try machine.sync() }
    return ["kept": "1"]
  } recover: { machines in
    try machines.laptop.sync()
    var key = newKey(machines)
    // Exactly one of the two vault keys counts, and the user has it.
    let hasNew = try opens(key, machines.laptop)
    #expect(try opens(machines.key, machines.laptop) == !hasNew)
    if !hasNew {
      key = machines.host.path("another-vault-key")
      try machines.laptop.coffer(
        "vault-key", "rotate", "--vault-key-file", machines.key, "--new-vault-key-file", key)
    }
    for machine in [machines.laptop, machines.desktop] { try machine.sync() }
    try expectRotated(machines, by: key)
    return [:]
  }

  static let receivedRotation = KilledOperation(
    testDescription: "a sync that receives a replacement of the vault key",
    points: transactionPoints.union(secretFilePoints).union([
      .remoteFetched, .transportKeyWritten, .logEntryImported, .recordsRevalidated,
    ]), machine: \.desktop, arguments: { _ in ["sync"] }
  ) { machines in
    try machines.laptop.set("kept", "1")
    for machine in [machines.laptop, machines.desktop] { try machine.sync() }
    try machines.laptop.succeed("coffer", rotate(machines))
    return ["kept": "1"]
  } recover: { machines in
    try machines.desktop.sync()
    try expectRotated(machines, by: newKey(machines))
    return [:]
  }
}
