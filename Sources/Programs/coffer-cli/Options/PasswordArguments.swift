internal import ArgumentParser
internal import Coffer
internal import CofferSystem
internal import CofferVault

/// The two names that identify a generic password in its group.
struct PasswordArguments: ParsableArguments {
  @Argument(help: "The service that the password is for.")
  var service: String
  @Argument(help: "The account at the service.")
  var account: String

  /// The maximum size of the service, the account and the label of an item that a command creates. Apps may use longer
  /// ones.
  static let maximumByteCount = 1024

  var password: GenericPassword { GenericPassword(service: service, account: account) }

  /// Returns the error if no such password exists in the group, or in the groups, that were searched.
  func notFound(in group: GroupOption, as actor: ActorOptions) -> VaultError {
    VaultError(
      .itemNotFound, "there is no such item in the groups searched",
      recoverySuggestion: "list the items with: \(NextCommand.line("list", app: actor.app, group: group.group))")
  }

  /// Throws `invalidArgument` if the item would be new and a name is longer than lists can show.
  func checkLengths(in vault: Vault, group: String?) throws(VaultError) {
    let longest = max(service.utf8.count, account.utf8.count)
    guard longest > Self.maximumByteCount else { return }
    let destination = if let group { group } else { try vault.defaultAccessGroup }
    guard try !vault.contains(password, in: destination) else { return }
    throw Self.tooLong(service.utf8.count == longest ? "service" : "account", longest)
  }

  /// Returns the error for a text that is too long for a new item.
  static func tooLong(_ name: String, _ count: Int) -> VaultError {
    VaultError(
      .invalidArgument, "the \(name) has \(count) bytes; nothing was changed",
      recoverySuggestion: "use at most \(maximumByteCount) bytes for a service, an account and a label")
  }
}
