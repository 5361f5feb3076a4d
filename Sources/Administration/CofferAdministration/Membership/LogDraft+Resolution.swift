internal import Coffer
internal import CofferCrypto
internal import CofferFormat
internal import CofferKeys
internal import CofferTrust
internal import CofferVault

extension LogDraft {
  /// Ends a fork of the log on the branch of the draft, and lets its readers open what was written under the other
  /// branches' keys. The entries of `rejected` name the branches, which consist of `others`. If the log has not forked,
  /// an entry is made only for keys.
  mutating func reject(
    _ rejected: Set<EntryHash>, with others: [LogEntry], as root: PartyKeys, endsFork: Bool
  ) throws(VaultError) {
    let keys = RejectedKeys(of: others, in: membership, at: time)
    var recovered: [RecoveredKey] = []
    for (id, keys) in keys.byGroup.sorted(by: { $0.key < $1.key }) {
      // Without the group's own keys, nobody could tell which items its others name. The fork ends all the same.
      guard let group = membership.groups[id], let own = newestKeys(of: group, root) else { continue }
      let opened = keys.compactMap { key in
        (try? GroupKeys(group: id, generation: key.generation, secret: root.agreement.open(key.box)))
          .flatMap { $0.commitment == key.commitment && $0.hasIdentity(of: own) ? $0 : nil }
      }
      let newest = try extend(group, to: opened.map(\.generation).max() ?? 0, opening: own, as: root)
      for key in opened where key.generation <= newest.generation {
        recovered.append(
          RecoveredKey(
            group: id, generation: key.generation, commitment: key.commitment, wrappingGeneration: newest.generation,
            wrapped: newest.wrapRecovered(key)))
      }
    }
    guard endsFork || !recovered.isEmpty else { return }
    let statement = ResolutionStatement(
      rejecting: rejected, recovering: Array(recovered.prefix(Limits.recoveredKeys)))
    try append(.resolution(statement), by: .root, key: root.signing)
  }

  /// The maximum number of generations that the end of a fork adds to a group: a dishonest admin may have made any number.
  private static var addedGenerations: UInt32 { 16 }

  /// Makes further generations of a group's key: a record under a generation that the log does not have would wait for it.
  private mutating func extend(
    _ group: RegisteredGroup, to last: UInt32, opening newest: GroupKeys, as root: PartyKeys
  ) throws(VaultError) -> GroupKeys {
    let last = min(last, UInt32(group.generations.count) + Self.addedGenerations)
    var (group, newest) = (group, newest)
    while group.generations.count < last {
      let renewal = try renewals(of: [group], by: .root, opening: root.agreement)[0]
      try append(renewal, by: .root, key: root.signing)
      group = membership.groups[group.id] ?? group
      newest = renewal.keys
    }
    return newest
  }

  private func newestKeys(of group: RegisteredGroup, _ root: PartyKeys) -> GroupKeys? {
    try? group.keys(for: .root, opening: root.agreement).last
  }
}
