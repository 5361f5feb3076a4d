package import CofferFormat

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
