extension EntitlementsDocument {
  /// The entitlements with variables expanded for one team and app.
  ///
  /// `$(AppIdentifierPrefix)` and `$(TeamIdentifierPrefix)` become the team identifier and a dot;
  /// `$(CFBundleIdentifier)` and `$(PRODUCT_BUNDLE_IDENTIFIER)` the bundle identifier; `${…}` is the same as `$(…)`.
  ///
  /// - Parameters:
  ///   - team: The vault's team.
  ///   - bundleID: The app's bundle identifier, where the plist does not spell it out in `application-identifier`. One
  ///     that contradicts the plist is an error.
  ///   - sourcePrefix: A team prefix that existing code has written out, 10 characters `A`–`Z` and `0`–`9`; at the
  ///     start of a name it is taken for the vault's.
  /// - Throws: `EntitlementsError`, which names the plist, the key, the name and the mend.
  package func expanded(
    team: TeamID, bundleID: BundleID?, sourcePrefix: String?
  ) throws(EntitlementsError) -> Entitlements {
    var expansion = try EntitlementsExpansion(
      source: source, team: team, bundleID: bundleID, sourcePrefix: sourcePrefix)
    let applicationID = try expansion.applicationID(applicationIdentifier)
    expansion.bundleID = applicationID.bundleID

    // The app's own group counts as named by its identifier, and may be named once more where Xcode puts it.
    var namedUnder: [AccessGroupName: EntitlementsKey] = [applicationID.accessGroup: .applicationIdentifier]
    var lists: [EntitlementsKey: [Entitlements.Group]] = [:]
    for key in [EntitlementsKey.keychainAccessGroups, .applicationGroups, .readOnlyAccessGroups] {
      for text in groups[key, default: []] {
        let name = try expansion.group(text, key: key)
        if let earlier = namedUnder[name], !(earlier == .applicationIdentifier && key == .keychainAccessGroups) {
          throw EntitlementsError(
            .duplicateGroup, source: source, key: key, group: text,
            what: "is \(name), which \(earlier.rawValue) names already", mend: "name each group once")
        }
        namedUnder[name] = key
        lists[key, default: []].append(Entitlements.Group(name: name, key: key))
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

  /// True where the plist does not say which app it is without a bundle identifier.
  package var needsBundleIdentifier: Bool {
    guard let applicationIdentifier else { return true }
    return ["CFBundleIdentifier", "PRODUCT_BUNDLE_IDENTIFIER"].contains { applicationIdentifier.contains($0) }
  }

  /// The team prefix that the application identifier has written out; nil where it has none, or a variable.
  package var literalPrefix: String? { applicationIdentifier.flatMap { literalTeamPrefix(of: $0) } }
}

/// Turns the names of one plist into validated ones.
private struct EntitlementsExpansion {
  let source: String
  let team: TeamID
  var bundleID: BundleID?
  /// With its dot.
  let sourcePrefix: String?

  init(source: String, team: TeamID, bundleID: BundleID?, sourcePrefix: String?) throws(EntitlementsError) {
    self.source = source
    self.team = team
    self.bundleID = bundleID
    self.sourcePrefix = sourcePrefix.map { $0 + "." }
    if let sourcePrefix, !isTeamPrefix(sourcePrefix) {
      throw EntitlementsError(
        .invalidName, source: source, what: "cannot be read with the source prefix \(quoted(sourcePrefix))",
        mend: "give --source-prefix the 10 characters A–Z 0–9 that stand before the first dot in the plist")
    }
  }

  /// The app's identifier, from the plist's (`text`), the bundle identifier given, or both where they agree.
  func applicationID(_ text: String?) throws(EntitlementsError) -> ApplicationID {
    guard let text else {
      if let bundleID { return ApplicationID(team: team, bundleID: bundleID) }
      throw EntitlementsError(
        .missingApplicationIdentifier, source: source, key: .applicationIdentifier, what: "is missing",
        mend:
          "add it to the plist, or name the bundle identifier: with --bundle-id at registration, in an Info.plist beside the program when it runs"
      )
    }
    let expanded = try teamName(text, key: .applicationIdentifier)
    guard let application = ApplicationID(expanded) else {
      throw invalid(text, key: .applicationIdentifier, form: ApplicationID.form)
    }
    if let bundleID, bundleID != application.bundleID {
      throw EntitlementsError(
        .otherApplication, source: source, key: .applicationIdentifier, group: text,
        what: "is not the app \(bundleID) that was asked for", mend: "check --bundle-id, or leave it out")
    }
    return application
  }

  /// The group that the plist lists as `text` under `key`.
  func group(_ text: String, key: EntitlementsKey) throws(EntitlementsError) -> AccessGroupName {
    let expanded = try teamName(text, key: key)
    guard let name = AccessGroupName(expanded) else { throw invalid(text, key: key, form: AccessGroupName.form) }
    return name
  }

  /// The name expanded, after a check that it starts with the team's prefix, or `group.` where that may stand.
  private func teamName(_ text: String, key: EntitlementsKey) throws(EntitlementsError) -> String {
    guard !text.utf8.contains(UInt8(ascii: "*")) else {
      throw EntitlementsError(
        .wildcard, source: source, key: key, group: text, what: "holds a wildcard", mend: "name each group in full")
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
        .invalidName, source: source, key: key, group: text, what: "is an application group, which cannot stand here",
        mend: "list it under " + EntitlementsKey.applicationGroups.rawValue)
    }
    let first = String(name.prefix { $0 != "." })
    guard isTeamPrefix(first) else {
      throw EntitlementsError(
        .missingPrefix, source: source, key: key, group: text,
        what: "does not start with the team's prefix \(team.prefix)",
        mend: "write " + quoted("$(AppIdentifierPrefix)" + text))
    }
    throw EntitlementsError(
      .foreignPrefix, source: source, key: key, group: text,
      what: "has the prefix \(first). of another team, and this vault's is \(team.prefix)",
      mend: "write " + quoted("$(AppIdentifierPrefix)" + name.utf8Suffix(from: first.utf8.count + 1))
        + ", or register it with --source-prefix \(first)")
  }

  /// `text` with each `$(NAME)` and `${NAME}` replaced, in one pass: what a variable stands for is not expanded again.
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
          mend: "write $(AppIdentifierPrefix)")
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
        what: "needs the app's bundle identifier, and none was given",
        mend: "give --bundle-id com.example.app, or spell it out in " + EntitlementsKey.applicationIdentifier.rawValue)
    default:
      throw EntitlementsError(
        .unknownVariable, source: source, key: key, group: text,
        what: "holds the unknown variable \(quoted(variable))",
        mend:
          "use $(AppIdentifierPrefix), $(TeamIdentifierPrefix), $(CFBundleIdentifier) or $(PRODUCT_BUNDLE_IDENTIFIER)")
    }
  }

  private func invalid(_ text: String, key: EntitlementsKey, form: String) -> EntitlementsError {
    EntitlementsError(
      .invalidName, source: source, key: key, group: text, what: text.isEmpty ? "is empty" : "is not a valid name",
      mend: "write " + form)
  }
}

/// The team prefix that a name has written out, without its dot; nil where it begins with none.
package func literalTeamPrefix(of name: String) -> String? {
  let first = String(name.prefix { $0 != "." })
  return isTeamPrefix(first) ? first : nil
}

/// Whether `text` looks like a team prefix of Apple's or of ours: Apple's use all ten digits.
private func isTeamPrefix(_ text: String) -> Bool {
  text.utf8.count == 10
    && text.utf8.allSatisfy {
      (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
    }
}

extension String {
  /// What follows the first `count` bytes, which are ASCII.
  fileprivate func utf8Suffix(from count: Int) -> Substring { self[utf8.index(utf8.startIndex, offsetBy: count)...] }
}
