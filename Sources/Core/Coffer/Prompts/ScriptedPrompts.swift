package import CofferCrypto
internal import CofferSystem
internal import CofferVault
internal import Synchronization

/// The prepared outcomes of prompts, for tests: of a vault in memory from the environment variable
/// `COFFER_MEMORY_PROMPT`, of one in a folder from `COFFER_PROMPT`.
///
/// Each prompt of the user takes the next outcome; the last one repeats.
package final class ScriptedPrompts: Sendable {
  package enum Outcome: String, Sendable {
    /// The user types the right secret.
    case approve
    /// The user cancels.
    case cancel
    /// The user types wrong secrets until no attempt is left.
    case fail

    /// Reads a list of outcomes between commas. Throws `invalidArgument` for an unknown outcome, naming the environment
    /// variable.
    static func list(_ text: String, of variable: String) throws(VaultError) -> [Outcome] {
      let words = text.split(separator: ",", omittingEmptySubsequences: false)
      let outcomes = words.compactMap { Outcome(rawValue: String($0)) }
      guard outcomes.count == words.count else {
        throw VaultError(
          .invalidArgument, "\(variable) contains an unknown outcome",
          recoverySuggestion: "set it to approve, cancel or fail, or to several of them between commas")
      }
      return outcomes
    }
  }

  /// The owner's passphrase; nil if it is not known.
  package let passphrase: SecretText?
  /// The password of new items; nil if none is known.
  package let newPassword: SecretText?
  private let outcomes: [Outcome]
  /// The passwords of items that were prepared, or that the program has used.
  private let itemPasswords: Mutex<[SecretText]>
  /// The number of prompts so far.
  private let count = Mutex(0)

  /// Takes the outcomes, and the owner's passphrase, which is also tried as the password of items. The first of
  /// `itemPasswords` is the password of new items, or else the passphrase.
  init(_ outcomes: [Outcome], passphrase: SecretText?, itemPasswords: [SecretText] = []) {
    self.outcomes = outcomes
    self.passphrase = passphrase
    newPassword = itemPasswords.first ?? passphrase
    self.itemPasswords = Mutex(itemPasswords)
  }

  /// Returns the outcome of a prompt. `isContinued` is true for a further attempt, or a repetition of a new password:
  /// the same prompt for the user.
  package func outcome(isContinued: Bool) -> Outcome {
    let index = count.withLock { count in
      if !isContinued { count += 1 }
      return max(count, 1) - 1
    }
    return outcomes.isEmpty ? .cancel : outcomes[min(index, outcomes.count - 1)]
  }

  /// The secrets that may be the password of an item, the last one used first.
  package var possiblePasswords: [SecretText] {
    itemPasswords.withLock { $0 } + (passphrase.map { [$0] } ?? [])
  }

  /// Keeps the password that the program has set for an item, so that a later prompt for it can be approved.
  package func remember(_ password: SecretText) {
    itemPasswords.withLock { passwords in
      passwords.removeAll { $0 == password }
      passwords.insert(password, at: 0)
    }
  }
}

extension Vault {
  /// The prepared outcomes of prompts; nil if no variable asks for any, and for a vault in memory without a passphrase.
  /// Throws `invalidArgument` for a variable with an unknown value.
  package var scriptedPrompts: ScriptedPrompts? {
    get throws(VaultError) { if let memory { memory.scriptedPrompts } else { try ScriptedPrompts.ofProcess.get() } }
  }
}

extension ScriptedPrompts {
  /// The prepared outcomes of prompts for vaults in folders, read at the first prompt of this process.
  static let ofProcess = Result { () throws(VaultError) in try ScriptedPrompts(CurrentProcess.environment) }

  private static let outcomes = "COFFER_PROMPT"
  private static let passphraseFile = "COFFER_PASSPHRASE_FILE"
  private static let passwordFile = "COFFER_ITEM_PASSWORD_FILE"

  /// Reads `COFFER_PROMPT`, a list of outcomes between commas. Unlike in memory, the process does not know the secrets:
  /// `COFFER_PASSPHRASE_FILE` names a file with this machine's passphrase, and `COFFER_ITEM_PASSWORD_FILE` one with the
  /// passwords of items, one in each line. Nil without `COFFER_PROMPT`. Empty variables are the same as missing ones.
  /// Throws `invalidArgument` for an unknown outcome.
  private convenience init?(_ environment: [String: String]) throws(VaultError) {
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    func secrets(_ name: String, _ content: String) throws(VaultError) -> [SecretText] {
      guard let path = value(name) else { return [] }
      let file = SecretFile(
        path: path, isProvided: true, name: "the \(content) that \(name) names",
        recoverySuggestion: "name a regular file that only you can read")
      return try file.read { bytes in
        bytes.split(separator: UInt8(ascii: "\n")).map { SecretText(copying: $0) }
      }
    }
    guard let list = value(Self.outcomes) else { return nil }
    let outcomes = try Outcome.list(list, of: Self.outcomes)
    self.init(
      outcomes, passphrase: try secrets(Self.passphraseFile, "passphrase").first,
      itemPasswords: try secrets(Self.passwordFile, "passwords"))
  }
}
