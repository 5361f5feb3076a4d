package import CofferCrypto
package import CofferFormat
package import CofferKeys
package import CofferVault

/// How a machine keeps its owner's keys: an admin's keys, and the delivery key.
package enum AdminProtection: Sendable {
  /// In a file that only its owner may read.
  case none
  /// Sealed under a passphrase of 1…1024 bytes.
  case passphrase(SecretText)

  /// Writes a key of the owner to its file, sealed under the passphrase or open. Throws `invalidArgument` for an empty or
  /// overlong passphrase.
  package func write<Key: FileKey>(_ key: Key, of genesis: EntryHash, to file: SecretFile) throws(VaultError) {
    let passphrase: SecretText? = if case .passphrase(let passphrase) = self { passphrase } else { nil }
    let content: KeyFile<Key>
    do throws(CryptoError) {
      content = try KeyFile(genesis: genesis, key: key, passphrase: passphrase)
    } catch .invalidSize {
      throw VaultError.unusablePassphrase
    } catch {
      throw VaultError(error)
    }
    try file.write(content)
  }
}
