internal import CofferTrust
internal import CofferVault

/// What the environment says about vaults in memory. Vaults in a folder never read it.
struct MemorySettings: Sendable {
  private static let teamVariable = "COFFER_MEMORY_TEAM"
  private static let promptVariable = "COFFER_MEMORY_PROMPT"

  /// The team by which access groups are named; nil for that of the plist.
  let team: String?
  /// The outcomes of prompts, the last of which repeats; nil for none.
  let prompts: [ScriptedPrompts.Outcome]?

  /// Reads `COFFER_MEMORY_TEAM`, ten characters `A`–`Z` and `0`–`9`, and `COFFER_MEMORY_PROMPT`, a list of outcomes
  /// between commas. Empty variables are the same as missing ones. Throws `invalidArgument` for other values.
  init(_ environment: [String: String]) throws(VaultError) {
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    team = value(Self.teamVariable)
    if let team, literalTeamPrefix(of: team) != team {
      throw VaultError(
        .invalidArgument, "\(Self.teamVariable) is not a team identifier",
        recoverySuggestion: "set it to ten characters A–Z and 0–9, or unset it")
    }
    prompts =
      if let list = value(Self.promptVariable) {
        try ScriptedPrompts.Outcome.list(list, of: Self.promptVariable)
      } else {
        nil
      }
  }
}
