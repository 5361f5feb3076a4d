internal import Coffer
internal import CofferCrypto

/// A prompter that gives the prepared answers for a vault in memory.
struct MemoryPrompter: AuthenticationPrompter {
  let prompts: ScriptedPrompts

  func ask(_ request: AuthenticationRequest) -> AuthenticationAnswer {
    let isContinued = request.failedAttempts > 0 || request.secret == .repeatedApplicationPassword
    switch prompts.outcome(isContinued: isContinued) {
    case .approve: return .passphrase(Passphrase(prompts.passphrase))
    case .cancel: return .cancelled
    // Random, so that it is wrong as a passphrase, and different when it is repeated.
    case .fail: return .passphrase(Passphrase(SecretText(copying: Random.bytes(count: 32))))
    }
  }
}
