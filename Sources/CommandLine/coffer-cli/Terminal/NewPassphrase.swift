internal import Coffer
internal import CofferCrypto
internal import CofferTerminal
internal import CofferVault

/// Reads a passphrase that is to be set.
enum NewPassphrase {
  /// Reads the passphrase from a file or, without one, twice from a prompt, and warns of a short one. `ifEmpty` is the
  /// recovery suggestion for an empty passphrase, and `otherwise` how to give the passphrase if no terminal exists.
  /// Throws `invalidArgument` for an empty or overlong passphrase, and for two different ones, and `locked` if no
  /// terminal exists or the user cancels.
  static func read(_ path: String?, ifEmpty: String, otherwise: String) throws(VaultError) -> SecretText {
    let passphrase =
      if let path {
        try SecretInput.file(path, limit: maximumByteCount, what: "passphrase")
      } else {
        try ask("New passphrase for this machine", ifEmpty: ifEmpty, otherwise: otherwise)
      }
    guard passphrase.count <= maximumByteCount else {
      throw VaultError(
        .invalidArgument, "the passphrase has more than \(maximumByteCount) bytes",
        recoverySuggestion: "choose another one")
    }
    if passphrase.count < shortByteCount {
      Terminal.printNote(
        "This passphrase is short: whoever copies this machine's files can find it by trying. "
          + "To choose a longer one: coffer passphrase change")
    }
    return passphrase
  }

  private static let maximumByteCount = 1024
  /// A passphrase with fewer bytes is short.
  private static let shortByteCount = 8

  /// Asks for a new passphrase twice.
  static func ask(_ prompt: String, ifEmpty: String, otherwise: String) throws(VaultError) -> SecretText {
    let first = try Terminal.askHidden(prompt, for: "a passphrase", otherwise: otherwise)
    guard !first.isEmpty else {
      throw VaultError(.invalidArgument, "the passphrase is empty", recoverySuggestion: ifEmpty)
    }
    guard try Terminal.askHidden("Once more", for: "a passphrase", otherwise: otherwise) == first else {
      throw VaultError(
        .invalidArgument, "the two passphrases differ; nothing was changed", recoverySuggestion: "try again")
    }
    return first
  }
}
