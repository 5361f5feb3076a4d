public import Coffer
internal import CofferFormat
internal import CofferSystem
package import CofferVault

extension Vault {
  /// Explains why an app can or cannot read its access groups on this machine, without a key and without a passphrase.
  ///
  ///     for explanation in try Vault.explainAccess(of: "com.example.photo.free") { print(explanation.conclusion) }
  ///
  /// - Parameters:
  ///   - application: The app's full identifier, or a bundle identifier that is unique in the vault.
  ///   - accessGroup: The group's full name, or its name without the team's prefix; nil for all groups of the app.
  ///   - entitlements: The plist that the app presents when it opens the vault, to compare it with the registered one; nil
  ///     for the registered one alone.
  ///   - location: The vault's location; the user's own vault (``VaultLocation/standard()``) if nil.
  /// - Returns: An explanation for each group: one if a group is named, also if the app or the group does not exist.
  /// - Throws: ``VaultError``: `notEntitled` if neither a group nor a registered app is named; `noVault`; `integrity`.
  public static func explainAccess(
    of application: String, to accessGroup: String? = nil, presenting entitlements: EntitlementsSource? = nil,
    at location: VaultLocation? = nil
  ) throws(VaultError) -> [AccessExplanation] {
    try explainAccess(
      of: application, to: accessGroup, presenting: entitlements, in: LocalVault.openForReading(at: location))
  }

  /// Explains why an app can or cannot read its access groups in an open vault. As
  /// ``explainAccess(of:to:presenting:at:)``.
  package static func explainAccess(
    of application: String, to accessGroup: String?, presenting entitlements: EntitlementsSource?, in local: LocalVault
  ) throws(VaultError) -> [AccessExplanation] {
    let facts = try AccessFacts.read(from: local, withActivity: false)
    let presented = entitlements.map { PresentedPlist.read($0, in: facts.membership) }
    if let accessGroup {
      return [facts.explanation(ofApp: application, group: accessGroup, presented: presented)]
    }
    let explanations = facts.explanations(ofApp: application, presented: presented)
    if explanations.isEmpty { _ = try local.application(named: application) }
    return explanations
  }

  /// Explains why an app can or cannot read an item on this machine.
  ///
  /// Only groups that this vault's author can read are searched: open the vault as another app, or use `coffer why`, to
  /// explain an item of other groups.
  ///
  /// - Parameters:
  ///   - application: The app's full identifier, or a bundle identifier that is unique in the vault.
  ///   - item: The item, by its primary key.
  ///   - accessGroup: The group to search; all groups of this vault's author if nil.
  /// - Returns: An explanation for each group that has such an item; none if no group has one.
  /// - Throws: ``VaultError``: `locked`; `notEntitled` for a group that this vault's author cannot read; `integrity` for a
  ///   damaged item; `invalidArgument` for a vault in memory, which has no registrations.
  public func explainAccess<Item: KeychainItem>(
    of application: String, to item: Item, in accessGroup: String? = nil
  ) throws(VaultError) -> [AccessExplanation] {
    guard memory == nil else {
      throw VaultError(
        .invalidArgument, "a vault in memory has no registrations, so access to it cannot be explained",
        recoverySuggestion: "use a vault in a folder")
    }
    var search = ItemQuery<Item>().naming(item).search
    search.group = accessGroup
    let found = try find(search, withValues: false)
    guard !found.isEmpty else { return [] }
    let facts = try AccessFacts.read(from: local, withActivity: false)
    return found.map { facts.explanation(ofApp: application, group: $0.group, item: $0) }
  }
}
