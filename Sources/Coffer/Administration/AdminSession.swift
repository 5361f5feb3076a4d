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
