package import CofferCrypto
package import CofferFormat
package import CofferTrust

extension RegisteredGroup {
  /// Every generation of the group's keys that `recipient` can open, in ascending order; empty where nothing was sealed
  /// to it.
  ///
  /// Throws ``CryptoError/authenticationFailed`` where a box or a wrapped key does not open, or holds other keys than the
  /// log commits to.
  package func keys(for recipient: AuthorID, opening agreement: AgreementKey) throws(CryptoError) -> [GroupKeys] {
    guard let newest = generations.last(where: { $0.boxes[recipient] != nil }), let box = newest.boxes[recipient]
    else { return [] }
    var opened = [try GroupKeys(group: id, generation: newest.number, secret: agreement.open(box))]
    guard opened[0].commitment == newest.commitment else { throw .authenticationFailed }
    for (generation, older) in zip(generations, generations.dropFirst()).map({ ($1, $0) }).reversed()
    where generation.number <= newest.number {
      let keys = try opened[opened.count - 1].unwrapPrevious(generation.wrappedPrevious)
      guard keys.commitment == older.commitment else { throw .authenticationFailed }
      opened.append(keys)
    }
    return opened.reversed()
  }
}
