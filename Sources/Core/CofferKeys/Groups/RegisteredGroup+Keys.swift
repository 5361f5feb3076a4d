package import CofferCrypto
package import CofferFormat
package import CofferTrust

extension RegisteredGroup {
  /// Returns the generations of the group's keys that `recipient`, an author or root, can open, in ascending order:
  /// each by its box or by a later generation that wraps it. Empty if no key was sealed to it.
  ///
  /// A generation whose box does not open, or contains other keys than the log commits to, is left out: a dishonest
  /// admin can create such a one, and the next generation then wraps the one before. Throws
  /// ``CryptoError/authenticationFailed`` if boxes were sealed to `recipient` and none of them opens.
  package func keys(for recipient: AuthorID, opening agreement: AgreementKey) throws(CryptoError) -> [GroupKeys] {
    var opened: [UInt32: GroupKeys] = [:]
    var hasBox = false
    for generation in generations.reversed() where opened[generation.number] == nil {
      guard let box = generation.boxes[recipient] else { continue }
      hasBox = true
      guard
        let keys = try? GroupKeys(group: id, generation: generation.number, secret: agreement.open(box)),
        keys.commitment == generation.commitment
      else { continue }
      openChain(from: keys, of: generation, &opened)
    }
    guard !hasBox || !opened.isEmpty else { throw .authenticationFailed }
    return opened.values.sorted { $0.generation < $1.generation }
  }

  /// Returns the generations that somebody opens who has the keys of one generation only: that one, and those that are
  /// wrapped one in another below it.
  package func generations(below keys: GroupKeys) -> Set<UInt32> {
    var opened: [UInt32: GroupKeys] = [:]
    if let own = generations.first(where: { $0.number == keys.generation }) { openChain(from: keys, of: own, &opened) }
    return Set(opened.keys)
  }

  /// Returns the keys of rejected branches whose generation has a number, and which the reader's keys open, in no
  /// particular order.
  package func recoveredKeys(of generation: UInt32, openedBy keys: [GroupKeys]) -> [GroupKeys] {
    recovered.compactMap { recovered in
      guard recovered.generation == generation,
        let wrapping = keys.first(where: { $0.generation == recovered.wrappingGeneration }),
        let found = try? wrapping.unwrapRecovered(recovered.wrapped, generation: generation),
        found.commitment == recovered.commitment, found.hasIdentity(of: wrapping)
      else { return nil }
      return found
    }
  }

  /// Opens the generations that are wrapped one in another, until one that is known already or does not open.
  private func openChain(from keys: GroupKeys, of generation: Generation, _ opened: inout [UInt32: GroupKeys]) {
    var keys = keys
    var generation = generation
    while true {
      opened[generation.number] = keys
      guard generation.wrappedGeneration > 0, opened[generation.wrappedGeneration] == nil else { return }
      let earlier = generations[Int(generation.wrappedGeneration) - 1]
      guard let next = try? keys.unwrap(generation.wrapped, generation: earlier.number),
        next.commitment == earlier.commitment
      else { return }
      keys = next
      generation = earlier
    }
  }
}
