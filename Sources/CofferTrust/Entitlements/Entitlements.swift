/// What an app may do: its identifier and its access groups, variables expanded, in Apple's order.
package struct Entitlements: Hashable, Sendable {
  /// What an app may do in a group. Write access includes read access, and is the greater.
  package enum Access: Comparable, Hashable, Sendable {
    /// The app reads items; every reader refuses a record that it wrote.
    case readOnly
    /// The app reads and writes items.
    case readWrite
  }

  /// One access group of an app.
  package struct Group: Hashable, Sendable {
    /// The group's full name.
    package let name: AccessGroupName
    /// The entitlement that names the group.
    package let key: EntitlementsKey

    /// What the app may do in the group.
    package var access: Access { key == .readOnlyAccessGroups ? .readOnly : .readWrite }
  }

  /// The app.
  package let applicationID: ApplicationID
  /// The app's groups, no name twice: those of `keychain-access-groups`, the app's own (where it is not among them),
  /// those of `com.apple.security.application-groups`, and last the read-only ones. At least one, at most 64.
  package let groups: [Group]
  /// The group that a write without a group goes to: the first, which is never a read-only one.
  package let defaultGroup: AccessGroupName

  /// - Parameters:
  ///   - applicationID: The app.
  ///   - keychainGroups: Those of `keychain-access-groups`, in order; the app's own may be among them.
  ///   - others: Those of the other two lists, application groups first.
  init(applicationID: ApplicationID, keychainGroups: [Group], others: [Group]) {
    let own = Group(name: applicationID.accessGroup, key: .applicationIdentifier)
    let isOwnListed = keychainGroups.contains { $0.name == own.name }
    self.applicationID = applicationID
    groups = keychainGroups + (isOwnListed ? [] : [own]) + others
    defaultGroup = keychainGroups.first?.name ?? own.name
  }

  /// What the app may do in `group`; nil where the group is none of its own.
  package func access(to group: AccessGroupName) -> Access? {
    groups.first { $0.name == group }?.access
  }

  /// Checks that this plist, presented by a running program, claims nothing beyond what was registered for the app.
  ///
  /// What the program may do, in what order, and its default are then those of `registered`, not of the presented
  /// plist.
  ///
  /// - Parameters:
  ///   - registered: What the membership log grants the app.
  ///   - source: The presented plist, for errors.
  /// - Throws: `EntitlementsError`: `otherApplication`, or `exceedsRegistration` for the first group that is too much.
  package func checkSubset(of registered: Entitlements, source: String) throws(EntitlementsError) {
    guard applicationID == registered.applicationID else {
      throw EntitlementsError(
        .otherApplication, source: source, key: .applicationIdentifier,
        what: "is \(applicationID), and this program's credential is for \(registered.applicationID)",
        mend:
          "present the plist that the app was registered with, or register this one as an admin: coffer app add FILE")
    }
    for group in groups {
      let granted = registered.access(to: group.name)
      if let granted, granted >= group.access { continue }
      throw EntitlementsError(
        .exceedsRegistration, source: source, key: group.key, group: group.name.description,
        what: granted == nil ? "is not registered for this app" : "is registered for this app as read-only",
        mend: "take it out of the plist, or register the changed plist as an admin: coffer app add FILE")
    }
  }
}
