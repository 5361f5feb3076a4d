internal import CofferFormat
package import CofferTrust
internal import CofferVault

extension Membership {
  /// Returns the entitlements of a presented plist in this vault.
  package func expand(
    _ document: EntitlementsDocument, bundleIdentifier: String?, sourcePrefix: String? = nil
  ) throws(VaultError) -> Entitlements {
    var bundleID: BundleID?
    if let bundleIdentifier {
      guard let valid = BundleID(bundleIdentifier) else {
        throw VaultError(
          .invalidArgument, "the bundle identifier is malformed", recoverySuggestion: "it has \(BundleID.form)")
      }
      bundleID = valid
    }
    // A prefix that a registration maps to the team's is mapped in the presented plist too.
    let registered = document.literalPrefix.flatMap { literal in
      apps.values.contains { $0.statement.sourcePrefix == literal } ? literal : nil
    }
    do throws(EntitlementsError) {
      return try document.expanded(team: team, bundleID: bundleID, sourcePrefix: sourcePrefix ?? registered)
    } catch {
      throw VaultError(error)
    }
  }
}
