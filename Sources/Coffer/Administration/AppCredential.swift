internal import CofferCrypto
package import CofferFormat
package import CofferKeys
internal import CofferTrust
internal import CofferVault

/// The content of an app's credential file.
package enum AppCredential: Sendable {
  case open(Credential)
  /// Sealed under the machine's passphrase.
  case locked(LockedCredential)

  package static func read(from file: SecretFile) throws(VaultError) -> AppCredential {
    try file.read { bytes in
      LockedCredential.isKind(of: bytes)
        ? .locked(try LockedCredential(bytes: bytes)) : .open(try Credential(secretBytes: bytes))
    }
  }

  /// Reads the credential file of an app, and checks that its content is this app's.
  static func read(from file: SecretFile, of application: ApplicationID) throws(VaultError) -> AppCredential {
    let credential = try read(from: file)
    guard credential.applicationID == application.description else {
      throw VaultError(
        .integrity, "the credential at \(file.path) is another app's",
        recoverySuggestion: "give the app its own with: coffer app install \(application)")
    }
    return credential
  }

  /// Whether a passphrase is needed to open it.
  var needsPassphrase: Bool {
    if case .locked = self { true } else { false }
  }

  package var genesis: EntryHash {
    switch self {
    case .open(let credential): credential.genesis
    case .locked(let credential): credential.genesis
    }
  }

  package var applicationID: String {
    switch self {
    case .open(let credential): credential.applicationID
    case .locked(let credential): credential.applicationID
    }
  }

  var device: DeviceID {
    switch self {
    case .open(let credential): credential.device
    case .locked(let credential): credential.device
    }
  }

  /// The last log entry that the app has seen.
  package var seen: LogPosition {
    switch self {
    case .open(let credential): credential.seen
    case .locked(let credential): credential.seen
    }
  }

  package func author(in vault: VaultID) -> AuthorID {
    switch self {
    case .open(let credential): AuthorID(vault: vault, keys: credential.keys.publicKeys)
    case .locked(let credential): credential.author
    }
  }

  /// What the app has verified of the log. Nil for a locked credential: its position is not authenticated, and the key of
  /// its folds needs the passphrase.
  func pin(in vault: VaultID) -> LogPin? {
    guard case .open(let credential) = self else { return nil }
    return LogPin(
      seen: credential.seen,
      key: FoldKey(author: author(in: vault), keys: credential.keys, genesis: credential.genesis))
  }

  /// Returns the file's bytes for the same credential with a later position. The caller wipes them.
  package func secretBytes(advancedTo seen: LogPosition) -> [UInt8] {
    switch self {
    case .open(let credential):
      Credential(
        genesis: credential.genesis, applicationID: credential.applicationID, device: credential.device,
        keys: credential.keys, seen: seen
      ).secretBytes()
    case .locked(let credential): credential.advanced(to: seen).bytes
    }
  }

  /// Writes a later position to the file, unless the file cannot be written or contains another credential by now. That
  /// is no error: the older position still pins the vault.
  func advance(to seen: LogPosition, in file: SecretFile, of vault: VaultID) {
    do {
      let lock = try file.lock(timeout: .milliseconds(200))
      defer { extendLifetime(lock) }
      let current = try AppCredential.read(from: file)
      guard current.author(in: vault) == author(in: vault), current.needsPassphrase == needsPassphrase,
        current.seen.sequence < seen.sequence
      else { return }
      var bytes = current.secretBytes(advancedTo: seen)
      try file.write(wiping: &bytes)
    } catch {
      // The folder is not writable, the disk is full, or another program is writing the file.
    }
  }

  /// Throws `locked` if a passphrase is needed and none is given, and `authenticationFailed` for a wrong one.
  func keys(passphrase: SecretText?, vault: VaultID, machine: String?) throws(VaultError) -> PartyKeys {
    switch self {
    case .open(let credential): return credential.keys
    case .locked(let credential):
      guard let passphrase else { throw Vault.lockedError(credential.applicationID) }
      do throws(CryptoError) {
        return try credential.open(passphrase: passphrase, vault: vault).keys
      } catch {
        guard error == .authenticationFailed || error == .invalidSize else { throw VaultError(error) }
        throw .wrongPassphrase(of: machine)
      }
    }
  }

  /// Returns the author in the log that this credential belongs to, after checking that vault and app are the same and
  /// that the log was not rolled back.
  func author(in membership: Membership, of vault: LocalVault) throws(VaultError) -> Author {
    let file = vault.folder.path
    guard genesis == membership.genesis.hash else {
      throw VaultError(
        .integrity, "the credential of \(applicationID) belongs to another vault than the one at \(file)",
        recoverySuggestion: "the folder was exchanged; restore the original folder")
    }
    // In a forked log, the entries before the fork count, and the store still has those after it.
    if seen.sequence > membership.head.sequence, try vault.fork() == nil {
      throw VaultError(
        .integrity,
        "the membership log at \(file) ends at \(membership.head.sequence); \(applicationID) has seen entry \(seen.sequence)",
        recoverySuggestion: "an older copy was put in its place; sync, or restore the newer folder")
    }
    guard let author = membership.authors[author(in: membership.vault)] else {
      throw try vault.explaining(
        VaultError(
          .notEntitled, "this machine's credential of \(applicationID) is not in the membership log",
          recoverySuggestion: "give it a new one with: coffer app install \(applicationID)"))
    }
    guard author.cut == nil else {
      throw try vault.revocationError() ?? membership.removalError(of: author, of: applicationID)
    }
    guard case .principal(let application, _, device) = author.role, application.description == applicationID else {
      throw VaultError(
        .integrity, "the membership log names another app or machine for this credential of \(applicationID)",
        recoverySuggestion: "give it a new one with: coffer app install \(applicationID)")
    }
    return author
  }
}
