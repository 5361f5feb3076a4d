internal import ArgumentParser
internal import Coffer
internal import CofferVault

/// The two names that identify a generic password in its group.
struct PasswordArguments: ParsableArguments {
  @Argument(help: "The service that the password is for.")
  var service: String
  @Argument(help: "The account at the service.")
  var account: String

  var password: GenericPassword { GenericPassword(service: service, account: account) }

  /// The error if no such password exists.
  var notFound: VaultError {
    VaultError(
      .itemNotFound, "there is no such item in the groups searched",
      recoverySuggestion: "list the items with: coffer list")
  }
}
