internal import Coffer
internal import CofferCrypto
internal import CofferFormat
internal import CofferKeys
internal import CofferTrust
internal import CofferVault

extension LogDraft {
  /// Appends a succession and the entries that belong to it: a new transport key and new keys of all groups, which the
  /// old root cannot open.
  mutating func succeed(to next: PartyKeys, under vaultKey: VaultKey, from root: PartyKeys) throws(VaultError) {
    let groups = membership.groups.values.sorted { $0.id < $1.id }
    let renewed = try renewals(of: groups, by: .root, opening: root.agreement)
    // A dishonest admin can have made a key that does not lead to the earlier ones. The old root has a box of each.
    let unreachable = renewed.flatMap(\.unreachable)
    let transport = transportKey.next()
    let generation = membership.rootGeneration + 1
    let slot = RootSlot(genesis: membership.genesis, generation: generation, root: next, under: vaultKey)
    let statement = SuccessionStatement(
      root: next.publicKeys, generation: generation, slot: slot.hash,
      followingEntries: UInt32(renewed.reduce(1 + unreachable.count) { $0 + $1.entryCount }),
      keys: renewed.map(\.newKey)
        + [NewKey(group: .none, generation: transport.generation, commitment: transport.commitment)])
    add(slot)
    // Sealed under the old transport key: whoever has only the old vault key can read that it was replaced.
    try append(.succession(statement), by: .root, key: root.signing)
    try append(transport, by: .root, key: next.signing)
    for renewal in renewed { try append(renewal, by: .root, key: next.signing) }
    for keys in unreachable {
      let boxes = boxes(of: keys, for: [.root])
      try append(
        .grant(GrantStatement(group: keys.group, generation: keys.generation, boxes: boxes)), by: .root,
        key: next.signing)
    }
  }
}
