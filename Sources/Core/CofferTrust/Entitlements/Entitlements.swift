/// The rights of an app: its identifier and its access groups, with variables expanded, in Apple's order.
package struct Entitlements: Hashable, Sendable {
  /// The access of an app to a group. Write access includes read access and is the greater value.
  package enum Access: Comparable, Hashable, Sendable {
    /// The app reads items. All readers reject records that it wrote.
    case readOnly
    /// The app reads and writes items.
    case readWrite
  }

  /// The app's identifier.
  package let applicationID: ApplicationID
  /// The app's groups, each name once: those of `keychain-access-groups`, the app's own group (unless listed there),
  /// those of `com.apple.security.application-groups`, then the read-only ones. At least 1, at most 64.
  package let groups: [EntitledGroup]
  /// The group for items that are added without one: the first, which is never read-only.
  package let defaultGroup: AccessGroupName

  /// Creates the entitlements of an app from its groups of `keychain-access-groups`, in order, which may include the
  /// app's own group, and those of the other two lists, application groups first.
  init(applicationID: ApplicationID, keychainGroups: [EntitledGroup], others: [EntitledGroup]) {
    let own = EntitledGroup(name: applicationID.accessGroup, key: .applicationIdentifier)
    let isOwnListed = keychainGroups.contains { $0.name == own.name }
    self.applicationID = applicationID
    groups = keychainGroups + (isOwnListed ? [] : [own]) + others
    defaultGroup = keychainGroups.first?.name ?? own.name
  }

  /// Returns the app's access to `group`; nil if it has none.
  package func access(to group: AccessGroupName) -> Access? {
    groups.first { $0.name == group }?.access
  }

  /// Verifies that a plist presented by a running program claims no more than was registered for the app. Throws
  /// `otherApplication` if the plist is of another app, and `exceedsRegistration` for the first group that is not
  /// registered with this access.
  ///
  /// The program then gets the rights, the order of groups and the default group of `registered`, not those of the
  /// presented plist.
  package func checkSubset(of registered: Entitlements, source: String) throws(EntitlementsError) {
    guard applicationID == registered.applicationID else {
      throw EntitlementsError(
        .otherApplication, source: source, key: .applicationIdentifier,
        what: "is \(applicationID), but this program's credential is for \(registered.applicationID)",
        recoverySuggestion:
          "present the plist that the app was registered with, or register this one as an admin: coffer app add FILE")
    }
    for group in groups {
      let granted = registered.access(to: group.name)
      if let granted, granted >= group.access { continue }
      throw EntitlementsError(
        .exceedsRegistration, source: source, key: group.key, group: group.name.description,
        what: granted == nil ? "is not registered for this app" : "is registered for this app as read-only",
        recoverySuggestion: "remove it from the plist, or register the changed plist as an admin: coffer app add FILE")
    }
  }
}
