internal import CofferCrypto
internal import Synchronization
package import CofferVault

/// Where the machine's passphrase comes from, when one is needed: the program asks, the library never does by itself.
package struct PassphraseSource: Sendable {
  private let ask: @Sendable () throws(VaultError) -> [UInt8]

  /// `ask` returns the passphrase's bytes; they are wiped after use.
  package init(_ ask: @escaping @Sendable () throws(VaultError) -> [UInt8]) { self.ask = ask }

  /// Nobody can be asked.
  package static let unavailable = PassphraseSource { () throws(VaultError) in
    throw VaultError(
      .locked, "this machine's admin keys are under a passphrase",
      mend: "give --passphrase-file or set COFFER_PASSPHRASE_FILE")
  }

  /// The same source, asked once at most.
  package func rememberingFirst() -> PassphraseSource {
    let answer = RememberedAnswer()
    return PassphraseSource { () throws(VaultError) in try answer.get(from: self) }
  }

  func passphrase() throws(VaultError) -> [UInt8] { try ask() }
}

/// A passphrase that was given once. It lives as long as the command that asked for it.
private final class RememberedAnswer: Sendable {
  private let passphrase = Mutex<[UInt8]?>(nil)

  func get(from source: PassphraseSource) throws(VaultError) -> [UInt8] {
    if let known = passphrase.withLock({ $0 }) { return known }
    let answer = try source.passphrase()
    passphrase.withLock { $0 = answer }
    return answer
  }

  deinit { passphrase.withLock { $0?.wipe() } }
}
