package import Coffer
internal import Synchronization

/// The prompter of this process.
public enum AuthenticationPrompt {
  private static let current = Mutex<(any AuthenticationPrompter)?>(nil)

  /// The prompter that asks the user; nil, the default, for none.
  public static var prompter: (any AuthenticationPrompter)? {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }

  /// Returns the prompter that asks for the secrets of a vault: the program's or, if there is none and the vault is in
  /// memory with prepared answers, one that gives those.
  package static func prompter(for vault: Vault?) -> (any AuthenticationPrompter)? {
    prompter ?? vault?.scriptedPrompts.map { MemoryPrompter(prompts: $0) }
  }
}
