package import CofferCrypto
package import CofferFormat
internal import CofferKeys
internal import CofferTrust
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
    let transport = rights.machines.isEmpty ? nil : transportKey.next()
    var following = renewed.reduce(0) { $0 + $1.entryCount }
    if transport != nil { following += 1 }
    if rights.registration != nil { following += 1 }
    var newKeys = renewed.map(\.newKey)
    if let transport {
      newKeys.append(
        NewKey(group: .none, generation: transport.generation, commitment: transport.commitment))
    }
    add(lists)
    // Sealed under the old transport key: the machines that are removed can read that they are.
    try append(.revocation(statement(following: following, keys: newKeys)), by: signer, key: keys.signing)
    if let transport { try append(transport, by: signer, key: keys.signing) }
    if let registration = rights.registration { try append(.app(registration), by: signer, key: keys.signing) }
    for renewal in renewed { try append(renewal, by: signer, key: keys.signing) }
  }
}
