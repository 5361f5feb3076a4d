import CofferCrypto
import CofferFormat
import CofferKeys
import CofferTrust
import Testing

extension RevocableVault {
  /// A succession and the entries that belong to it.
  struct Handover {
    let root: PartyKeys
    var succession: SuccessionStatement
    var following: [Statement]
    let groupKeys: [GroupID: GroupKeys]
    let transport: TransportKey
  }

  /// Returns what a program would sign to hand the vault to new keys of root.
  func handover(to root: PartyKeys = .random()) throws -> Handover {
    var made: [GroupID: GroupKeys] = [:]
    for group in membership.groups.values {
      made[group.id] = try #require(groupKeys[group.id]).later(generation: UInt32(group.generations.count) + 1)
    }
    let transport = transport.next()
    let keys =
      made.values.map { NewKey(group: $0.group, generation: $0.generation, commitment: $0.commitment) }
      + [NewKey(group: .none, generation: transport.generation, commitment: transport.commitment)]
    let succession = SuccessionStatement(
      root: root.publicKeys, generation: membership.rootGeneration + 1, slot: Hash.digest([1], domain: .rootSlot),
      followingEntries: UInt32(keys.count), keys: keys)
    // The new keys are sealed to the new root.
    var after = self
    try after.log.append(.succession(succession), by: .root)
    var following: [Statement] = [
      .transportKey(
        TransportKeyStatement(
          generation: transport.generation, commitment: transport.commitment,
          wrappedPrevious: transport.wrap(self.transport, in: log.vault), boxes: []))
    ]
    for keys in made.values.sorted(by: { $0.group < $1.group }) {
      following.append(.groupKeyRenewal(try after.renewal(of: keys.group, to: keys)))
    }
    return Handover(
      root: root, succession: succession, following: following, groupKeys: made, transport: transport)
  }

  /// Signs and applies a succession and the first of the entries that belong to it.
  @discardableResult
  mutating func apply(_ handover: Handover, through count: Int? = nil) throws -> LogEntry {
    let entry = try log.append(.succession(handover.succession), by: .root)
    log.root = handover.root
    for statement in handover.following.prefix(count ?? handover.following.count) {
      try log.append(statement, by: .root)
    }
    guard handover.following.count == count ?? handover.following.count else { return entry }
    groupKeys = handover.groupKeys
    transport = handover.transport
    return entry
  }
}

extension SuccessionStatement {
  /// Returns this statement with other fields.
  func with(
    root: PartyPublicKeys? = nil, generation: UInt32? = nil, followingEntries: UInt32? = nil, keys: [NewKey]? = nil
  ) -> SuccessionStatement {
    SuccessionStatement(
      root: root ?? self.root, generation: generation ?? self.generation, slot: slot,
      followingEntries: followingEntries ?? self.followingEntries, keys: keys ?? self.keys)
  }
}
