package import CofferCrypto
package import CofferFormat
package import CofferTrust

extension RegisteredGroup {
  /// Returns all generations of the group's keys that `recipient` can open, in ascending order; empty if no key was
  /// sealed to it.
  ///
  /// - Parameters:
  ///   - recipient: The author or root.
  ///   - agreement: The key that opens the recipient's boxes.
  /// - Returns: The keys of each generation up to the newest one that was sealed to `recipient`.
  /// - Throws: ``CryptoError/authenticationFailed`` if a box or wrapped key cannot be opened, or its keys do not match
  ///   the commitment in the log.
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
