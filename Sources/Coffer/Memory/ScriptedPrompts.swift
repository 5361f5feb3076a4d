package import CofferCrypto
internal import Synchronization

/// The prepared outcomes of prompts for a vault in memory, from the environment variable `COFFER_MEMORY_PROMPT`.
///
/// Each prompt of the user takes the next outcome; the last one repeats.
package final class ScriptedPrompts: Sendable {
  /// The outcome of a prompt.
  package enum Outcome: String, Sendable {
    /// The user types the right secret.
    case approve
    /// The user cancels.
    case cancel
    /// The user types wrong secrets until no attempt is left.
    case fail
  }

  /// The owner's passphrase, which is also the password of each item.
  package let passphrase: SecretText
  private let outcomes: [Outcome]
  /// The number of prompts so far.
  private let count = Mutex(0)

  init(_ outcomes: [Outcome], passphrase: SecretText) {
    self.outcomes = outcomes
    self.passphrase = passphrase
  }

  /// Returns the outcome of a prompt.
  ///
  /// - Parameter isContinued: True for a further attempt, or a repetition of a new password: the same prompt for the
  ///   user.
  /// - Returns: The outcome.
  package func outcome(isContinued: Bool) -> Outcome {
    let index = count.withLock { count in
      if !isContinued { count += 1 }
      return max(count, 1) - 1
    }
    return outcomes.isEmpty ? .cancel : outcomes[min(index, outcomes.count - 1)]
  }
}

extension Vault {
  /// The prepared outcomes of prompts: nil for a vault in a folder, whatever the environment says, and for one in memory
  /// without a passphrase or without `COFFER_MEMORY_PROMPT`.
  package var scriptedPrompts: ScriptedPrompts? { memory?.scriptedPrompts }
}
