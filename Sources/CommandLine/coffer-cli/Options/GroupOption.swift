internal import ArgumentParser
internal import Coffer
internal import CofferVault

/// One access group.
struct GroupOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The access group, by its full name or without the team prefix.",
      discussion: "Default: all groups for searches; with --app, the app's default group for writes.",
      valueName: "group"), completion: .custom(VaultCompletion.groups))
  var group: String?

  /// Returns the group to write to. Throws `invalidArgument` if none is named and there is no default.
  func destination(in vault: Vault) throws(VaultError) -> String {
    let named: String? = if let group { group } else { try vault.defaultAccessGroup }
    guard let named else {
      throw VaultError(.invalidArgument, "no access group is named", recoverySuggestion: "name one with --group")
    }
    return named
  }
}
