package import CofferCrypto

/// How a new machine keeps its admin keys.
package enum AdminProtection: Sendable {
  /// In a file that only its owner may read.
  case none
  /// Sealed under a passphrase of 1…1024 bytes.
  case passphrase(SecretText)
}
