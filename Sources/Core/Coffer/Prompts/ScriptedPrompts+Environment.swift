internal import CofferCrypto
internal import CofferSystem
internal import CofferVault

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
