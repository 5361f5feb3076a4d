internal import Coffer
internal import CofferCrypto
internal import CofferFormat
internal import CofferPlatform
package import CofferTrust
package import CofferVault

/// What a user's process tells root's process about keys that it has enrolled. Nothing of it is secret.
package struct InstallationReceipt: Codable, Hashable, Sendable {
  private let vault: String
  private let genesis: String
  private let application: String
  private let device: String
  package let author: String
  private let sequence: UInt64
  private let head: String

  init(
    vault: VaultID, genesis: EntryHash, application: ApplicationID, device: DeviceID, author: AuthorID,
    seen: LogPosition
  ) {
    self.vault = vault.description
    self.genesis = genesis.raw.hex
    self.application = application.description
    self.device = device.description
    self.author = author.description
    sequence = seen.sequence
    head = seen.hash.raw.hex
  }

  /// Returns the receipt of an app's credential file.
  package static func read(of application: ApplicationID, in local: LocalVault) throws(VaultError)
    -> InstallationReceipt
  {
    let membership = try local.settledMembership()
    let status = local.credentialStatus(of: application, in: membership)
    if let problem = status.problem { throw problem }
    guard let author = status.author, let device = local.machine(in: membership)?.id else {
      throw VaultError(
        .notEntitled, "\(application) has no credential on this machine",
        recoverySuggestion: "give it one with: coffer app install \(application.bundleID)")
    }
    return InstallationReceipt(
      vault: membership.vault, genesis: membership.genesis.hash, application: application, device: device,
      author: author, seen: membership.head)
  }

  package init(json: [UInt8]) throws(VaultError) {
    guard let receipt = try? JSONDecoder().decode(Self.self, from: Data(json)), receipt.contents != nil else {
      throw VaultError(
        .io, "the user's process has not said that the keys were enrolled", recoverySuggestion: "try again")
    }
    self = receipt
  }

  /// The app. Only of an app with the expected bundle identifier a credential is written.
  package var applicationID: ApplicationID? { ApplicationID(application) }

  private static func bytes32(_ text: String) -> Bytes32? { bytes(hexadecimal: text).flatMap { Bytes32($0) } }
  private static func bytes16(_ text: String) -> Bytes16? { bytes(hexadecimal: text).flatMap { Bytes16($0) } }

  /// The values of a credential; nil if one of them is malformed.
  var contents: (vault: VaultID, genesis: EntryHash, application: ApplicationID, device: DeviceID, seen: LogPosition)? {
    guard let vault = Self.bytes16(vault), let genesis = Self.bytes32(genesis), let application = applicationID,
      let device = Self.bytes16(device), let head = Self.bytes32(head),
      Self.bytes16(author) != nil, sequence > 0, sequence < 1 << 62
    else { return nil }
    return (
      VaultID(vault), EntryHash(genesis), application, DeviceID(device),
      LogPosition(sequence: sequence, hash: EntryHash(head))
    )
  }
}
