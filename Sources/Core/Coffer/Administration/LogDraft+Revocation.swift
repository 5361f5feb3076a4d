package import CofferCrypto
package import CofferFormat
package import CofferKeys
package import CofferTrust
internal import CofferVault

/// What a revocation removes from a vault.
package struct RevokedRights {
  /// The machines, with the last segment of each of their streams.
  package var machines: [RevocationStatement.Machine] = []
  /// The apps that are removed from every machine, by their registrations.
  package var apps: [EntryHash] = []
  /// The authors who lose everything, or the groups that they lose.
  package var authors: [RevocationStatement.CutAuthor]
  /// The registration that takes an app's place; nil unless an app loses rights only.
  package var registration: AppStatement?

  package init(authors: [RevocationStatement.CutAuthor], registration: AppStatement? = nil) {
    self.authors = authors
    self.registration = registration
  }
}

/// Who cannot read groups any more after a revocation.
private struct RevokedReaders {
  private let gone: Set<AuthorID>
  private let lost: [AuthorID: Set<GroupID>]

  init(_ authors: [RevocationStatement.CutAuthor]) {
    gone = Set(authors.filter { $0.groups == nil }.map(\.author))
    var lost: [AuthorID: Set<GroupID>] = [:]
    for cut in authors { lost[cut.author] = Set((cut.groups ?? []).filter { !$0.keepsReading }.map(\.group)) }
    self.lost = lost
  }

  func mayStillRead(_ recipient: AuthorID, _ group: GroupID) -> Bool {
    !gone.contains(recipient) && lost[recipient]?.contains(group) != true
  }
}

extension LogDraft {
  /// Appends a revocation and the entries that belong to it: the registration with fewer rights, and new keys in place
  /// of those that somebody has who may not read any more. Of the authors, `records` stay valid. Root signs if an admin
  /// is removed.
  package mutating func revoke(
    _ rights: RevokedRights, keeping records: [RecordHash], by signer: LogEntry.Signer, keys: PartyKeys
  ) throws(VaultError) {
    let lists = RecordList.lists(of: Array(Set(records)), in: membership.vault)
    func statement(following: Int, keys: [NewKey]) -> RevocationStatement {
      RevocationStatement(
        machines: rights.machines, apps: rights.apps, authors: rights.authors,
        recordCount: UInt64(Set(records).count), recordLists: lists.map(\.hash), followingEntries: UInt32(following),
        keys: keys)
    }
    let cuts = RevokedReaders(rights.authors)
    let renewed = try renewals(
      of: membership.groupsToRenew(after: statement(following: 0, keys: [])), by: signer, opening: keys.agreement,
      for: cuts.mayStillRead)
    let transport = rights.machines.isEmpty ? nil : nextTransportKey()
    var following = renewed.reduce(0) { $0 + $1.entryCount }
    if transport != nil { following += 1 }
    if rights.registration != nil { following += 1 }
    var newKeys = renewed.map(\.newKey)
    if let transport {
      newKeys.append(
        NewKey(group: .none, generation: transport.key.generation, commitment: transport.key.commitment))
    }
    add(lists)
    // Sealed under the old transport key: the machines that are removed can read that they are.
    try append(.revocation(statement(following: following, keys: newKeys)), by: signer, key: keys.signing)
    if let transport { try append(transport, by: signer, key: keys.signing) }
    if let registration = rights.registration { try append(.app(registration), by: signer, key: keys.signing) }
    for renewal in renewed { try append(renewal, by: signer, key: keys.signing) }
  }
}

extension LogDraft {
  /// Creates the next keys of groups, in their order. No entry is appended yet. `isReader` decides whether somebody to
  /// whom the present key is sealed also gets the next one.
  package func renewals(
    of groups: [RegisteredGroup], by signer: LogEntry.Signer, opening agreement: AgreementKey,
    for isReader: (AuthorID, GroupID) -> Bool = { _, _ in true }
  ) throws(VaultError) -> [NextGroupKeys] {
    var renewals: [NextGroupKeys] = []
    for group in groups {
      var opened: [GroupKeys] = []
      do throws(CryptoError) {
        opened = try group.keys(for: signer.id, opening: agreement)
      } catch {
        guard signer == .root else { throw Self.unopened(group.name) }
      }
      guard signer == .root || !opened.isEmpty else {
        throw VaultError(
          .integrity, "no key of \(group.name) was sealed to the signer of this change",
          recoverySuggestion: "sync and try again")
      }
      let newest = opened.last ?? Self.stray(of: group)
      let count = membership.recipients(of: group.name, at: time).count { isReader($0, group.id) }
      renewals.append(
        NextGroupKeys(
          group: group, opened: opened, wrapped: newest,
          keys: newest.later(generation: UInt32(group.generations.count) + 1),
          grantCount: (max(count, 1) - 1) / GroupKeyRenewalStatement.boxCapacity))
    }
    return renewals
  }

  /// Returns keys that take the place of those of a group that root cannot open: an admin has sealed no keys to root,
  /// or worthless ones, and must not make itself irremovable by that. Nothing leads to what was sealed under the
  /// group's earlier keys, but those who have a box of them still open it.
  private static func stray(of group: RegisteredGroup) -> GroupKeys {
    GroupKeys.random(group: group.id).later(generation: UInt32(group.generations.count))
  }

  /// Appends the entries with a group's next key, sealed to everybody who may read it.
  package mutating func append(_ renewal: NextGroupKeys, by signer: LogEntry.Signer, key: SigningKey) throws(VaultError)
  {
    let boxes = boxes(of: renewal.keys, for: membership.recipients(of: renewal.group.name, at: time))
    let capacity = GroupKeyRenewalStatement.boxCapacity
    try append(
      .groupKeyRenewal(
        GroupKeyRenewalStatement(
          group: renewal.keys.group, generation: renewal.keys.generation, commitment: renewal.keys.commitment,
          wrappedGeneration: renewal.wrapped.generation, wrapped: renewal.keys.wrap(renewal.wrapped),
          boxes: Array(boxes.prefix(capacity)))), by: signer, key: key)
    for start in stride(from: capacity, to: boxes.count, by: capacity) {
      let part = Array(boxes[start..<min(start + capacity, boxes.count)])
      try append(
        .grant(GrantStatement(group: renewal.keys.group, generation: renewal.keys.generation, boxes: part)),
        by: signer, key: key)
    }
  }
}

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

  /// The keys that the signer opens and that the next one does not lead to: somebody made a generation that does not
  /// wrap the one before.
  package var unreachable: [GroupKeys] {
    let reached = group.generations(below: wrapped)
    return opened.filter { !reached.contains($0.generation) }
  }

  /// The number of entries that introduce the key.
  package var entryCount: Int { 1 + grantCount }
}
