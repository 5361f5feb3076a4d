internal import CofferFormat
package import CofferTrust
package import CofferVault

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
