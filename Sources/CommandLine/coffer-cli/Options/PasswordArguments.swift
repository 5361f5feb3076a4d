internal import ArgumentParser
internal import Coffer
internal import CofferSystem
internal import CofferVault

/// The names that identify a generic password in its group: without an account, the only one of its service.
struct PasswordArguments: ParsableArguments {
  @Argument(help: "The service that the password is for.", completion: .custom(VaultCompletion.services))
  var service: String
  @Argument(
    help: "The account at the service. Default: none, or the only account of the service.",
    completion: .custom(VaultCompletion.accounts))
  var account: String?

  /// Returns the error if no such password exists in the group, or in the groups, that were searched.
  static func notFound(in group: GroupOption, as actor: ActorOptions) -> VaultError {
    VaultError(
      .itemNotFound, "there is no such item in the groups searched",
      recoverySuggestion: "list the items with: \(NextCommand.line("list", app: actor.app, group: group.group))")
  }
}
