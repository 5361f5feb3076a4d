package import CofferTrust
package import CofferVault

extension AppRegistration.Request {
  /// Creates the request to register the app of a program of the desktop: with a group of its own, which is its default one,
  /// and with further groups, by their full names or without the team's prefix.
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
