import Coffer
import CofferAdministration
import CofferExchange
import CofferGit
import CofferStore
import CofferTestSupport
import CofferVault
import Foundation
import Logging

/// What `coffer` and `coffer-sync` do, by the same functions in this process: the start of a program takes longer than
/// most of what it does here.
extension Machine {
  /// Syncs; throws if `coffer sync` would not exit with 0.
  func sync() throws {
    guard isPlain, try syncsWithPath() else {
      try coffer("sync")
      return
    }
    _ = Self.ignoredSignal
    let report = try VaultSync(
      VaultFolder(vault), cancellation: Cancellation(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ).run()
    try local.markRead(report.problems)
    guard report.problems.isEmpty else {
      throw SpawnedProgram.Failure(description: "sync: \(report.problems.map(\.message).joined(separator: "\n"))")
    }
  }

  /// Sets the value of an item of the example app, in service `service`.
  func set(_ account: String, _ value: String) throws {
    guard isPlain else {
      try coffer("set", "service", account, "--app", app, input: value)
      return
    }
    try exampleVault().set(value, for: GenericPassword(service: "service", account: account))
  }

  func get(_ account: String) throws -> String {
    guard isPlain else { return try coffer("get", "service", account, "--app", app) }
    guard let value = try exampleVault().string(for: GenericPassword(service: "service", account: account)) else {
      throw SpawnedProgram.Failure(description: "get: no item of service and \(account)")
    }
    return value
  }

  /// The vault as `--app` opens it: as the example app is registered, whatever its plist says.
  func exampleVault() throws -> Vault { try Vault.open(applicationNamed: app, in: VaultFolder(vault)).vault }

  /// Returns one field of `status --json` as text.
  func status(_ field: String) throws -> String {
    if isPlain, let value = try Self.fields[field]?(VaultStatus.read(from: local)) { return value }
    let object = try JSONSerialization.jsonObject(with: Data(coffer("status", "--json").utf8)) as? [String: Any]
    return object?[field].map { "\($0)" } ?? "none"
  }

  private static let fields: [String: @Sendable (VaultStatus) -> String] = [
    "headPhrase": { $0.headPhrase },
    "team": { $0.team },
    "logLength": { "\($0.logLength)" },
    "epoch": { "\($0.epoch.number)" },
    "unsyncedChanges": { "\($0.unsyncedChanges)" },
    "pendingRecords": { "\($0.pendingRecords)" },
    "refusedRecords": { "\($0.refusedRecords)" },
    "missingSegmentCount": { "\($0.missingSegmentCount)" },
    "replacementCount": { "\($0.replacementCount)" },
    "vaultKeyNumber": { "\($0.vaultKeyNumber)" },
    "itemCount": { "\($0.groups.reduce(0) { $0 + $1.itemCount })" },
    "conflictCount": { "\($0.groups.reduce(0) { $0 + $1.conflictCount })" },
  ]

  /// Whether the remote is a repository on this machine. Others need programs and settings of the test's servers.
  private func syncsWithPath() throws -> Bool {
    guard let remote = try? local.store.read({ try $0.setting(.remoteURL) }) else { return false }
    return remote.first == UInt8(ascii: "/")
  }

  /// As in `coffer-sync`: a git that ends while it is written to is an error of the sync.
  private static let ignoredSignal: Void = { _ = signal(SIGPIPE, SIG_IGN) }()
}
