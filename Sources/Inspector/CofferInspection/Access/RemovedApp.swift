internal import Coffer
internal import CofferAdministration
internal import CofferTrust

/// An app that was removed from the vault on every machine.
package struct RemovedApp: Hashable, Sendable {
  /// The full application identifier.
  package let id: String
  package let bundleID: String
  /// The last revocation of the app.
  package let revocation: InspectedRevocation
}

extension AccessFacts {
  /// The apps that were removed and are not registered again, the last one first.
  package var removedApps: [RemovedApp] {
    var seen: Set<String> = []
    return membership.revocations.reversed().flatMap { revocation in
      revocation.apps.filter { membership.apps[$0] == nil && seen.insert($0.description).inserted }.map { id in
        RemovedApp(id: id.description, bundleID: id.bundleID.description, revocation: describe(revocation))
      }
    }
  }
}
