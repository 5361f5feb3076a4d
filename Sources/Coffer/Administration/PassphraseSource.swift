package import CofferCrypto
internal import CofferVault
internal import Synchronization

/// The source of the machine's passphrase. The program asks for it; the library never does by itself.
package struct PassphraseSource: Sendable {
  private let ask: @Sendable () throws(VaultError) -> SecretText

  /// Creates a source.
  ///
  /// - Parameter ask: Returns the passphrase.
  package init(_ ask: @escaping @Sendable () throws(VaultError) -> SecretText) { self.ask = ask }

  /// A source that always throws `locked`, because nobody can be asked.
  package static let unavailable = PassphraseSource { () throws(VaultError) in
    throw VaultError(
      .locked, "this machine's admin keys are sealed under a passphrase",
      recoverySuggestion: "give --passphrase-file or set COFFER_PASSPHRASE_FILE")
  }

  /// Returns a source that asks this one at most once.
  package func rememberingFirst() -> PassphraseSource {
    let answer = RememberedAnswer()
    return PassphraseSource { () throws(VaultError) in try answer.get(from: self) }
  }

  func passphrase() throws(VaultError) -> SecretText { try ask() }
}

/// A passphrase that was given once. It is wiped when the command that asked for it ends.
private final class RememberedAnswer: Sendable {
  private let passphrase = Mutex<SecretText?>(nil)

  func get(from source: PassphraseSource) throws(VaultError) -> SecretText {
    if let known = passphrase.withLock({ $0 }) { return known }
    let answer = try source.passphrase()
    passphrase.withLock { $0 = answer }
    return answer
  }
}
