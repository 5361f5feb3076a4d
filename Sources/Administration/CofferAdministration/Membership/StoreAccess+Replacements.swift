internal import Coffer
internal import CofferFormat
internal import CofferStore
internal import CofferTrust

extension StoreAccess where Self: ~Copyable {
  /// Returns the number of items that were not written since somebody who could read them was removed, or since the vault
  /// key was replaced, and that nobody has dismissed. It needs no key that opens items, and therefore leaves out items that were written again with the same
  /// value.
  func replacementCount(in membership: Membership) throws -> Int {
    try membership.keyRenewals.reduce(0) { count, renewed in
      guard let last = renewed.value.last else { return count }
      return try items(in: renewed.key, sealedBefore: last.generation).reduce(count) { count, item in
        let address = ItemAddress(group: renewed.key, item: item)
        return membership.dismissal(of: address, after: last.position.hash) == nil ? count + 1 : count
      }
    }
  }
}
