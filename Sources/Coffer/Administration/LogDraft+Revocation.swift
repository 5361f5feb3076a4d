internal import CofferCrypto
internal import CofferFormat
internal import CofferKeys
internal import CofferTrust
internal import CofferVault

/// What a revocation takes out of a vault.
struct RevokedRights {
  /// The machines, with the last segment of each of their streams.
  var machines: [RevocationStatement.Machine] = []
  /// The apps that are removed from every machine, by their registrations.
  var apps: [EntryHash] = []
  /// The authors who lose everything, or the groups that they lose.
  var authors: [RevocationStatement.CutAuthor] = []
  /// The registration that takes an app's place; nil unless an app loses rights only.
  var registration: AppStatement?
}

extension LogDraft {
  /// Appends a revocation and the entries that belong to it: the registration with fewer rights, and new keys in place of
  /// those that somebody has who may not read any more.
  ///
  /// - Parameters:
  ///   - rights: What is taken out.
  ///   - records: The records of the authors that stay valid.
  ///   - signer: Who signs: root if an admin is taken out.
  ///   - keys: The signer's keys, to which the group keys are sealed.
  /// - Throws: ``VaultError``: `integrity` if a key cannot be opened or sealed; `invalidArgument` if the log would reject
  ///   the revocation.
  mutating func revoke(
    _ rights: RevokedRights, keeping records: [RecordHash], by signer: LogEntry.Signer, keys: PartyKeys
  ) throws(VaultError) {
    let lists = RecordList.lists(of: Array(Set(records)), in: membership.vault)
    func statement(following: Int, keys: [NewKey]) -> RevocationStatement {
      RevocationStatement(
        machines: rights.machines, apps: rights.apps, authors: rights.authors,
        recordCount: UInt64(Set(records).count), recordLists: lists.map(\.hash), followingEntries: UInt32(following),
        keys: keys)
    }
    let renewed = try renewals(after: statement(following: 0, keys: []), by: signer, keys: keys)
    let transport = rights.machines.isEmpty ? nil : transportKey.next()
    var following = renewed.reduce(0) { $0 + 1 + $1.grantCount }
    if transport != nil { following += 1 }
    if rights.registration != nil { following += 1 }
    var newKeys = renewed.map {
      NewKey(
        group: $0.keys.group, generation: $0.keys.generation, commitment: $0.keys.commitment)
    }
    if let transport {
      newKeys.append(
        NewKey(group: .none, generation: transport.generation, commitment: transport.commitment))
    }
    add(lists)
    // Sealed under the old transport key: the machines that are taken out can read that they are.
    try append(.revocation(statement(following: following, keys: newKeys)), by: signer, key: keys.signing)
    if let transport { try append(transport, by: signer, key: keys.signing) }
    if let registration = rights.registration { try append(.app(registration), by: signer, key: keys.signing) }
    for renewal in renewed { try append(renewal, by: signer, key: keys.signing) }
  }

  /// The next key of a group.
  private struct Renewal {
    let group: RegisteredGroup
    let wrapped: GroupKeys
    let keys: GroupKeys
    /// The number of entries with boxes that the first one does not hold.
    let grantCount: Int
  }

  private func renewals(
    after statement: RevocationStatement, by signer: LogEntry.Signer, keys: PartyKeys
  ) throws(VaultError) -> [Renewal] {
    let gone = Set(statement.authors.filter { $0.groups == nil }.map(\.author))
    var reading: [AuthorID: Set<GroupID>] = [:]
    for cut in statement.authors {
      reading[cut.author] = Set((cut.groups ?? []).filter { !$0.keepsReading }.map(\.group))
    }
    let reader: AuthorID = if case .admin(let id) = signer { id } else { .root }
    var renewals: [Renewal] = []
    for group in membership.groupsToRenew(after: statement) {
      let opened: [GroupKeys]
      do throws(CryptoError) {
        opened = try group.keys(for: reader, opening: keys.agreement)
      } catch {
        throw Self.unopened(group.name)
      }
      guard let newest = opened.last else {
        throw VaultError(
          .integrity, "no key of \(group.name) was sealed to the signer of the revocation",
          recoverySuggestion: "sync and try again")
      }
      let recipients = membership.recipients(of: group.name).filter { recipient in
        !gone.contains(recipient) && reading[recipient]?.contains(group.id) != true
      }
      let capacity = GroupKeyRenewalStatement.boxCapacity
      renewals.append(
        Renewal(
          group: group, wrapped: newest, keys: newest.later(generation: UInt32(group.generations.count) + 1),
          grantCount: (max(recipients.count, 1) - 1) / capacity))
    }
    return renewals
  }

  private mutating func append(_ renewal: Renewal, by signer: LogEntry.Signer, key: SigningKey) throws(VaultError) {
    let boxes = try boxes(of: renewal.keys, for: membership.recipients(of: renewal.group.name))
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
