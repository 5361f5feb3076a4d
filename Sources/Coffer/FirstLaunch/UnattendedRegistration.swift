internal import CofferCrypto
internal import CofferFormat
internal import CofferSystem
internal import CofferTrust
internal import CofferVault

/// The rule for what an app gets at its first launch, by a plist that only a package vouches for.
///
/// In every vault, the apps of all vendors have one team identifier, so that a plist could claim any group by its name.
/// Unless an owner registers an app with `coffer app add`, it shares a group only with apps of its vendor: those whose
/// plists are signed by the same team key. A prefix in a plist is a label that anybody can copy, and proves nothing.
struct UnattendedRegistration {
  /// The beginning of the names of Coffer's own apps and groups.
  static let reservedPrefix = "coffer."

  let plist: InstalledEntitlements
  /// The key of the vendor's team that has signed the plist; nil if none has.
  let team: VerifyingKey?

  /// Throws `notEntitled` unless the app gets these rights, which an earlier registration may give it already:
  ///
  /// - An app that is registered is of the same vendor.
  /// - The identifier of a new app, and the groups that it gains, are not Coffer's own.
  /// - Each group that it gains is new, or belongs to registered apps of the same vendor only. One that belongs to no app
  ///   any more may still have items.
  /// - It had none of them before and lost it: an owner has decided that.
  func check(_ entitlements: Entitlements, in membership: Membership) throws(VaultError) {
    let application = entitlements.applicationID
    let present = membership.apps[application]
    if let present, vendor(of: present) != team {
      throw refusal("\(application) is registered for \(words(for: present)), and this plist is \(ownWords)")
    }
    let gained = RightsChange(from: present?.entitlements, to: entitlements).gained
    if !gained.isEmpty { try checkNames(of: entitlements) }
    for group in gained {
      if let other = membership.apps.values.filter({ isForeign($0, in: group.name, to: application) })
        .min(by: { $0.id.description < $1.id.description })
      {
        throw refusal(
          "it claims \(group.name), which belongs to \(other.id) of \(words(for: other)), and this plist is \(ownWords)"
        )
      }
      let had = membership.registrations.values.filter { $0.id == application }
        .compactMap { $0.entitlements.access(to: group.name) }.max()
      if let had, let claimed = group.after, had >= claimed {
        throw refusal("it claims \(group.name), which an owner of the vault has taken from the app")
      }
      let known = membership.groups[GroupID(vault: membership.vault, name: group.name.description)]
      if known?.requirement == .strong {
        // The app's keys may be in a file that other programs can read.
        throw refusal("it claims \(group.name), which only installed apps may have (sudo coffer app install)")
      }
      if known != nil, !membership.apps.values.contains(where: { $0.entitlements.access(to: group.name) != nil }) {
        throw refusal("it claims \(group.name), which belonged to an app that has no right to it any more")
      }
    }
  }

  /// Throws `notEntitled` if the identifier or a group is Coffer's own.
  func checkNames(of entitlements: Entitlements) throws(VaultError) {
    let team = entitlements.applicationID.team
    for group in entitlements.groups where team.removed(from: group.name.description).hasPrefix(Self.reservedPrefix) {
      throw refusal("it claims \(group.name), and names that begin with \(Self.reservedPrefix) are Coffer's own")
    }
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

  /// Whether a registered app has a group and is not certainly of the same vendor.
  private func isForeign(_ other: App, in group: AccessGroupName, to application: ApplicationID) -> Bool {
    guard other.id != application, other.entitlements.access(to: group) != nil else { return false }
    return team == nil || vendor(of: other) != team
  }

  /// The team that has signed the plist of a registered app; nil if none has.
  private func vendor(of app: App) -> VerifyingKey? {
    try? EntitlementsDocument(bytes: app.statement.entitlements, source: app.id.description).team()
  }

  private func words(for app: App) -> String { Self.words(for: vendor(of: app)) }

  private var ownWords: String {
    team.map { "signed by the team \(TeamID(vendor: $0))" } ?? "signed by no team"
  }

  private static func words(for team: VerifyingKey?) -> String {
    team.map { "the team \(TeamID(vendor: $0))" } ?? "a vendor without a team key"
  }

  private func refusal(_ reason: String) -> VaultError {
    VaultError(
      .notEntitled, "the app is not registered by the plist \(plist.path), for which \(plist.owner) vouches: \(reason)",
      recoverySuggestion:
        "if both are one vendor's, it signs all its plists with one team key (coffer app sign); an owner who means it runs: coffer app add \(plist.path.shellWord)"
    )
  }
}
