internal import CofferSystem

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
    return ["CFBundleIdentifier", "PRODUCT_BUNDLE_IDENTIFIER"].contains { applicationIdentifier.utf8.hasText($0) }
  }

  /// The team prefix that is written out in the application identifier; nil if it has none, or a variable.
  package var literalPrefix: String? { applicationIdentifier.flatMap { literalTeamPrefix(of: $0) } }

  /// The team prefix that is written out in the application identifier or else in the first group that has one.
  package var literalTeam: String? {
    let keys: [EntitlementsKey] = [.keychainAccessGroups, .applicationGroups, .readOnlyAccessGroups]
    return literalPrefix ?? keys.lazy.flatMap { groups[$0, default: []] }.compactMap { literalTeamPrefix(of: $0) }.first
  }
}

/// Expands and validates the names of one plist.
struct EntitlementsExpansion {
  let source: String
  let team: TeamID
  var bundleID: BundleID?
  /// The source prefix, including its dot.
  let sourcePrefix: String?

  init(source: String, team: TeamID, bundleID: BundleID?, sourcePrefix: String?) throws(EntitlementsError) {
    self.source = source
    self.team = team
    self.bundleID = bundleID
    self.sourcePrefix = sourcePrefix.map { $0 + "." }
    if let sourcePrefix, !isTeamPrefix(sourcePrefix) {
      throw EntitlementsError(
        .invalidName, source: source, what: "cannot be read with the source prefix \(quoted(sourcePrefix))",
        recoverySuggestion: "give --source-prefix the 10 characters A–Z 0–9 before the first dot in the plist")
    }
  }

  /// Returns the app's identifier from the plist (`text`), the given bundle identifier, or both if they match.
  func applicationID(_ text: String?) throws(EntitlementsError) -> ApplicationID {
    guard let text else {
      if let bundleID { return ApplicationID(team: team, bundleID: bundleID) }
      throw EntitlementsError(
        .missingApplicationIdentifier, source: source, key: .applicationIdentifier, what: "is missing",
        recoverySuggestion:
          "add it to the plist, or give the bundle identifier: with --bundle-id at registration, in an Info.plist beside the program at run time"
      )
    }
    let expanded = try teamName(text, key: .applicationIdentifier)
    guard let application = ApplicationID(expanded) else {
      throw invalid(text, key: .applicationIdentifier, form: ApplicationID.form)
    }
    if let bundleID, bundleID != application.bundleID {
      throw EntitlementsError(
        .otherApplication, source: source, key: .applicationIdentifier, group: text,
        what: "is not the requested app \(bundleID)", recoverySuggestion: "correct --bundle-id, or omit it")
    }
    return application
  }

  /// Returns the name of the group that the plist lists as `text` under `key`.
  func group(_ text: String, key: EntitlementsKey) throws(EntitlementsError) -> AccessGroupName {
    let expanded = try teamName(text, key: key)
    guard let name = AccessGroupName(expanded) else { throw invalid(text, key: key, form: AccessGroupName.form) }
    return name
  }

  /// Returns the expanded name, which starts with the team's prefix, or with `group.` if the key allows it.
  private func teamName(_ text: String, key: EntitlementsKey) throws(EntitlementsError) -> String {
    guard !text.utf8.contains(UInt8(ascii: "*")) else {
      throw EntitlementsError(
        .wildcard, source: source, key: key, group: text, what: "contains a wildcard",
        recoverySuggestion: "name each group in full")
    }
    var name = try substituted(text, key: key)
    if let sourcePrefix, text.utf8.starts(with: sourcePrefix.utf8) {
      name = team.prefix + name.utf8Suffix(from: sourcePrefix.utf8.count)
    }
    guard labelCount(name) != nil else { throw invalid(text, key: key, form: AccessGroupName.form) }
    if name.utf8.starts(with: team.prefix.utf8) { return name }

    if key != .applicationIdentifier, name.utf8.starts(with: AccessGroupName.applicationGroupPrefix.utf8) {
      if key == .applicationGroups { return name }
      throw EntitlementsError(
        .invalidName, source: source, key: key, group: text, what: "is an application group, which is not allowed here",
        recoverySuggestion: "list it under " + EntitlementsKey.applicationGroups.rawValue)
    }
    let first = String(name.prefix { $0 != "." })
    guard isTeamPrefix(first) else {
      throw EntitlementsError(
        .missingPrefix, source: source, key: key, group: text,
        what: "does not start with the team's prefix \(team.prefix)",
        recoverySuggestion: "write " + quoted("$(AppIdentifierPrefix)" + text))
    }
    throw EntitlementsError(
      .foreignPrefix, source: source, key: key, group: text,
      what: "has the prefix \(first). of another team; this vault's is \(team.prefix)",
      recoverySuggestion: "write " + quoted("$(AppIdentifierPrefix)" + name.utf8Suffix(from: first.utf8.count + 1))
        + ", or register it with --source-prefix \(first)")
  }

  /// Replaces each `$(NAME)` and `${NAME}` in one pass: the replacement is not expanded again.
  private func substituted(_ text: String, key: EntitlementsKey) throws(EntitlementsError) -> String {
    var result = String.UnicodeScalarView()
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      guard scalar == "$", let open = rest.first, open == "(" || open == "{" else {
        result.append(scalar)
        continue
      }
      rest.removeFirst()
      guard let close = rest.firstIndex(of: open == "(" ? ")" : "}") else {
        throw EntitlementsError(
          .unknownVariable, source: source, key: key, group: text, what: "has a variable without its closing bracket",
          recoverySuggestion: "write $(AppIdentifierPrefix)")
      }
      let variable = String(rest[..<close])
      rest = rest[rest.index(after: close)...]
      result.append(contentsOf: try value(of: variable, in: text, key: key).unicodeScalars)
    }
    return String(result)
  }

  private func value(of variable: String, in text: String, key: EntitlementsKey) throws(EntitlementsError) -> String {
    switch variable {
    case "AppIdentifierPrefix", "TeamIdentifierPrefix":
      return team.prefix
    case "CFBundleIdentifier", "PRODUCT_BUNDLE_IDENTIFIER":
      if let bundleID { return bundleID.description }
      throw EntitlementsError(
        .missingBundleID, source: source, key: key, group: text,
        what: "needs the app's bundle identifier, but none was given",
        recoverySuggestion: "give --bundle-id com.example.app, or spell it out in "
          + EntitlementsKey.applicationIdentifier.rawValue)
    default:
      throw EntitlementsError(
        .unknownVariable, source: source, key: key, group: text,
        what: "contains the unknown variable \(quoted(variable))",
        recoverySuggestion:
          "use $(AppIdentifierPrefix), $(TeamIdentifierPrefix), $(CFBundleIdentifier) or $(PRODUCT_BUNDLE_IDENTIFIER)")
    }
  }

  private func invalid(_ text: String, key: EntitlementsKey, form: String) -> EntitlementsError {
    EntitlementsError(
      .invalidName, source: source, key: key, group: text, what: text.isEmpty ? "is empty" : "is not a valid name",
      recoverySuggestion: "write " + form)
  }
}

/// Returns the team prefix that is written out at the start of a name, without its dot; nil if there is none.
package func literalTeamPrefix(of name: String) -> String? {
  let first = String(name.prefix { $0 != "." })
  return isTeamPrefix(first) ? first : nil
}

/// Returns true if `text` has the form of a team prefix. Apple's use all ten digits, Coffer's only 2 to 7.
func isTeamPrefix(_ text: String) -> Bool {
  text.utf8.count == 10
    && text.utf8.allSatisfy {
      (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
    }
}

extension String {
  /// Returns the part after the first `count` bytes, which are ASCII.
  fileprivate func utf8Suffix(from count: Int) -> Substring { self[utf8.index(utf8.startIndex, offsetBy: count)...] }
}
