internal import CofferCrypto
internal import CofferFormat
internal import CofferTrust

/// An app's credential on this machine, as its file holds it.
enum AppCredential: Sendable {
  case open(Credential)
  /// Under the machine's passphrase.
  case locked(LockedCredential)

  init(file: SecretFile) throws(VaultError) {
    self = try file.read { bytes in
      LockedCredential.isKind(of: bytes)
        ? .locked(try LockedCredential(bytes: bytes)) : .open(try Credential(secretBytes: bytes))
    }
  }

  /// True where a passphrase is needed.
  var isLocked: Bool {
    if case .locked = self { true } else { false }
  }

  var genesis: EntryHash {
    switch self {
    case .open(let credential): credential.genesis
    case .locked(let credential): credential.genesis
    }
  }

  var applicationID: String {
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

  /// The furthest place in the log that the app has acted on.
  var seen: LogPosition {
    switch self {
    case .open(let credential): credential.seen
    case .locked(let credential): credential.seen
    }
  }

  func author(in vault: VaultID) -> AuthorID {
    switch self {
    case .open(let credential): AuthorID(vault: vault, keys: credential.keys.publicKeys)
    case .locked(let credential): credential.author
    }
  }

  /// Up to where the log is believed on its hashes. What a locked credential has seen lies beside its keys in the open, and
  /// does not prove that much.
  var pin: LogPosition? {
    if case .open(let credential) = self { credential.seen } else { nil }
  }

  /// The file's bytes for the same credential, having seen more of the log; the caller wipes them.
  func secretBytes(advancedTo seen: LogPosition) -> [UInt8] {
    switch self {
    case .open(let credential):
      Credential(
        genesis: credential.genesis, applicationID: credential.applicationID, device: credential.device,
        keys: credential.keys, seen: seen
      ).secretBytes()
    case .locked(let credential): credential.advanced(to: seen).bytes
    }
  }

  /// Remembers in the file how much of the log the app has seen, unless that cannot be or the file holds another credential by
  /// now. Remembering less is no harm: the older position still pins the vault.
  func advance(to seen: LogPosition, in file: SecretFile, of vault: VaultID) {
    do {
      let lock = try file.lock(patience: .milliseconds(200))
      defer { extendLifetime(lock) }
      let current = try AppCredential(file: file)
      guard current.author(in: vault) == author(in: vault), current.isLocked == isLocked,
        current.seen.sequence < seen.sequence
      else { return }
      var bytes = current.secretBytes(advancedTo: seen)
      try file.write(wiping: &bytes)
    } catch {
      // A folder that may not be written, a full disk, or another program that writes the file now.
    }
  }

  /// The app's keys. Throws `locked` where a passphrase is needed and none is given, and `authenticationFailed` for a wrong one.
  func keys(passphrase: [UInt8]?, vault: VaultID) throws(VaultError) -> PartyKeys {
    switch self {
    case .open(let credential): return credential.keys
    case .locked(let credential):
      guard let passphrase else { throw Vault.isLocked(credential.applicationID) }
      do throws(CryptoError) {
        return try credential.open(passphrase: passphrase, vault: vault).keys
      } catch {
        guard error == .authenticationFailed || error == .invalidSize else { throw VaultError(error) }
        throw VaultError(.authenticationFailed, "wrong passphrase for \(credential.applicationID)")
      }
    }
  }

  /// The author that the log knows by this credential: same vault, same app, nothing rolled back.
  func author(in membership: Membership, of vault: LocalVault) throws(VaultError) -> Author {
    let file = vault.folder.path
    guard genesis == membership.genesis.hash else {
      throw VaultError(
        .integrity, "the credential of \(applicationID) belongs to another vault than the one at \(file)",
        mend: "the folder was exchanged; put the right vault back")
    }
    guard seen.sequence <= membership.head.sequence else {
      throw VaultError(
        .integrity,
        "the membership log at \(file) ends at \(membership.head.sequence); \(applicationID) has seen entry \(seen.sequence)",
        mend: "an older copy was put in its place; sync, or restore the newer folder")
    }
    guard let author = membership.authors[author(in: membership.vault)] else {
      throw VaultError(
        .notEntitled, "this machine's credential of \(applicationID) is not in the membership log",
        mend: "mint a new one with: coffer app install \(applicationID)")
    }
    guard case .principal(let application, _, device) = author.role, application.description == applicationID else {
      throw VaultError(
        .integrity, "the membership log names another app or machine for this credential of \(applicationID)",
        mend: "mint a new one with: coffer app install \(applicationID)")
    }
    return author
  }
}
