internal import CofferCrypto
package import CofferFormat
package import CofferStore
package import CofferTrust

/// The revocations that were applied to the items of a store.
extension StoreAccess where Self: ~Copyable {
  /// Returns the entries of the applied revocations, in the order in which they were applied.
  package func appliedRevocations() throws(StoreError) -> [EntryHash] {
    let bytes = try setting(.appliedRevocations) ?? []
    return stride(from: 0, to: bytes.count, by: 32).compactMap { start in
      Bytes32(Array(bytes[start..<min(start + 32, bytes.count)])).map { EntryHash($0) }
    }
  }
}

extension StoreWriter {
  /// Records that exactly the revocations of a membership are applied to the items.
  package func setAppliedRevocations(of membership: Membership) throws(StoreError) {
    try setSetting(.appliedRevocations, membership.revocations.flatMap(\.position.hash.raw.bytes))
  }
}
