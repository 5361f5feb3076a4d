internal import CofferFormat
package import CofferTrust
package import CofferVault

/// Misspelt keys in the plists of an app that is registered: neither its program nor `coffer-sync` names them, because
/// an app that has opened its vault goes on.
package enum PlistSpelling {
  /// Returns the errors of the plist with which an app was registered, and of the one that its package has installed
  /// now. Each has the path of the file, or says that the plist is the registered one.
  package static func problems(of app: App) -> [VaultError] {
    var problems: [VaultError] = []
    func check(_ bytes: [UInt8], _ source: String) {
      do throws(EntitlementsError) {
        try EntitlementsDocument.checkSpelling(ofKeysIn: bytes, source: source)
      } catch {
        if error.code == .misspelledKey { problems.append(VaultError(error)) }
      }
    }
    let registered = app.statement.entitlements
    // It cannot be read if nobody vouches for it, which the app itself says.
    if let installed = try? InstalledEntitlements.find(app.id.bundleID) {
      check(installed.bytes, installed.path)
      if installed.bytes == registered { return problems }
    }
    check(registered, "the registered plist of \(app.id.bundleID)")
    return problems
  }
}
