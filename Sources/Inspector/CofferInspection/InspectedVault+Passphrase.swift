internal import Coffer
internal import CofferAdministration
package import CofferCrypto
package import CofferVault

extension InspectedVault {
  /// A passphrase with fewer bytes is short: whoever copies this machine's files can find it by trying.
  package static let shortPassphraseByteCount = 8

  package var hasPassphrase: Bool {
    get throws(VaultError) { try local.hasPassphrase }
  }

  /// Changes this machine's passphrase, or sets the first one, as `coffer passphrase` does.
  ///
  /// `current` is nil for a machine without a passphrase. `attempt` calls its argument, which tries the current
  /// passphrase: it can count wrong ones, and refuse to try any. Throws `invalidArgument` for a new passphrase that is
  /// empty, overlong or not the repeated one, and `authenticationFailed` for a missing or wrong current one. If it
  /// throws, the old passphrase still counts.
  package func changePassphrase(
    from current: SecretText?, to new: SecretText, repeated: SecretText,
    attempt: PassphraseAttempt = { (body) throws(VaultError) in try body() }
  ) throws(VaultError) {
    guard !new.isEmpty else {
      throw VaultError(.invalidArgument, "the new passphrase is empty", recoverySuggestion: "choose one")
    }
    guard new == repeated else {
      throw VaultError(
        .invalidArgument, "the two new passphrases differ", recoverySuggestion: "type the same one in both fields")
    }
    guard try local.hasPassphrase else {
      try PassphraseChange.begin(local, current: .unavailable).finish(new)
      return
    }
    guard let current else {
      throw VaultError(
        .authenticationFailed, "this machine's passphrase is needed", recoverySuggestion: "enter it")
    }
    // One that is sealed under the old passphrase by then is opened with it again, so it is kept until the end.
    let source = PassphraseSource { (_) throws(VaultError) in current }
    var change: PassphraseChange?
    try attempt { () throws(VaultError) in change = try PassphraseChange.begin(local, current: source) }
    try change?.finish(new)
  }
}
