extension EntitlementsDocument {
  /// Returns the entitlements with all variables expanded for one team and app.
  ///
  /// `$(AppIdentifierPrefix)` and `$(TeamIdentifierPrefix)` become the team identifier followed by a dot;
  /// `$(CFBundleIdentifier)` and `$(PRODUCT_BUNDLE_IDENTIFIER)` become the bundle identifier. `${…}` is the same as
  /// `$(…)`.
  ///
  /// The bundle identifier may be nil if `application-identifier` contains it, and must match it otherwise.
  /// `sourcePrefix` is a team prefix that is written out in existing plists, 10 characters `A`–`Z` and `0`–`9`: at the
  /// start of a name it is replaced by the vault's.
  package func expanded(
    team: TeamID, bundleID: BundleID?, sourcePrefix: String?
  ) throws(EntitlementsError) -> Entitlements {
    var expansion = try EntitlementsExpansion(
      source: source, team: team, bundleID: bundleID, sourcePrefix: sourcePrefix)
    let applicationID = try expansion.applicationID(applicationIdentifier)
    expansion.bundleID = applicationID.bundleID

    // The identifier implies the app's own group. Xcode also lists it in keychain-access-groups, so that is allowed.
    var namedUnder: [AccessGroupName: EntitlementsKey] = [applicationID.accessGroup: .applicationIdentifier]
    var lists: [EntitlementsKey: [EntitledGroup]] = [:]
    for key in [EntitlementsKey.keychainAccessGroups, .applicationGroups, .readOnlyAccessGroups] {
      for text in groups[key, default: []] {
        let name = try expansion.group(text, key: key)
        if let earlier = namedUnder[name], !(earlier == .applicationIdentifier && key == .keychainAccessGroups) {
          throw EntitlementsError(
            .duplicateGroup, source: source, key: key, group: text,
            what: "is \(name), which is already listed under \(earlier.rawValue)",
            recoverySuggestion: "list each group once")
        }
        namedUnder[name] = key
        lists[key, default: []].append(EntitledGroup(name: name, key: key))
      }
    }
    let entitlements = Entitlements(
      applicationID: applicationID, keychainGroups: lists[.keychainAccessGroups, default: []],
      others: lists[.applicationGroups, default: []] + lists[.readOnlyAccessGroups, default: []])
    guard entitlements.groups.count <= Self.maximumGroupCount else {
      throw Self.tooManyGroups(entitlements.groups.count, source: source)
    }
    return entitlements
  }

  /// True if the plist does not identify its app without a bundle identifier.
  package var needsBundleIdentifier: Bool {
    guard let applicationIdentifier else { return true }
    return ["CFBundleIdentifier", "PRODUCT_BUNDLE_IDENTIFIER"].contains { applicationIdentifier.contains($0) }
  }

  /// The team prefix that is written out in the application identifier; nil if it has none, or a variable.
  package var literalPrefix: String? { applicationIdentifier.flatMap { literalTeamPrefix(of: $0) } }

  /// The team prefix that is written out in the application identifier or else in the first group that has one.
  package var literalTeam: String? {
    let keys: [EntitlementsKey] = [.keychainAccessGroups, .applicationGroups, .readOnlyAccessGroups]
    return literalPrefix ?? keys.lazy.flatMap { groups[$0, default: []] }.compactMap { literalTeamPrefix(of: $0) }.first
  }
}
