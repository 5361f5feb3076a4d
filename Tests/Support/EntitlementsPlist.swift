/// Returns an entitlements plist of an app. In the names of groups `~` stands for the team's variable.
package func entitlementsPlist(_ application: String, groups: [String] = [], readOnly: [String] = []) -> String {
  func list(_ names: [String]) -> String {
    names.map { name in
      let text = name.hasPrefix("~") ? "$(AppIdentifierPrefix)\(name.dropFirst())" : name
      return "<string>\(text)</string>"
    }.joined()
  }
  return """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict>
    <key>application-identifier</key><string>$(AppIdentifierPrefix)\(application)</string>
    <key>keychain-access-groups</key><array>\(list(groups))</array>
    <key>coffer-read-only-access-groups</key><array>\(list(readOnly))</array>
    </dict></plist>
    """
}
