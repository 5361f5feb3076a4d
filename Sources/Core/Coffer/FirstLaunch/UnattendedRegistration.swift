internal import CofferCrypto
internal import CofferSystem
internal import CofferTrust
internal import CofferVault

/// The registration of an app at its first launch, by a plist that only a package vouches for.
struct UnattendedRegistration {
  let plist: InstalledEntitlements
  /// The key of the vendor's team that has signed the plist; nil if none has.
  let team: VerifyingKey?

  private var rule: VendorRule { VendorRule(team: team) }

  /// Throws `notEntitled` unless the app gets these rights, by the ``VendorRule``.
  func check(_ entitlements: Entitlements, in membership: Membership) throws(VaultError) {
    if let objection = rule.objection(to: entitlements, in: membership) { throw refusal(objection) }
  }

  /// Throws `notEntitled` if the identifier or a group is Coffer's own.
  func checkNames(of entitlements: Entitlements) throws(VaultError) {
    if let objection = rule.objectionToNames(of: entitlements) { throw refusal(objection) }
  }

  /// What an owner is asked before the app gets these rights.
  func request(
    _ entitlements: Entitlements, in membership: Membership, isRepeated: Bool
  ) -> AppRegistrationRequest {
    let application = entitlements.applicationID
    return AppRegistrationRequest(
      application: application.description,
      groups: entitlements.groups.map { group in
        let others = membership.apps.values.filter {
          $0.id != application && $0.entitlements.access(to: group.name) != nil
        }
        return AppRegistrationRequest.Group(
          name: group.name.description, isWritable: group.access == .readWrite,
          otherApps: others.map(\.id.description).sorted())
      },
      plist: plist.path, voucher: plist.owner, team: team.map { TeamID(vendor: $0).description },
      isRepeated: isRepeated)
  }

  private func refusal(_ reason: String) -> VaultError {
    VaultError(
      .notEntitled, "the app is not registered by the plist \(plist.path), for which \(plist.owner) vouches: \(reason)",
      recoverySuggestion:
        "if both are one vendor's, it signs all its plists with one team key (coffer app sign); an owner who means it runs: coffer app add \(plist.path.shellWord)"
    )
  }
}
