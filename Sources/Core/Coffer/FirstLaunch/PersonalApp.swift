internal import CofferFormat
internal import CofferSystem
package import CofferTrust
package import CofferVault

/// The app of this machine's owner: the program `coffer`, with one group for what a person keeps without any app, and
/// further ones that the person creates. It is registered as every other app is, when the first secret is set.
package enum PersonalApp {
  /// The bundle identifier, and the name of the group without the team.
  package static let bundleIdentifier = "coffer.personal"

  /// The plist with further groups, by their names without the team. Names of groups need no escapes.
  private static func plist(groups: [String]) -> [UInt8] {
    let list = ([bundleIdentifier] + groups).map { "<string>$(AppIdentifierPrefix)\($0)</string>" }.joined()
    let entry = groups.isEmpty ? "" : "\n<key>keychain-access-groups</key><array>\(list)</array>"
    return Array(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict>
      <key>application-identifier</key><string>$(AppIdentifierPrefix)\(bundleIdentifier)</string>\(entry)
      </dict></plist>
      """.utf8)
  }

  private static func registration(groups: [String]) -> AppRegistration.Request {
    AppRegistration.Request(
      plist: plist(groups: groups), source: "the entitlements of \(bundleIdentifier)", bundleID: nil, sourcePrefix: nil)
  }

  /// The registration of the app with its own group, whose plist the program has itself.
  package static let registration = registration(groups: [])

  /// Returns the groups of a registered app that a person has created, by their names without the team; nil if the app
  /// is another one, or its owner has registered it with a plist that the program does not write.
  package static func furtherGroups(of app: App) -> [String]? {
    let team = app.id.team
    guard let entitlements = try? AppRegistration.Request(of: app, in: team).entitlements(in: team) else { return nil }
    let names = entitlements.groups.map { team.removed(from: $0.name.description) }.filter { $0 != bundleIdentifier }
    return app.statement.entitlements == plist(groups: names) ? names : nil
  }

  /// Whether a registered app is this one, with a plist of the program.
  package static func isRegistration(_ app: App) -> Bool { furtherGroups(of: app) != nil }

  // MARK: Groups of one's own

  /// Whether an access group is the person's own: the first one, also before it exists, or one that the app has.
  package static func owns(_ group: AccessGroupName, in membership: Membership) -> Bool {
    let team = membership.team
    let app = BundleID(bundleIdentifier).flatMap { membership.apps[ApplicationID(team: team, bundleID: $0)] }
    return team.removed(from: group.description) == bundleIdentifier || app?.entitlements.access(to: group) != nil
  }

  /// Throws `invalidArgument` for a name that no group of one's own can have.
  package static func checkGroup(named name: String) throws(VaultError) {
    let reserved = (VendorRule.reservedPrefixes + [AccessGroupName.applicationGroupPrefix]).first(where: name.hasPrefix)
    guard reserved == nil, TeamID(name.prefix { $0 != "." }.description) == nil,
      AccessGroupName(TeamID.placeholder.prefix + name) != nil
    else {
      throw VaultError(
        .invalidArgument, "no group of your own can be named \(name.sanitizedForTerminal())",
        recoverySuggestion: reserved.map { "names that begin with \($0) have another meaning" }
          ?? "use letters, digits, dots and hyphens, such as: coffer group create work")
    }
  }

  /// Returns the registration that adds a group; nil if the app has it. Throws `invalidArgument` for a group of another
  /// app, and if the app's owner has registered it with a plist of another form.
  package static func registration(
    addingGroup name: String, in membership: Membership
  ) throws(VaultError) -> AppRegistration.Request? {
    try checkGroup(named: name)
    let own = BundleID(bundleIdentifier).map { ApplicationID(team: membership.team, bundleID: $0) }
    guard let own, let group = AccessGroupName(membership.team.prefix + name) else { return nil }
    let app = membership.apps[own]
    if app?.entitlements.access(to: group) == .readWrite { return nil }
    let others = membership.apps.values.filter { $0.id != own && $0.entitlements.access(to: group) != nil }
    if let other = others.map(\.id.bundleID.description).min() {
      throw VaultError(
        .invalidArgument, "the access group \(name) belongs to \(other); nothing was changed",
        recoverySuggestion: "use it as it is, with --group \(name), or choose another name")
    }
    guard let app else { return registration(groups: [name]) }
    guard let groups = furtherGroups(of: app) else {
      throw VaultError(
        .invalidArgument, "\(bundleIdentifier) is registered with a plist of its owner's; nothing was changed",
        recoverySuggestion: "add the group to that plist, and register it again with: coffer app add FILE.entitlements")
    }
    return registration(groups: groups + [name])
  }

  /// Returns the registration that takes a further group away. The name may have the team's prefix. Throws
  /// `itemNotFound` if a person has no such group, and `invalidArgument` for the first group, for one that another app
  /// has as well, and if the app's owner has registered it with a plist of another form.
  package static func registration(
    removingGroup name: String, in membership: Membership
  ) throws(VaultError) -> (request: AppRegistration.Request, group: AccessGroupName) {
    let team = membership.team
    let name = team.removed(from: name)
    let shown = name.sanitizedForTerminal()
    guard name != bundleIdentifier else {
      throw VaultError(
        .invalidArgument, "\(bundleIdentifier) is your first group, which is not deleted",
        recoverySuggestion: "delete what is in it with: coffer delete SERVICE ACCOUNT --group \(bundleIdentifier)")
    }
    let own = BundleID(bundleIdentifier).map { ApplicationID(team: team, bundleID: $0) }
    let group = AccessGroupName(team.prefix + name)
    let apps = membership.apps.values.filter { app in group.flatMap { app.entitlements.access(to: $0) } != nil }
    if let other = apps.filter({ $0.id != own }).map(\.id.bundleID.description).min() {
      throw VaultError(
        .invalidArgument, "the app \(other) has the access group \(shown); nothing was changed",
        recoverySuggestion:
          "take the group out of its plist and register that with `coffer app add FILE.entitlements`, or remove the app with: coffer app remove \(other)"
      )
    }
    guard let app = apps.first, let group else {
      let names = own.flatMap { membership.apps[$0] }.flatMap(furtherGroups) ?? []
      let list = names.isEmpty ? "none" : names.sorted().joined(separator: ", ")
      throw VaultError(
        .itemNotFound, "you have created no access group \(shown); there are: \(list)",
        recoverySuggestion: "list all groups, and the apps that have them, with: coffer group list")
    }
    guard let groups = furtherGroups(of: app) else {
      throw VaultError(
        .invalidArgument, "\(bundleIdentifier) is registered with a plist of its owner's; nothing was changed",
        recoverySuggestion:
          "take the group out of that plist, and register it again with: coffer app add FILE.entitlements")
    }
    return (registration(groups: groups.filter { $0 != name }), group)
  }

  /// Creates the user's own vault if there is none. Returns whether it was created. Throws `noVault` if this machine's
  /// administrator has turned that off.
  package static func createVaultIfNeeded(at location: VaultLocation) throws(VaultError) -> Bool {
    let folder = VaultFolder(location)
    guard !folder.exists, !folder.deviceFile.exists, try FirstLaunch.isAllowed() else { return false }
    try VaultCreation.createPersonal(at: location)
    return true
  }
}

/// The apps whose groups are their owner's own: what `coffer set` stores, and what programs of the desktop store. On a
/// machine with a passphrase, it protects their keys as it protects the owner's.
package enum OwnApps {
  /// Whether an app is one of them.
  package static func contains(_ application: ApplicationID) -> Bool { contains(application.bundleID) }

  /// Whether a bundle identifier is that of one of them.
  package static func contains(_ bundleID: BundleID) -> Bool {
    bundleID.description == PersonalApp.bundleIdentifier || DesktopProgram(bundleID) != nil
  }

  /// Returns those whose keys are in a file here that no passphrase protects, although this machine has one. Earlier
  /// versions have made such files.
  package static func unsealed(in local: LocalVault) throws(VaultError) -> [ApplicationID] {
    guard local.ownerKeyProtection == .passphrase else { return [] }
    let membership = try local.membership()
    return membership.apps.keys.filter {
      contains($0) && local.credentialStatus(of: $0, in: membership).protection == .open
    }.sorted { $0.description < $1.description }
  }

  /// Throws `notEntitled` for keys in such a file if a group of the app requires a lease: nobody would be asked.
  static func check(
    _ application: ApplicationID, isSealed: Bool, in membership: Membership, of local: LocalVault
  ) throws(VaultError) {
    guard !isSealed, contains(application), let app = membership.apps[application],
      let strict = membership.requirement(of: app.entitlements), local.ownerKeyProtection == .passphrase
    else { return }
    throw VaultError(
      .notEntitled,
      "\(strict.group) requires: \(strict.requirement.name), and the passphrase does not protect the keys of \(application)",
      recoverySuggestion: "seal them under this machine's passphrase with: coffer passphrase change")
  }
}

extension AppRegistration.Request {
  /// Creates the request to register the app of a program of the desktop: with a group of its own, which is its default
  /// one, and with further groups, by their full names or without the team's prefix.
  package init(
    of program: DesktopProgram, sharing groups: [String] = [], reading readOnlyGroups: [String] = []
  ) throws(VaultError) {
    guard let bundleID = program.bundleID else {
      throw VaultError(
        .invalidArgument, "\(program.words) has a name that no app of a vault can have",
        recoverySuggestion: "an app's identifier has \(BundleID.form)")
    }
    let own = "$(AppIdentifierPrefix)\(bundleID)"
    var lists: [EntitlementsKey: [String]] = [.keychainAccessGroups: [own]]
    for name in groups { lists[Self.key(of: name), default: []].append(try Self.plistName(name)) }
    lists[.readOnlyAccessGroups] = try readOnlyGroups.map { name throws(VaultError) in try Self.plistName(name) }
    let arrays = EntitlementsKey.allCases.compactMap { key -> String? in
      guard let names = lists[key], !names.isEmpty else { return nil }
      let strings = names.map { "<string>\($0)</string>" }.joined()
      return "<key>\(key.rawValue)</key><array>\(strings)</array>\n"
    }
    let plist = """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict>
      <key>\(EntitlementsKey.applicationIdentifier.rawValue)</key><string>\(own)</string>
      \(arrays.joined())</dict></plist>
      """
    self.init(plist: Array(plist.utf8), source: "the entitlements of \(bundleID)", bundleID: nil, sourcePrefix: nil)
  }

  private static func key(of group: String) -> EntitlementsKey {
    group.hasPrefix(AccessGroupName.applicationGroupPrefix) ? .applicationGroups : .keychainAccessGroups
  }

  /// Returns a group's name as a plist has it. Its characters are checked, so that it cannot be more than a name.
  private static func plistName(_ group: String) throws(VaultError) -> String {
    guard AccessGroupName(AccessGroupName.applicationGroupPrefix + group) != nil else {
      throw VaultError(
        .invalidArgument, "an access group has a malformed name",
        recoverySuggestion: "write \(AccessGroupName.form)")
    }
    let isWhole = group.hasPrefix(AccessGroupName.applicationGroupPrefix) || literalTeamPrefix(of: group) != nil
    return isWhole ? group : "$(AppIdentifierPrefix)\(group)"
  }
}

extension DesktopProgram {
  /// Whether a registered app is that of a program of the desktop, with its own group only.
  package static func isRegistration(_ app: App) -> Bool {
    guard let program = DesktopProgram(app.id.bundleID), let request = try? AppRegistration.Request(of: program) else {
      return false
    }
    return request.isPlist(of: app)
  }
}
