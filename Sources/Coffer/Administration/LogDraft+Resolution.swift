internal import CofferCrypto
internal import CofferFormat
internal import CofferKeys
internal import CofferTrust
internal import CofferVault

extension LogDraft {
  /// Ends a fork of the log on the branch of the draft, and lets its readers open what was written under the other
  /// branches' keys.
  ///
  /// - Parameters:
  ///   - rejected: The entries that are named to reject their branches.
  ///   - others: The entries of the other branches.
  ///   - root: Root's keys.
  /// - Throws: ``VaultError``: `integrity` if a group's keys cannot be opened.
  mutating func reject(_ rejected: Set<EntryHash>, with others: [LogEntry], as root: PartyKeys) throws(VaultError) {
    let rivals = rivalKeys(in: others, openedWith: root.agreement)
    var recovered: [RecoveredKey] = []
    for (id, keys) in rivals.sorted(by: { $0.key < $1.key }) {
      guard let found = membership.groups[id] else { continue }
      // A record under a generation that the log does not have would wait for it. A dishonest admin may have made any
      // number of them.
      let last = min(keys.map(\.generation).max() ?? 0, UInt32(found.generations.count) + Self.renewalCount)
      var (group, newest) = (found, try newestKeys(of: found, root))
      while group.generations.count < last {
        let renewal = try renewals(of: [group], by: .root, opening: root.agreement)[0]
        try append(renewal, by: .root, key: root.signing)
        group = membership.groups[id] ?? group
        newest = try newestKeys(of: group, root)
      }
      for key in keys where key.generation <= newest.generation && key.hasIdentity(of: newest) {
        recovered.append(
          RecoveredKey(
            group: id, generation: key.generation, commitment: key.commitment, wrappingGeneration: newest.generation,
            wrapped: newest.wrapRecovered(key)))
      }
    }
    let statement = ResolutionStatement(
      rejecting: rejected, recovering: Array(recovered.prefix(Limits.recoveredKeys)))
    try append(.resolution(statement), by: .root, key: root.signing)
  }

  /// The maximum number of generations that the end of a fork adds to a group.
  private static var renewalCount: UInt32 { 16 }

  /// Opens the keys that entries of other branches introduce. Those that were not sealed to root, or that do not open, are
  /// left out.
  private func rivalKeys(
    in entries: [LogEntry], openedWith agreement: AgreementKey
  ) -> [GroupID: [GroupKeys]] {
    var found: [GroupID: [GroupKeys]] = [:]
    for entry in entries {
      let (group, generation, commitment, boxes): (GroupID, UInt32, Bytes32, [AddressedBox])
      switch try? Statement.parse(entry) {
      case .groupKey(let key)?:
        (group, generation) = (GroupID(vault: membership.vault, name: key.name), key.generation)
        (commitment, boxes) = (key.commitment, key.boxes)
      case .groupKeyRenewal(let key)?:
        (group, generation, commitment, boxes) = (key.group, key.generation, key.commitment, key.boxes)
      default: continue
      }
      guard let box = boxes.first(where: { $0.recipient == .root })?.box,
        let keys = try? GroupKeys(group: group, generation: generation, secret: agreement.open(box)),
        keys.commitment == commitment
      else { continue }
      found[group, default: []].append(keys)
    }
    return found
  }

  private func newestKeys(of group: RegisteredGroup, _ root: PartyKeys) throws(VaultError) -> GroupKeys {
    let opened: [GroupKeys]
    do throws(CryptoError) {
      opened = try group.keys(for: .root, opening: root.agreement)
    } catch {
      throw Self.unopened(group.name)
    }
    guard let newest = opened.last else { throw Self.unopened(group.name) }
    return newest
  }
}
