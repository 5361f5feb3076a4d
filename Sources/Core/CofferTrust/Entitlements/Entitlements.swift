package import CofferFormat

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

/// One access group of an app.
package struct EntitledGroup: Hashable, Sendable {
  /// The group's full name.
  package let name: AccessGroupName
  package let key: EntitlementsKey

  /// The app's access to the group.
  package var access: Entitlements.Access { key == .readOnlyAccessGroups ? .readOnly : .readWrite }
}

/// The entitlements that Coffer reads. All other keys of a plist are ignored.
package enum EntitlementsKey: String, CaseIterable, Hashable, Sendable {
  /// The app's full identifier, `$(AppIdentifierPrefix)com.example.photo`: a string.
  case applicationIdentifier = "application-identifier"
  /// Groups that the app reads and writes; the first is the default group: an array of strings.
  case keychainAccessGroups = "keychain-access-groups"
  /// Application groups, which are access groups that the app reads and writes: an array of strings.
  case applicationGroups = "com.apple.security.application-groups"
  /// Groups that the app reads but must not write, a key defined by Coffer: an array of strings.
  case readOnlyAccessGroups = "coffer-read-only-access-groups"
}

extension Entitlements {
  /// Returns these rights together with those of an earlier registration of the app, which an update of the app must
  /// not take away without being asked for. The order is that of the new plist, and the default group its.
  package func keeping(_ earlier: Entitlements) -> Entitlements {
    let kept = earlier.groups.filter { old in
      access(to: old.name).map { $0 < old.access } ?? true
    }
    let names = Set(kept.map(\.name))
    // The app's own group is added by the initialiser.
    let all = groups.filter { !names.contains($0.name) } + kept
    func under(_ key: EntitlementsKey) -> [EntitledGroup] { all.filter { $0.key == key } }
    return Entitlements(
      applicationID: applicationID, keychainGroups: under(.keychainAccessGroups),
      others: under(.applicationGroups) + under(.readOnlyAccessGroups))
  }
}

extension Entitlements {
  /// The groups, as a registration states them.
  package var stated: [StatedGroup] {
    groups.map { StatedGroup(name: $0.name.description, source: $0.key.source) }
  }

  /// Verifies the groups that a registration states: 1…64 in Apple's order, each once, all of this team, the app's own
  /// group among them. The source is the name of the registration, for errors.
  init(
    applicationID: String, stated: [StatedGroup], team: TeamID, source: String
  ) throws(EntitlementsError) {
    guard let application = ApplicationID(applicationID), application.team == team else {
      throw Self.failure(source, key: .applicationIdentifier, applicationID)
    }
    var groups: [EntitledGroup] = []
    for group in stated {
      let key = EntitlementsKey(group.source)
      guard let name = AccessGroupName(group.name), Self.allows(name, under: key, of: application) else {
        throw Self.failure(source, key: key, group.name)
      }
      groups.append(EntitledGroup(name: name, key: key))
    }
    func under(_ key: EntitlementsKey) -> [EntitledGroup] { groups.filter { $0.key == key } }
    self.init(
      applicationID: application, keychainGroups: under(.keychainAccessGroups),
      others: under(.applicationGroups) + under(.readOnlyAccessGroups))
    guard self.groups == groups, Set(groups.map(\.name)).count == groups.count else {
      throw Self.failure(source, key: .keychainAccessGroups, applicationID)
    }
  }

  private static func allows(_ name: AccessGroupName, under key: EntitlementsKey, of application: ApplicationID) -> Bool
  {
    switch key {
    case .applicationIdentifier: name == application.accessGroup
    case .applicationGroups: name.team.map { $0 == application.team } ?? true
    case .keychainAccessGroups, .readOnlyAccessGroups: name.team == application.team
    }
  }

  private static func failure(_ source: String, key: EntitlementsKey, _ name: String) -> EntitlementsError {
    EntitlementsError(
      .invalidName, source: source, key: key, group: name, what: "states groups that no plist expands to",
      recoverySuggestion: "the entry was written by a faulty program: register the app again")
  }
}

extension EntitlementsKey {
  init(_ source: StatedGroup.Source) {
    self =
      switch source {
      case .keychainAccessGroups: .keychainAccessGroups
      case .applicationIdentifier: .applicationIdentifier
      case .applicationGroups: .applicationGroups
      case .readOnlyAccessGroups: .readOnlyAccessGroups
      }
  }

  fileprivate var source: StatedGroup.Source {
    switch self {
    case .keychainAccessGroups: .keychainAccessGroups
    case .applicationIdentifier: .applicationIdentifier
    case .applicationGroups: .applicationGroups
    case .readOnlyAccessGroups: .readOnlyAccessGroups
    }
  }
}

extension AppStatement {
  /// Returns the entitlements of this registration for a team.
  package func entitlements(team: TeamID) throws(EntitlementsError) -> Entitlements {
    try Entitlements(
      applicationID: applicationID, stated: groups, team: team, source: "registration of \(applicationID)")
  }
}
