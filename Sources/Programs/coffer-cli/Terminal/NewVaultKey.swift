internal import Coffer
internal import CofferCrypto
internal import CofferFormat
internal import CofferTerminal
internal import CofferVault
internal import Foundation

/// Hands a new vault key to the user, once: it is stored nowhere else.
enum NewVaultKey {
  /// Prints a key on standard output, between a heading and an explanation.
  static func print(_ key: VaultKey, heading: String, explanation: String) throws(VaultError) {
    try Terminal.write(Data("\(heading):\n\n    ".utf8))
    try Terminal.write(SecretText(line: key.text))
    try Terminal.write(Data("\n\(explanation)\n".utf8))
  }
}
