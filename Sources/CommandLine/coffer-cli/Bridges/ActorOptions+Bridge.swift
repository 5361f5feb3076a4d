internal import Coffer
internal import CofferAgent
internal import CofferPlatform
internal import CofferSystem
internal import CofferVault

extension ActorOptions {
  /// Opens the vault for another program that asks for a password: with the owner's own group only, if neither an app
  /// nor a group is named and that group exists. The program gets values with `show`, as who reads what a command
  /// prints.
  func openForBridge(
    for use: GroupUse, group: String?, to purpose: KeyPurpose = .use
  ) throws(VaultError) -> Vault {
    if group == nil, let own = try openOwnGroup(for: use, to: purpose) { return own }
    return try open(for: use, to: purpose, printsState: false)
  }

  /// Whether this machine has no vault yet, and so none of the passwords that another program looks for.
  func isVaultAbsent() throws(VaultError) -> Bool {
    guard VaultLocation.headlessCredential(in: CurrentProcess.environment) == nil else { return false }
    return try VaultFolder(.standard()).isAbsent
  }

  /// Returns the value of a generic password, for another program. Throws `itemNotFound` if there is none.
  func valueForBridge(of service: String, _ account: String, group: String?) throws(VaultError) -> Data {
    let vault = try openForBridge(for: .reading(group), group: group, to: .show)
    if let value = try vault.value(for: GenericPassword(service: service, account: account), in: group) { return value }
    throw VaultError(
      .itemNotFound, "there is no item \(service.sanitizedForTerminal()), \(account.sanitizedForTerminal())",
      recoverySuggestion: "store it with: coffer set \(service.shellWord) \(account.shellWord)")
  }

  /// Deletes a generic password, for another program. Returns whether there was one. Throws `invalidArgument` if
  /// several groups have it, because the other program knows of none.
  func deleteForBridge(_ service: String, _ account: String, group: String?) throws(VaultError) -> Bool {
    let vault = try openForBridge(for: .changing(group), group: group)
    let item = GenericPassword(service: service, account: account)
    let found = try vault.list(ItemQuery<GenericPassword>(in: group).naming(item)).items
    guard found.count < 2 else {
      throw VaultError(
        .invalidArgument, "several groups have \(service.sanitizedForTerminal()), \(account.sanitizedForTerminal())",
        recoverySuggestion:
          "delete one of them with: coffer delete \(service.shellWord) \(account.shellWord) --group GROUP")
    }
    return try found.first.map { found throws(VaultError) in try vault.delete(found.item, in: found.accessGroup) }
      ?? false
  }
}
