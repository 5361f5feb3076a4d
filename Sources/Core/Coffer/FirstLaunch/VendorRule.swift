internal import CofferCrypto
internal import CofferFormat
internal import CofferSystem
package import CofferTrust
internal import CofferVault

/// The rule for which rights an app gets without `coffer app add`: at its first launch, or when a vault joins another
/// one.
///
/// In every vault, the apps of all vendors have one team identifier, so that a plist could claim any group by its name.
/// Unless an owner registers an app with `coffer app add`, it shares a group only with apps of its vendor: those whose
/// plists are signed by the same team key. A prefix in a plist is a label that anybody can copy, and proves nothing.
package struct VendorRule {
  /// The beginnings of the names of Coffer's own apps and groups, and of those for programs of the desktop, which
  /// `coffer-secret-service` tells apart.
  static let reservedPrefixes = ["coffer.", DesktopProgram.prefix]

  /// The key of the vendor's team that has signed the app's plist; nil if none has.
  let team: VerifyingKey?

  init(team: VerifyingKey?) { self.team = team }

  /// Creates the rule for an app that another vault has registered.
  package init(of app: App) { team = Self.vendor(of: app) }

  /// Returns why the app does not get these rights, which an earlier registration may give it already; nil if it gets
  /// them:
  ///
  /// - An app that is registered is of the same vendor.
  /// - The identifier of a new app, and the groups that it gains, are not Coffer's own.
  /// - Each group that it gains is new, or belongs to registered apps of the same vendor only, or to apps of which
  ///   `isShared` says that an owner lets both use it. One that belongs to no app any more may still have items.
  /// - It had none of them before and lost it: an owner has decided that.
  package func objection(
    to entitlements: Entitlements, in membership: Membership,
    unless isShared: (App, AccessGroupName) -> Bool = { _, _ in false }
  ) -> String? {
    let application = entitlements.applicationID
    let present = membership.apps[application]
    if let present, Self.vendor(of: present) != team {
      return "\(application) is registered for \(Self.words(for: present)), and this plist is \(ownWords)"
    }
    let gained = RightsChange(from: present?.entitlements, to: entitlements).gained
    if !gained.isEmpty, let objection = objectionToNames(of: entitlements) { return objection }
    for group in gained {
      let name = group.name
      if let other = membership.apps.values
        .filter({ isForeign($0, in: name, to: application) && !isShared($0, name) })
        .min(by: { $0.id.description < $1.id.description })
      {
        return
          "it claims \(name), which belongs to \(other.id) of \(Self.words(for: other)), and this plist is \(ownWords)"
      }
      let had = membership.registrations.values.filter { $0.id == application }
        .compactMap { $0.entitlements.access(to: name) }.max()
      if let had, let claimed = group.after, had >= claimed {
        return "it claims \(name), which an owner of the vault has taken from the app"
      }
      let known = membership.groups[GroupID(vault: membership.vault, name: name.description)]
      if known?.requirement == .strong {
        // The app's keys may be in a file that other programs can read.
        return "it claims \(name), which only installed apps may have (sudo coffer app install)"
      }
      if known != nil, !membership.apps.values.contains(where: { $0.entitlements.access(to: name) != nil }) {
        return "it claims \(name), which belonged to an app that has no right to it any more"
      }
    }
    return nil
  }

  /// Returns the objection to an identifier, or a group, that is Coffer's own; nil if there is none.
  func objectionToNames(of entitlements: Entitlements) -> String? {
    let team = entitlements.applicationID.team
    for group in entitlements.groups {
      let name = team.removed(from: group.name.description)
      guard let prefix = Self.reservedPrefixes.first(where: name.hasPrefix) else { continue }
      return "it claims \(group.name), and names that begin with \(prefix) are Coffer's own"
    }
    return nil
  }

  /// Whether a registered app has a group and is not certainly of the same vendor.
  private func isForeign(_ other: App, in group: AccessGroupName, to application: ApplicationID) -> Bool {
    guard other.id != application, other.entitlements.access(to: group) != nil else { return false }
    return team == nil || Self.vendor(of: other) != team
  }

  /// The team that has signed the plist of a registered app; nil if none has.
  private static func vendor(of app: App) -> VerifyingKey? {
    try? EntitlementsDocument(bytes: app.statement.entitlements, source: app.id.description).team()
  }

  private var ownWords: String {
    team.map { "signed by the team \(TeamID(vendor: $0))" } ?? "signed by no team"
  }

  private static func words(for app: App) -> String {
    vendor(of: app).map { "the team \(TeamID(vendor: $0))" } ?? "a vendor without a team key"
  }
}

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
