package import Coffer
package import CofferCrypto
package import CofferFormat
internal import CofferKeys
internal import CofferPlatform
internal import CofferStore
internal import CofferSystem
package import CofferTrust
package import CofferVault

/// Enrols keys of an app that root has made and keeps: the machine's owner signs them, and never sees the secret ones.
package struct InstalledKeyEnrolment: Sendable {
  private let change: MembershipChange
  private let keys: PartyPublicKeys
  private var local: LocalVault { change.local }

  package init(of keys: PartyPublicKeys, by change: MembershipChange) {
    self.keys = keys
    self.change = change
  }

  /// Checks, by the log as it is here, that a credential of the app would separate it from other programs of the user.
  /// Throws `notEntitled` on a member, and if programs of the user can read the keys of the owner, which open every
  /// group; `invalidArgument` for an app that requires a passphrase.
  package static func check(_ application: ApplicationID, in local: LocalVault) throws(VaultError) {
    try checkOwner(of: local)
    guard let app = try local.membership().apps[application] else { throw .notRegistered(application) }
    guard !app.statement.requiresPassphrase else {
      throw VaultError(
        .invalidArgument,
        "\(application) is registered with --locked, so this user's passphrase would have to seal its keys",
        recoverySuggestion:
          "register it without, because the installation guards its keys: coffer app add --no-locked FILE")
    }
  }

  /// Throws `notEntitled` on a member, and if programs of the user can read the keys of the owner.
  package static func checkOwner(of local: LocalVault) throws(VaultError) {
    if let error = try local.memberError() { throw try forMember(error, in: local) }
    guard local.ownerKeyProtection == .passphrase else {
      throw VaultError(
        .notEntitled,
        "the keys of this vault's owner have no passphrase here, so every program of the user can read all groups",
        recoverySuggestion: "set a passphrase first with: coffer passphrase set")
    }
  }

  /// The same error with what its user can do: no other machine can enrol keys that root has made here, and the command
  /// of this process is one that root has started.
  private static func forMember(_ error: VaultError, in local: LocalVault) throws(VaultError) -> VaultError {
    let membership = try local.membership()
    guard error.code == .notEntitled, let machine = local.machine(in: membership) else { return error }
    let appointment = NextCommand.line("admin add", [membership.commandName(of: machine.id)])
    return VaultError(
      error.code, error.message,
      recoverySuggestion:
        "make this machine an admin with the vault key, with `\(appointment)` and `coffer sync`, then repeat the installation"
    )
  }

  /// Appends the principal to the log, all or nothing. Earlier principals of the app on this machine lose their rights:
  /// every program of the user could read their keys. Call it again if it was not published, because another machine's
  /// entries came first. With `despiteNewRecords`, records of theirs that arrive before the push are refused instead of
  /// preventing it.
  package func run(
    _ application: ApplicationID, passphrase: PassphraseSource, despiteNewRecords: Bool
  ) throws(VaultError) -> LogPosition? {
    try Self.check(application, in: local)
    let installed = InstalledApp(application.bundleID).ownUser(of: application)?.author
    return try change.sign(with: passphrase, despiteNewRecords: despiteNewRecords) { session, draft in
      guard let app = draft.membership.apps[application] else { throw VaultError.notRegistered(application) }
      // The keys of one that root has installed before were never in a file of the user, and are gone.
      let former = draft.membership.holders(of: application).filter {
        draft.membership.authors[$0]?.device == session.device && $0.description != installed
      }
      if !former.isEmpty {
        let records = try local.store.read { try $0.countedRecords(of: former) }
        let cuts = former.sorted().map { RevocationStatement.CutAuthor(author: $0, groups: nil) }
        try draft.revoke(
          RevokedRights(authors: cuts), keeping: records.map(\.hash), by: session.signer, keys: session.keys)
      }
      try draft.append(
        .principal(PrincipalStatement(app: app.registration, device: session.device, keys: keys)),
        by: session.signer, key: session.keys.signing)
      try draft.grantGroups(of: app.entitlements, by: session.signer, with: session.keys)
    }
  }

  /// Returns what root's process needs for the credential. Call it when the log entry of the principal is published.
  package func receipt(of application: ApplicationID) throws(VaultError) -> InstallationReceipt {
    let membership = try local.publishedMembership()
    guard let device = local.machine(in: membership)?.id else {
      throw VaultError(
        .integrity, "this machine is not in the membership log", recoverySuggestion: "clone the vault again")
    }
    return InstallationReceipt(
      of: application, on: device, by: AuthorID(vault: membership.vault, keys: keys), in: membership)
  }

  /// Deletes the credential file that every program of the user can read.
  package func removeFile(of application: ApplicationID) throws(VaultError) {
    try local.folder.credentialFile(named: application.description).remove()
  }
}

/// What a user's process tells root's process about keys that it has enrolled. Nothing of it is secret.
package struct InstallationReceipt: Codable, Hashable, Sendable {
  private let vault: String
  private let genesis: String
  private let application: String
  private let device: String
  package let author: String
  private let sequence: UInt64
  private let head: String

  init(of application: ApplicationID, on device: DeviceID, by author: AuthorID, in membership: Membership) {
    vault = membership.vault.description
    genesis = membership.genesis.hash.raw.hex
    self.application = application.description
    self.device = device.description
    self.author = author.description
    sequence = membership.head.sequence
    head = membership.head.hash.raw.hex
  }

  /// Returns the receipt of an app's credential file.
  package static func read(of application: ApplicationID, in local: LocalVault) throws(VaultError)
    -> InstallationReceipt
  {
    let membership = try local.publishedMembership()
    let status = local.credentialStatus(of: application, in: membership)
    if let problem = status.problem { throw problem }
    guard let author = status.author, let device = local.machine(in: membership)?.id else {
      throw VaultError(
        .notEntitled, "\(application) has no credential on this machine",
        recoverySuggestion: "give it one with: coffer app install \(application.bundleID)")
    }
    return InstallationReceipt(of: application, on: device, by: author, in: membership)
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

extension PartyPublicKeys {
  /// The keys in hexadecimal, for the argument of a program.
  package var hexadecimal: String { verifying.raw.hex + box.raw.hex }

  /// Reads the keys; nil for anything but 64 bytes in hexadecimal.
  package init?(hexadecimal text: String) {
    guard text.utf8.count == 128, let raw = bytes(hexadecimal: text), let verifying = Bytes32(raw.prefix(32)),
      let box = Bytes32(raw.suffix(32))
    else { return nil }
    self.init(verifying: VerifyingKey(verifying), box: BoxKey(box))
  }
}
