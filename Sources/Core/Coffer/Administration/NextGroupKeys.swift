package import CofferFormat
package import CofferKeys
internal import CofferTrust

/// The next key of a group, which the entries after a revocation or a succession introduce.
package struct NextGroupKeys {
  let group: RegisteredGroup
  /// All keys that the signer can open, in ascending order of generation.
  let opened: [GroupKeys]
  /// The newest key that the signer can open, which the next one wraps.
  let wrapped: GroupKeys
  package let keys: GroupKeys
  /// The number of entries with boxes that the first one does not hold.
  let grantCount: Int

  /// The key as the first entry of the batch names it.
  package var newKey: NewKey { NewKey(group: keys.group, generation: keys.generation, commitment: keys.commitment) }

  /// The keys that the signer opens and that the next one does not lead to: somebody made a generation that does not wrap
  /// the one before.
  package var unreachable: [GroupKeys] {
    let reached = group.generations(below: wrapped)
    return opened.filter { !reached.contains($0.generation) }
  }

  /// The number of entries that introduce the key.
  package var entryCount: Int { 1 + grantCount }
}
