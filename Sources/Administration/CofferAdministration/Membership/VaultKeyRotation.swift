internal import Coffer
internal import CofferCrypto
package import CofferFormat
internal import CofferKeys
internal import CofferStore
internal import CofferTrust
package import CofferVault
internal import Synchronization

/// Replaces the vault key: root hands the vault to new keys, and every key that the old root could open is replaced.
///
/// The object keeps the new keys, so that the change can be made again after a lost race without another vault key.
package final class VaultKeyRotation: Sendable {
  /// The new vault key. It has to be in safe hands before ``run(openedBy:)`` is called.
  package let vaultKey = VaultKey.random()
  private let root = PartyKeys.random()
  private let local: LocalVault
  private let allowsLogFork: Bool
  /// The successions that were signed.
  private let signed = Mutex<Set<EntryHash>>([])

  /// With `allowingLogFork`, changes membership although another machine has seen entries of the log that this one
  /// lacks.
  package init(of local: LocalVault, allowingLogFork: Bool = false) {
    self.local = local
    allowsLogFork = allowingLogFork
  }

  /// Throws what would prevent the change, so that no new vault key is shown in vain.
  package func check(openedBy current: VaultKey) throws(VaultError) {
    _ = try AdminSession.openRoot(local, vaultKey: current, allowingLogFork: allowsLogFork)
  }

  /// Appends the succession and the new keys to the log, all or nothing. Call it again if it was not published, because
  /// another machine's entries came first. Throws `authenticationFailed` if another vault key counts by now.
  package func run(openedBy current: VaultKey) throws(VaultError) -> LogPosition? {
    let session = try AdminSession.openRoot(local, vaultKey: current, allowingLogFork: allowsLogFork)
    return try session.change(allowingLogFork: allowsLogFork) { draft in
      let before = draft.membership.head
      try draft.succeed(to: root, under: vaultKey, from: session.keys)
      let after = draft.membership.successions.last { $0.position.sequence > before.sequence }
      if let after { signed.withLock { _ = $0.insert(after.position.hash) } }
    }.position
  }

  /// Whether the log contains the change.
  package var isInLog: Bool {
    get throws(VaultError) {
      let membership = try local.membership()
      return membership.successions.contains { $0.statement.root == root.publicKeys }
    }
  }

  /// Whether the remote was offered the change and did not confirm it: a host can have kept it, and show it later.
  package var mayCountLater: Bool {
    get throws(VaultError) {
      let signed = signed.withLock { $0 }
      let given = try translatingErrors { try local.store.read { try WithdrawnLog.load(from: $0).hashes } }
      return !signed.isDisjoint(with: given)
    }
  }

  /// What the change did: the groups with new keys, and who keeps access.
  package struct Outcome: Hashable, Sendable {
    /// The number of the vault key, 2 after the first change.
    package let number: UInt32
    /// The full names of the groups with new keys, in ascending order.
    package let groups: [String]
    /// The names of the machines that keep access, in ascending order.
    package let machines: [String]
    package let headPhrase: String
  }

  /// Returns what the change did, after it was made.
  package func outcome() throws(VaultError) -> Outcome {
    let membership = try local.membership()
    return Outcome(
      number: membership.rootGeneration, groups: membership.groups.values.map(\.name.description).sorted(),
      machines: membership.members.map(\.name).sorted(), headPhrase: membership.headPhrase)
  }
}

extension LogDraft {
  /// Appends a succession and the entries that belong to it: a new transport key and new keys of all groups, which the
  /// old root cannot open.
  mutating func succeed(to next: PartyKeys, under vaultKey: VaultKey, from root: PartyKeys) throws(VaultError) {
    let groups = membership.groups.values.sorted { $0.id < $1.id }
    let renewed = try renewals(of: groups, by: .root, opening: root.agreement)
    // A dishonest admin can have made a key that does not lead to the earlier ones. The old root has a box of each.
    let unreachable = renewed.flatMap(\.unreachable)
    let transport = nextTransportKey()
    let generation = membership.rootGeneration + 1
    let slot = RootSlot(
      genesis: membership.genesis, generation: generation, root: next, firstKey: firstKey, under: vaultKey)
    let statement = SuccessionStatement(
      root: next.publicKeys, generation: generation, slot: slot.hash,
      followingEntries: UInt32(renewed.reduce(1 + unreachable.count) { $0 + $1.entryCount }),
      keys: renewed.map(\.newKey)
        + [NewKey(group: .none, generation: transport.key.generation, commitment: transport.key.commitment)])
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
