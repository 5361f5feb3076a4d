internal import CofferTrust
internal import CofferVault

extension Vault {
  /// What keeps other programs of the same user from the groups of this app. Root raises it with
  /// `coffer app install APP --setgid PROGRAM`.
  ///
  ///     guard try vault.enforcement == .install else { return showHowToInstall() }
  ///
  /// ``AppEnforcement/none`` for a vault in memory, or opened by the machine's owner.
  ///
  /// - Throws: ``VaultError``: `integrity` or `io` if the membership log cannot be read.
  public var enforcement: AppEnforcement {
    get throws(VaultError) {
      guard memory == nil, case .principal(let application, _, _) = author.role else { return .none }
      let status = local.credentialStatus(of: application, in: try local.settledMembership())
      return AppEnforcement(status, owner: local.keysInMemory == nil ? local.ownerKeyProtection : .absent)
    }
  }
}
