import Coffer
import CofferExchange
import CofferTestSupport
import CofferVault
import Foundation
import Logging

/// A machine of the model: its real vault, and the writes that it must know.
final class ModelledMachine {
  let name: String
  let machine: Machine
  /// Whether it may begin epochs and remove machines.
  let isAdmin: Bool
  var known: Set<Int> = []
  /// The epoch that it follows; 0 before its first sync.
  var epoch = 0
  /// The step until which it has no network.
  var offlineUntil = 0
  private var local: LocalVault
  private var vault: Vault

  init(_ machine: Machine, named name: String, isAdmin: Bool = true) throws {
    self.name = name
    self.machine = machine
    self.isAdmin = isAdmin
    (vault, _, local) = try Vault.open(applicationNamed: app, in: VaultFolder(machine.vault))
  }

  /// Opens the vault again, as a program that is started anew.
  func reopen() throws { (vault, _, local) = try Vault.open(applicationNamed: app, in: VaultFolder(machine.vault)) }

  private func item(_ number: Int) -> GenericPassword { GenericPassword(service: "model", account: "\(number)") }

  func set(_ value: String, _ number: Int) throws { try vault.set(value, for: item(number)) }

  /// Deletes an item. Returns whether it existed.
  func delete(_ number: Int) throws -> Bool { try vault.delete(item(number)) }

  /// The value that reads return.
  func value(of number: Int) throws -> String? { try vault.string(for: item(number)) }

  /// All current values: one, or those of a conflict.
  func values(of number: Int) throws -> Set<String?> {
    let conflicts = try vault.conflicts(GenericPassword.self).filter { conflict in
      conflict.versions.contains { $0.item?.account == "\(number)" }
    }
    guard let conflict = conflicts.first else { return [try value(of: number)] }
    return Set(try conflict.versions.map { try vault.value(of: $0).map { String(decoding: $0, as: UTF8.self) } })
  }

  private func synchronizer(epochByteCount: Int) -> Synchronizer {
    Synchronizer(
      local, epochByteCount: epochByteCount, logger: Logger(label: "model") { _ in SwiftLogNoOpLogHandler() })
  }

  /// Syncs. An admin's machine begins another epoch if this one has more than `epochByteCount` bytes.
  func sync(epochByteCount: Int) throws -> SyncReport {
    let report = try synchronizer(epochByteCount: epochByteCount).run()
    try local.markRead(report.problems)
    return report
  }

  /// Begins another epoch.
  func compact(keepingBranch: Bool) throws -> SyncReport {
    try synchronizer(epochByteCount: .max).compact(keepingBranch: keepingBranch)
  }
}
