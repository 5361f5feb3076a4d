package import Coffer
internal import CofferCrypto
internal import Synchronization

/// The prompter of this process.
public enum AuthenticationPrompt {
  private static let current = Mutex<(any AuthenticationPrompter)?>(nil)

  /// The prompter that asks the user; nil, the default, for none. In tests without one, the environment variables
  /// `COFFER_PROMPT` and `COFFER_MEMORY_PROMPT` can answer.
  public static var prompter: (any AuthenticationPrompter)? {
    get { current.withLock { $0 } }
    set {
      current.withLock { $0 = newValue }
      Vault.registrationPrompt = newValue == nil ? nil : askForRegistration
    }
  }

  /// Asks for the passphrase with which an app is registered at its first launch; nil if the user cancels.
  private static func askForRegistration(_ request: AppRegistrationRequest) throws(VaultError) -> SecretText? {
    let answer = prompter?.ask(
      AuthenticationRequest(
        secret: .passphrase, reason: request.description, failedAttempts: request.isRepeated ? 1 : 0))
    switch answer {
    case .passphrase(let passphrase): return passphrase.secret
    case .cancelled: return nil
    case .unavailable, nil:
      throw VaultError(
        .locked,
        "\(request.application) is not registered, and there is no terminal or dialog to ask for the passphrase",
        recoverySuggestion: "register it with: coffer app add \(request.plist)")
    }
  }

  /// Returns the prompter that asks for the secrets of a vault: the program's or, if there is none and a test has
  /// prepared answers, one that gives those; otherwise nil. `accepts` returns whether a password opens the item that is
  /// prompted for, nil if there is no item. Throws `notInteractive` if the prepared answers cannot be read.
  package static func prompter(
    for vault: Vault?, accepts: (@Sendable (Passphrase) -> Bool)? = nil
  ) throws(LAError) -> (any AuthenticationPrompter)? {
    if let prompter { return prompter }
    do throws(VaultError) {
      return try vault?.scriptedPrompts.map { PreparedPrompter(prompts: $0, accepts: accepts) }
    } catch {
      throw LAError(.notInteractive, error.description)
    }
  }
}
