package import CofferCrypto
package import CofferFormat
internal import CofferKeys
package import CofferTrust
package import CofferVault

extension Credential {
  /// Reads the credential file of an app, and checks that its content is this app's.
  static func read(from file: SecretFile, of application: ApplicationID) throws(VaultError) -> Credential {
    let credential = try file.read(Credential.self)
    guard credential.applicationID == application.description else {
      throw VaultError(
        .integrity, "the credential at \(file.path) is another app's",
        recoverySuggestion: "give the app its own with: coffer app install \(application)")
    }
    return credential
  }

  /// Writes a later position to the file, unless the file cannot be written or contains another credential by now. That
  /// is no error: the older position still pins the vault.
  func advance(to seen: LogPosition, in file: SecretFile) {
    do {
      let lock = try file.lock(timeout: .milliseconds(200))
      defer { extendLifetime(lock) }
      let current = try file.read(Credential.self)
      guard current.author == author, current.needsPassphrase == needsPassphrase,
        current.seen.sequence < seen.sequence
      else { return }
      try file.write(current.advanced(to: seen))
    } catch {
      // The folder is not writable, the disk is full, or another program is writing the file.
    }
  }

  /// Throws `locked` if a passphrase is needed and none is given, and `authenticationFailed` for a wrong one.
  func keys(passphrase: SecretText?, vault: VaultID, machine: String?) throws(VaultError) -> PartyKeys {
    guard !needsPassphrase || passphrase != nil else { throw Vault.lockedError(applicationID) }
    do throws(CryptoError) {
      return try open(passphrase: passphrase, in: vault)
    } catch {
      guard needsPassphrase else {
        throw VaultError(
          .integrity, "the credential of \(applicationID) has other keys than it states",
          recoverySuggestion: "give it a new one with: coffer app install \(applicationID)")
      }
      guard error == .authenticationFailed || error == .invalidSize else { throw VaultError(error) }
      throw .wrongPassphrase(of: machine)
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
    guard let author = membership.authors[author] else {
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

/// A credential that was read before the log, with its keys, which are opened once: that computes their public halves.
struct LoadedCredential {
  let credential: Credential
  /// Nil if the keys need a passphrase.
  let keys: PartyKeys?
  /// What the app has verified of the log. Nil for a locked credential: its position is not authenticated, and the key
  /// of its folds needs the passphrase.
  let pin: LogPin?

  init(_ credential: Credential, in vault: VaultID) {
    self.credential = credential
    keys = credential.needsPassphrase ? nil : try? credential.open(passphrase: nil, in: vault)
    pin = keys.map {
      LogPin(
        seen: credential.seen, key: FoldKey(author: credential.author, keys: $0, genesis: credential.genesis))
    }
  }
}

/// A new credential that is written when the log entry of its principal is published: with a remote, after the push.
package struct PendingCredential: Sendable {
  private let file: SecretFile
  private let credential: Credential

  /// Seals a credential under the machine's passphrase, for an app that requires it. The membership contains the new
  /// principal.
  package init(
    of application: ApplicationID, in folder: VaultFolder, keys: PartyKeys, device: DeviceID, membership: Membership,
    passphrase: SecretText?
  ) throws(VaultError) {
    file = folder.credentialFile(of: application)
    credential = try translatingErrors {
      try Credential(
        genesis: membership.genesis.hash, applicationID: application.description, device: device, keys: keys,
        in: membership.vault, seen: membership.head, passphrase: passphrase)
    }
  }

  package static func noPassphrase(for application: ApplicationID) -> VaultError {
    VaultError(
      .invalidArgument, "\(application) requires a passphrase, and this machine has none",
      recoverySuggestion:
        "set one with `coffer passphrase set`, or clone without --no-passphrase; or register the app without --locked")
  }

  /// Writes the credential file. Call it when the log entry of its principal is published.
  package func install(in local: LocalVault) throws(VaultError) {
    let credential = credential.advanced(to: try local.publishedMembership().head)
    // A program that opens its vault at this moment must not overwrite it with the old one.
    let lock = try file.lock(timeout: .seconds(10))
    defer { extendLifetime(lock) }
    try file.write(credential)
  }
}
