package import CofferFormat
package import CofferStore
package import CofferTrust

/// The revocations that were applied to the items of a store.
extension StoreAccess where Self: ~Copyable {
  /// Returns the entries of the applied revocations, in the order in which they were applied.
  package func appliedRevocations() throws(StoreError) -> [EntryHash] {
    try value(.appliedRevocations) ?? []
  }
}

extension StoreWriter {
  /// Records that exactly the revocations of a membership are applied to the items.
  package func setAppliedRevocations(of membership: Membership) throws(StoreError) {
    try set(.appliedRevocations, to: membership.revocations.map(\.position.hash))
  }
}
