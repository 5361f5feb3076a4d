package import Coffer
internal import CofferSystem
package import CofferTrust
package import CofferVault

/// A plist that a program presents when it opens a vault, for an explanation.
package struct PresentedPlist: Sendable {
  /// Its path or another name, safe to show.
  package let name: String
  /// The app and the groups that it names, or why it cannot be read.
  package let entitlements: Result<Entitlements, VaultError>

  /// Reads a plist as ``Vault/open(_:at:creatingIfNeeded:askingForRegistration:)`` does, also if it is not valid. The
  /// membership tells the team and the prefixes that are read as the team's.
  package static func read(_ source: EntitlementsSource, in membership: Membership) -> PresentedPlist {
    var name = "of the program"
    do throws(VaultError) {
      let (bytes, path) = try source.plist()
      name = path.sanitizedForTerminal(limit: .max)
      let document = try EntitlementsSource.parse(bytes, source: path)
      return PresentedPlist(
        name: name,
        entitlements: .success(
          try membership.expand(document, bundleIdentifier: source.bundleIdentifier(for: document))))
    } catch {
      return PresentedPlist(name: name, entitlements: .failure(error))
    }
  }

  /// The groups that it lists; none if it cannot be read.
  var listed: [EntitledGroup] { (try? entitlements.get().groups) ?? [] }

  /// Returns the first claim that goes beyond a registration, for which the vault does not open; nil if there is none.
  func excess(over registered: Entitlements) -> EntitlementsError? {
    guard case .success(let presented) = entitlements else { return nil }
    do throws(EntitlementsError) {
      try presented.checkSubset(of: registered, source: name)
      return nil
    } catch {
      return error
    }
  }
}
