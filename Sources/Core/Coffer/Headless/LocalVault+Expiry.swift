internal import CofferFormat
internal import CofferSystem
internal import CofferTrust
internal import CofferVault

extension LocalVault {
  /// The error for a key of a group that was not sealed to an author because its headless credential had expired; nil for
  /// any other author.
  func expiryError(of author: AuthorID, _ group: AccessGroupName) throws(VaultError) -> VaultError? {
    let membership = try settledMembership()
    guard let machine = membership.authors[author]?.device, let expires = membership.devices[machine]?.expires else {
      return nil
    }
    let name = membership.name(of: machine)
    return VaultError(
      .notEntitled,
      "a newer key of \(group) is not sealed to the credential \(name), which expired on \(expires.date.localText)",
      recoverySuggestion: "create a new one with: \(HeadlessVault.createCommand)")
  }
}
