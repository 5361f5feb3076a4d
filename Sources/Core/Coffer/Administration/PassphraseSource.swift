package import CofferCrypto
package import CofferFormat
internal import CofferKeys
internal import CofferTrust
package import CofferVault
internal import Synchronization

/// The source of the machine's passphrase. The program asks for it; the library never does by itself.
package struct PassphraseSource: Sendable {
  private let attempts: Int
  fileprivate let ask: @Sendable (_ previous: VaultError?) throws(VaultError) -> SecretText

  /// Creates a source that asks `attempts` times if its passphrase is wrong. `ask` receives the error of the previous
  /// passphrase, or nil at first.
  package init(
    attempts: Int = 1, _ ask: @escaping @Sendable (_ previous: VaultError?) throws(VaultError) -> SecretText
  ) {
    self.attempts = attempts
    self.ask = ask
  }

  /// A source that always throws `locked`, because nobody can be asked.
  package static let unavailable = PassphraseSource { (_) throws(VaultError) in
    throw VaultError(
      .locked, "this machine's admin keys are sealed under a passphrase",
      recoverySuggestion: "give --passphrase-file or set COFFER_PASSPHRASE_FILE")
  }

  /// Returns a source that asks this one until its passphrase is right, and then not again.
  package func rememberingFirst() -> PassphraseSource {
    let answer = RememberedAnswer()
    return PassphraseSource(attempts: attempts) { (previous) throws(VaultError) in
      try answer.get(from: self, after: previous)
    }
  }

  /// Asks for the passphrase and passes it to `body`, and asks again as long as `body` throws `authenticationFailed`
  /// and attempts are left.
  func open<Result>(_ body: (SecretText) throws(VaultError) -> Result) throws(VaultError) -> Result {
    var previous: VaultError?
    var remaining = attempts
    while true {
      let passphrase = try ask(previous)
      do throws(VaultError) {
        return try body(passphrase)
      } catch {
        remaining -= 1
        guard error.code == .authenticationFailed, remaining > 0 else { throw error }
        previous = error
      }
    }
  }

  /// Reads a key of this machine's owner, and asks for the passphrase if it is sealed under one, again for a wrong
  /// passphrase as long as attempts are left. `machine` is the name of this machine for errors, if it is known. Throws
  /// `authenticationFailed` for a wrong passphrase, and `integrity` if the file belongs to another vault.
  func open<Key: FileKey>(
    _ file: SecretFile, of genesis: EntryHash, onMachine machine: String?
  ) throws(VaultError) -> Key {
    let content = try file.read(KeyFile<Key>.self, of: genesis)
    guard content.needsPassphrase else { return try translatingErrors { try content.open(passphrase: nil) } }
    return try open { (passphrase) throws(VaultError) in
      do throws(CryptoError) {
        return try content.open(passphrase: passphrase)
      } catch {
        guard error == .authenticationFailed || error == .invalidSize else { throw VaultError(error) }
        throw .wrongPassphrase(of: machine)
      }
    }
  }

  /// Returns the passphrase, which may be wrong.
  package func passphrase() throws(VaultError) -> SecretText { try ask(nil) }
}

/// A passphrase that was given once. It is wiped when the command that asked for it ends.
private final class RememberedAnswer: Sendable {
  private let passphrase = Mutex<SecretText?>(nil)

  func get(from source: PassphraseSource, after previous: VaultError?) throws(VaultError) -> SecretText {
    if previous == nil, let known = passphrase.withLock({ $0 }) { return known }
    let answer = try source.ask(previous)
    passphrase.withLock { $0 = answer }
    return answer
  }
}

/// The keys of authors on this machine that are sealed under its passphrase: the owner's, and those of locked apps.
package enum PassphraseKeys {
  /// Opens all of them with one passphrase.
  ///
  /// - Parameters:
  ///   - local: The vault.
  ///   - source: The source of the passphrase, which is asked until it is right.
  /// - Returns: The keys by author. Empty if nothing is sealed; nobody is asked then.
  /// - Throws: ``VaultError``: `authenticationFailed` for a wrong passphrase.
  package static func open(
    in local: LocalVault, passphrase source: PassphraseSource
  ) throws(VaultError) -> [(author: AuthorID, keys: PartyKeys)] {
    let membership = try local.publishedMembership()
    let source = source.rememberingFirst()
    var opened: [(author: AuthorID, keys: PartyKeys)] = []
    if local.machine(in: membership)?.admin != nil, local.folder.adminFile.exists,
      try local.folder.adminFile.read(AdminFile.self).needsPassphrase
    {
      let keys = try AdminKeys.open(local, in: membership, passphrase: source)
      opened.append((AuthorID(vault: membership.vault, keys: keys.publicKeys), keys))
    }
    let machine = local.machine(in: membership)?.name
    for application in membership.apps.keys.sorted(by: { $0.description < $1.description }) {
      let file = local.folder.credentialFile(of: application)
      guard file.exists, let credential = try? Credential.read(from: file, of: application), credential.needsPassphrase,
        membership.authors[credential.author]?.cut == nil
      else { continue }
      let keys = try source.open { (passphrase) throws(VaultError) in
        try credential.keys(passphrase: passphrase, vault: membership.vault, machine: machine)
      }
      opened.append((credential.author, keys))
    }
    return opened
  }
}

/// Checks the passphrase of this machine's owner, which takes the place of Keychain's device passcode.
package struct OwnerPassphrase: Sendable {
  private let check: @Sendable (SecretText) throws(VaultError) -> Bool

  init(_ check: @escaping @Sendable (SecretText) throws(VaultError) -> Bool) { self.check = check }

  /// Creates a check for a known passphrase. Only a hash under a random key is kept.
  init(is passphrase: SecretText) {
    let key = SymmetricKey.random()
    let hash = key.keyedHash32(passphrase, domain: .ownerPassphrase)
    self.init { (given) throws(VaultError) in key.keyedHash32(given, domain: .ownerPassphrase) == hash }
  }

  /// Returns whether a passphrase is the owner's. With a vault in a folder this takes about half a second and 256 MiB.
  package func accepts(_ passphrase: SecretText) throws(VaultError) -> Bool { try check(passphrase) }
}

extension Domain {
  fileprivate static let ownerPassphrase = Domain("coffer.ownerpw.1")
}
