import Coffer
import CofferAdministration
import CofferCrypto
import CofferFormat
import CofferInspection
import CofferKeys
import CofferStore
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Synchronization

/// A vault of the machine "laptop" in a temporary folder, used in this process.
final class TemporaryVault {
  let directory: TemporaryDirectory
  let location: VaultLocation
  let local: LocalVault
  private let vaultKey: VaultKey
  private let passphrase: String?

  init(passphrase: String? = nil) throws {
    directory = try TemporaryDirectory()
    location = VaultLocation(folder: directory.url.appending(path: "vault"))
    let handedOver = Mutex<VaultKey?>(nil)
    try VaultCreation.create(
      at: location, deviceName: "laptop",
      protection: Self.protection(passphrase)
    ) { (key) throws(VaultError) in handedOver.withLock { $0 = key } }
    guard let key = handedOver.withLock({ $0 }) else { throw VaultError(.io, "no vault key") }
    vaultKey = key
    self.passphrase = passphrase
    local = try LocalVault.open(VaultFolder(location))
  }

  /// The team's prefix of all names.
  var prefix: String {
    get throws { try local.membership().team.prefix }
  }

  private static func protection(_ passphrase: String?) -> AdminProtection {
    passphrase.map { .passphrase(SecretText(copying: $0.utf8)) } ?? .none
  }

  private var source: PassphraseSource {
    guard let passphrase else { return .unavailable }
    return PassphraseSource { (_) throws(VaultError) in SecretText(copying: passphrase.utf8) }
  }

  /// Registers an app without a credential on this machine, or with one. `~` in a group's name stands for the team's
  /// variable.
  ///
  /// - Parameters:
  ///   - application: The bundle identifier.
  ///   - groups: The groups that the app reads and writes.
  ///   - readOnly: The groups that the app reads.
  ///   - isLocked: Whether the credential is sealed under the passphrase.
  ///   - isInstalled: Whether the app gets its credential.
  /// - Throws: The errors of the registration.
  func register(
    _ application: String, groups: [String] = [], readOnly: [String] = [], isLocked: Bool? = nil,
    isInstalled: Bool = true
  ) throws {
    let outcome = try AppRegistration(local, passphrase: source).register(
      .init(plist: plist(application, groups, readOnly), source: "test", bundleID: nil, sourcePrefix: nil),
      requiresPassphrase: isLocked)
    if isInstalled { try outcome.credential?.install(in: local) }
  }

  /// Registers an app with a credential and opens the vault as that app.
  @discardableResult
  func app(_ application: String, groups: [String] = [], readOnly: [String] = []) throws -> Vault {
    try register(application, groups: groups, readOnly: readOnly)
    return try Vault.open(.bytes(plist(application, groups, readOnly)), at: location)
  }

  private func plist(_ application: String, _ groups: [String], _ readOnly: [String]) -> [UInt8] {
    Array(entitlementsPlist(application, groups: groups, readOnly: readOnly).utf8)
  }

  func owner() throws -> Vault { try Vault.open(asOwnerOf: local, passphrase: source) }

  /// The vault as the inspector opens it.
  func inspected() throws -> InspectedVault { InspectedVault(vault: try owner(), local: local) }

  /// Enrols another machine in the log, with keys for every app, as `coffer clone` does on that machine.
  func enrol(_ name: String) throws {
    _ = try Enrolment.renew(local, vaultKey: vaultKey).join(deviceName: name, protection: Self.protection(passphrase))
  }

  // MARK: What programs with the keys can do

  /// Returns the keys of this machine's owner.
  func ownerKeys() throws -> PartyKeys {
    try local.folder.adminFile.read { try AdminFile(secretBytes: $0).open(passphrase: nil) }
  }

  /// Returns a record that an app makes with its own keys, whether it may write the group or not.
  func forge(_ account: String, in name: String, by application: String, isLate: Bool = false) throws -> Record {
    let membership = try local.membership()
    let id = try local.application(named: application)
    let keys = try local.folder.credentialFile(of: id).read(Credential.self).open(passphrase: nil, in: membership.vault)
    let author = AuthorID(vault: membership.vault, keys: keys.publicKeys)
    guard let group = membership.groups[GroupID(vault: membership.vault, name: try prefix + name)],
      let groupKeys = try group.keys(for: author, opening: keys.agreement).last
    else { throw VaultError(.notEntitled, "no key of \(name)") }
    let attributes = ItemAttributes([.service: .string("service"), .account: .string(account)])
    let header = RecordHeader(
      vault: membership.vault, group: groupKeys.group, generation: groupKeys.generation,
      item: groupKeys.itemID(.genericPassword, isSynchronizable: false, attributes: attributes),
      itemClass: .genericPassword, content: .value, isDeviceLocal: false, bases: [],
      time: Timestamp(microseconds: Timestamp.now.microseconds + (isLate ? 60_000_000 : 0)), author: author, tokens: [])
    return Record(header: header, attributes: attributes, value: [1], keys: groupKeys, signer: keys.signing)
  }

  /// Inserts a record into the store.
  func plant(_ record: Record, validity: StoredValidity = .valid) throws {
    _ = try local.store.write { try $0.insert(record, validity: validity, intoOutbox: false) }
  }

  func set(_ setting: Setting, _ value: [UInt8]) throws {
    try local.store.write { try $0.setSetting(setting, value) }
  }

  /// Marks every entry of the log as published.
  func publishLog() throws {
    try local.store.write { writer in
      for entry in try writer.unpublishedLogEntries() { try writer.markLogPublished(entry.sequence, as: [1]) }
    }
  }
}

extension TemporaryVault {
  /// Registers an app that shares `com.example.shared`, with a principal on this machine and without a group's key, as
  /// a program that stops halfway might.
  func grantless(_ application: String) throws {
    let keys = try ownerKeys()
    let file = try local.deviceFile()
    var membership = try local.membership()
    let signer = LogEntry.Signer.admin(AuthorID(vault: membership.vault, keys: keys.publicKeys))
    let id = membership.team.prefix + application
    let statement = AppStatement(
      applicationID: id, bundleID: application, sourcePrefix: nil, requiresPassphrase: false,
      groups: [
        StatedGroup(name: "\(membership.team.prefix)com.example.shared", source: .keychainAccessGroups),
        StatedGroup(name: id, source: .applicationIdentifier),
      ],
      entitlements: Array(entitlementsPlist(application, groups: ["~com.example.shared"]).utf8))
    let registration = LogEntry(
      vault: membership.vault, after: membership.head, time: .now, signer: signer, key: keys.signing,
      statement: .app(statement))
    try membership.apply(registration)
    let own = PartyKeys.random()
    let device = DeviceID(vault: membership.vault, keys: file.keys.publicKeys)
    let principal = LogEntry(
      vault: membership.vault, after: membership.head, time: .now, signer: signer, key: keys.signing,
      statement: .principal(PrincipalStatement(app: registration.hash, device: device, keys: own.publicKeys)))
    try membership.apply(principal)
    try append([registration, principal])
    try local.folder.credentialFile(named: id).write(
      Credential(
        genesis: membership.genesis.hash, applicationID: id, device: device, keys: own, in: membership.vault,
        seen: membership.head))
  }

  /// Appends entries to the log.
  func append(_ entries: [LogEntry]) throws {
    try local.store.write { writer in
      for entry in entries {
        try writer.appendLogEntry(sequence: entry.sequence, entry: entry.bytes, envelope: [], published: nil)
      }
    }
  }

  /// Returns an entry of this machine's owner that follows a position of the log.
  func entry(_ statement: Statement, after position: LogPosition) throws -> LogEntry {
    let keys = try ownerKeys()
    let vault = try local.membership().vault
    return LogEntry(
      vault: vault, after: position, time: .now, signer: .admin(AuthorID(vault: vault, keys: keys.publicKeys)),
      key: keys.signing, statement: statement)
  }
}
