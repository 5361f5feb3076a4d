internal import CofferCrypto
package import CofferFormat
internal import CofferStore
internal import CofferTrust

/// What a machine's admin needs to change membership.
struct AdminSession {
  let local: LocalVault
  let keys: PartyKeys
  let id: AuthorID
  let device: DeviceID
  let transportKey: TransportKey
  private let source: PassphraseSource
  private let hasPassphrase: Bool

  /// Opens this machine's admin and device keys.
  init(_ local: LocalVault, passphrase: PassphraseSource) throws(VaultError) {
    let membership = try local.membership()
    let keys = try AdminKeys.open(local.folder, of: membership.genesis.hash, passphrase: passphrase)
    let file = try local.deviceFile()
    guard let transportKey = file.transportKeys.last else {
      throw VaultError(.integrity, "this machine's key file holds no transport key", mend: "clone the vault again")
    }
    self.local = local
    self.keys = keys
    source = passphrase
    hasPassphrase = try local.folder.adminFile.read { try AdminFile(secretBytes: $0).needsPassphrase }
    id = AuthorID(vault: membership.vault, keys: keys.publicKeys)
    device = DeviceID(vault: membership.vault, keys: file.keys.publicKeys)
    self.transportKey = transportKey
    guard membership.authors[id] != nil else {
      throw VaultError(
        .notEntitled, "this machine's admin is not in the membership log",
        mend: "clone the vault again with the vault key")
    }
  }

  var signer: LogEntry.Signer { .admin(id) }

  /// The machine's passphrase, for the credential of an app that is locked. It opened the admin keys a moment ago.
  func passphrase(of application: ApplicationID) throws(VaultError) -> [UInt8] {
    guard hasPassphrase else { throw PendingCredential.noPassphrase(for: application) }
    return try source.passphrase()
  }

  /// Drafts entries on the log as it stands and commits them, all or none. `position` is where the last of them stands; nil
  /// where there was nothing to change.
  func change<Result>(
    _ draw: (inout LogDraft) throws -> Result
  ) throws(VaultError) -> (result: Result, position: LogPosition?) {
    try translatingErrors {
      try local.store.write { writer in
        let membership = try local.membership(in: writer)
        if let unknown = membership.firstUnknownCritical {
          throw VaultError(
            .upgradeNeeded, "entry \(unknown) of the membership log was written by a newer Coffer",
            mend: "upgrade Coffer")
        }
        var draft = LogDraft(membership: membership, transportKey: transportKey)
        let result = try draw(&draft)
        try draft.commit(to: writer)
        return (result, draft.isEmpty ? nil : draft.membership.head)
      }
    }
  }
}

extension LocalVault {
  /// True where the remote is known to hold the log entry at `position`: a change of membership counts only then.
  package func isPublished(_ position: LogPosition) throws(VaultError) -> Bool {
    try translatingErrors {
      try store.read { reader in
        guard let stored = try reader.logEntries(after: position.sequence - 1).first, stored.isPublished else {
          return false
        }
        return try LogEntry(bytes: stored.entry).position == position
      }
    }
  }

  /// This machine's keys, checked to be of this vault.
  package func deviceFile() throws(VaultError) -> DeviceFile {
    let file = try folder.deviceFile.read { try DeviceFile(secretBytes: $0) }
    guard file.genesis == (try membership().genesis.hash) else {
      throw VaultError(
        .integrity, "the keys at \(folder.deviceFile.path) belong to another vault",
        mend: "the folder was exchanged; put the right one back")
    }
    return file
  }
}

/// A change of membership that waits for its place in the log: with a remote, for the push that makes it so.
package struct PendingCredential: Sendable {
  private let file: SecretFile
  private let credential: AppCredential

  /// - Parameter passphrase: The machine's, for an app that was registered as locked; nil for others.
  init(
    of application: ApplicationID, in folder: VaultFolder, keys: PartyKeys, device: DeviceID, membership: Membership,
    passphrase: [UInt8]?
  ) throws(VaultError) {
    file = folder.credentialFile(of: application)
    let open = Credential(
      genesis: membership.genesis.hash, applicationID: application.description, device: device, keys: keys,
      seen: membership.head)
    guard let passphrase else {
      credential = .open(open)
      return
    }
    do throws(CryptoError) {
      credential = .locked(try LockedCredential(sealing: open, vault: membership.vault, passphrase: passphrase))
    } catch {
      throw VaultError(error)
    }
  }

  static func noPassphrase(for application: ApplicationID) -> VaultError {
    VaultError(
      .invalidArgument, "\(application) is locked by a passphrase, and this machine has none",
      mend: "make the vault on this machine with a passphrase, or register the app without --locked")
  }

  /// Writes the credential, once its principal stands in the log for good.
  package func install(in local: LocalVault) throws(VaultError) {
    var bytes = credential.secretBytes(advancedTo: try local.settledMembership().head)
    // A program that opens its vault at this moment must not put the old one back.
    let lock = try file.lock(patience: .seconds(10))
    defer { extendLifetime(lock) }
    try file.write(wiping: &bytes)
  }
}
