package import CofferCrypto
internal import CofferVault

/// How a machine keeps its owner's keys: an admin's keys, and the delivery key.
package enum AdminProtection: Sendable {
  /// In a file that only its owner may read.
  case none
  /// Sealed under a passphrase of 1…1024 bytes.
  case passphrase(SecretText)

  /// Makes a file with keys, sealed under a passphrase or open. Throws `invalidArgument` for an empty or overlong
  /// passphrase.
  func protecting<File>(_ seal: (SecretText?) throws(CryptoError) -> File) throws(VaultError) -> File {
    do throws(CryptoError) {
      switch self {
      case .none: return try seal(nil)
      case .passphrase(let passphrase): return try seal(passphrase)
      }
    } catch .invalidSize {
      throw VaultError.unusablePassphrase
    } catch {
      throw VaultError(error)
    }
  }
}
