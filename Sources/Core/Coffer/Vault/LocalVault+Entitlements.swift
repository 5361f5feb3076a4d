internal import CofferTrust
internal import CofferVault

extension LocalVault {
  /// Returns the registered app that a plist describes, after checking that the plist claims no more than was
  /// registered. `bundleIdentifier` is the value of `$(CFBundleIdentifier)`, nil if the plist does not use it. Throws
  /// `notEntitled` for an app that is not registered, or claims more than its registration.
  func registeredApplication(
    of document: EntitlementsDocument, bundleIdentifier: String?, in membership: Membership
  ) throws(VaultError) -> ApplicationID {
    let presented = try membership.expand(document, bundleIdentifier: bundleIdentifier)
    guard let app = membership.apps[presented.applicationID] else {
      if let error = membership.removalError(ofAppNamed: presented.applicationID.description) { throw error }
      throw try explaining(
        VaultError(
          .notEntitled, "\(presented.applicationID) is not registered in the vault at \(folder.path)",
          recoverySuggestion:
            "register it on an admin machine with: coffer app add FILE.entitlements; or ship its plist in its package as \(InstalledEntitlements.advisedPath(of: presented.applicationID.bundleID))"
        ))
    }
    do throws(EntitlementsError) {
      try presented.checkSubset(of: app.entitlements, source: document.source)
    } catch {
      throw VaultError(error)
    }
    return app.id
  }
}
