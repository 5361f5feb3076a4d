package import Coffer
internal import Synchronization

/// The prompter of this process.
public enum AuthenticationPrompt {
  private static let current = Mutex<(any AuthenticationPrompter)?>(nil)

  /// The prompter that asks the user; nil, the default, for none. In tests without one, the environment variables
  /// `COFFER_PROMPT` and `COFFER_MEMORY_PROMPT` can answer.
  public static var prompter: (any AuthenticationPrompter)? {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
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
