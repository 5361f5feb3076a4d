import Coffer
import CofferVault
import CofferCrypto
import CofferFormat
import CofferKeys
import CofferStore
import CofferTestSupport
import CofferTrust
import Foundation

/// A vault in a temporary folder, used in this process.
final class TemporaryVault {
  let directory: TemporaryDirectory
  let location: VaultLocation
  let local: LocalVault

  init() throws {
    directory = try TemporaryDirectory()
    location = VaultLocation(folder: directory.url.appending(path: "vault"))
    try VaultCreation.create(at: location, deviceName: "laptop", protection: .none) { (_) throws(VaultError) in }
    local = try LocalVault.open(VaultFolder(location))
  }

  var team: String {
    get throws { try local.membership().team.description }
  }

  /// Returns an entitlements plist; `~` stands for the team's variable.
  static func plist(_ application: String, groups: [String] = [], readOnly: [String] = []) -> [UInt8] {
    Array(entitlementsPlist(application, groups: groups, readOnly: readOnly).utf8)
  }

  /// Registers an app and opens the vault as that app.
  @discardableResult
  func app(_ application: String, groups: [String] = [], readOnly: [String] = []) throws -> Vault {
    let plist = Self.plist(application, groups: groups, readOnly: readOnly)
    let outcome = try AppRegistration(local, passphrase: .unavailable)
      .register(.init(plist: plist, source: "test", bundleID: nil, sourcePrefix: nil))
    try outcome.credential?.install(in: local)
    return try Vault.open(.bytes(plist), at: location)
  }

  func owner() throws -> Vault { try Vault.open(asOwnerOf: local, passphrase: .unavailable) }

  /// Returns an app's credential, as a program that misuses it would read it.
  func credential(of application: String) throws -> Credential {
    let id = try local.application(named: application)
    return try local.folder.credentialFile(of: id).read()
  }

  func keys(of application: String) throws -> PartyKeys {
    try credential(of: application).open(passphrase: nil, in: local.membership().vault)
  }

  /// Returns the group with its keys, opened with an app's credential.
  func group(_ name: String, openedBy application: String) throws -> (group: RegisteredGroup, keys: [GroupKeys]) {
    let membership = try local.membership()
    let id = GroupID(vault: membership.vault, name: "\(membership.team).\(name)")
    guard let group = membership.groups[id] else { throw VaultError(.itemNotFound, "no group \(name)") }
    let keys = try keys(of: application)
    return (
      group, try group.keys(for: AuthorID(vault: membership.vault, keys: keys.publicKeys), opening: keys.agreement)
    )
  }

  /// Returns a record that an app could make with its own keys by bypassing the library's rules.
  func forge(
    _ value: String, service: String, account: String, in name: String, by application: String,
    bases: [RecordHash] = [],
    at time: Timestamp = Timestamp(microseconds: Timestamp.now.microseconds + 60_000_000),
    signedBy signer: SigningKey? = nil
  ) throws -> Record {
    let membership = try local.membership()
    let keys = try keys(of: application)
    guard let groupKeys = try group(name, openedBy: application).keys.last else {
      throw VaultError(.notEntitled, "no key of \(name)")
    }
    let attributes = ItemAttributes([.service: .string(service), .account: .string(account)])
    let header = RecordHeader(
      vault: membership.vault, group: groupKeys.group, generation: groupKeys.generation,
      item: groupKeys.itemID(.genericPassword, isSynchronizable: false, attributes: attributes),
      itemClass: .genericPassword, content: .value, isDeviceLocal: false, bases: bases,
      time: time, author: AuthorID(vault: membership.vault, keys: keys.publicKeys), tokens: [])
    return Record(
      header: header, attributes: attributes, value: Array(value.utf8), keys: groupKeys, signer: signer ?? keys.signing)
  }

  /// Inserts a record into the store as valid, as anybody who can write the file could.
  func plant(_ record: Record) throws {
    _ = try local.store.write { try $0.insert(record, validity: .valid, intoOutbox: false) }
  }
}

/// Returns the code of the error that `body` throws; nil if it throws none.
func code(_ body: () throws -> Void) -> VaultError.Code? {
  do {
    try body()
    return nil
  } catch {
    return (error as? VaultError)?.code
  }
}

/// Returns the error that `body` throws.
func failure(_ body: () throws -> Void) -> VaultError? {
  do {
    try body()
    return nil
  } catch {
    return error as? VaultError
  }
}
