internal import Coffer
internal import CofferCrypto

/// A prompter that gives the prepared answers of a test.
struct PreparedPrompter: AuthenticationPrompter {
  let prompts: ScriptedPrompts
  /// Returns whether a password opens the item that is prompted for; nil if there is no item.
  let accepts: (@Sendable (Passphrase) -> Bool)?

  func ask(_ request: AuthenticationRequest) -> AuthenticationAnswer {
    let isContinued = request.failedAttempts > 0 || request.secret == .repeatedApplicationPassword
    switch prompts.outcome(isContinued: isContinued) {
    case .approve: return secret(request.secret).map { .passphrase(Passphrase($0)) } ?? .unavailable
    case .cancel: return .cancelled
    // Random, so that it is wrong as a passphrase, and different when it is repeated.
    case .fail: return .passphrase(Passphrase(SecretText(copying: Random.bytes(count: 32))))
    }
  }

  private func secret(_ kind: AuthenticationRequest.Secret) -> SecretText? {
    switch kind {
    case .passphrase: return prompts.passphrase
    case .newApplicationPassword, .repeatedApplicationPassword: return prompts.newPassword
    case .applicationPassword:
      let possible = prompts.possiblePasswords
      return possible.first { accepts?(Passphrase($0)) ?? true } ?? possible.first
    }
  }
}
