package import CofferVault

extension LocalVault {
  /// Opens a vault to look at it: that of a location or, if none is named, the one of the headless credential in the
  /// environment or the user's own. It has no keys that open items. `warn` receives what the user of a headless
  /// credential should know, a line each.
  package static func openForReading(
    at location: VaultLocation? = nil, warn: (String) -> Void = { _ in }
  ) throws(VaultError) -> LocalVault {
    if location == nil, let headless = try HeadlessVault.openNamed() {
      ([headless.state] + headless.warnings).forEach(warn)
      return headless.local
    }
    return try open(.at(location))
  }
}
