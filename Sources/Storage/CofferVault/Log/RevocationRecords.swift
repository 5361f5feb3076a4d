internal import CofferCrypto
package import CofferFormat
package import CofferStore
package import CofferTrust

/// A record that counts, and that stays valid after a revocation of its author.
package struct CountedRecord: Hashable, Sendable {
  package let hash: RecordHash
  package let author: AuthorID
  package let group: GroupID
}

extension StoreAccess where Self: ~Copyable {
  /// Returns the records of authors that count, those that were not sent yet included.
  ///
  /// Pending records are not among them: each waits for an entry of the log that its segment names and this machine
  /// does not have, so nothing shows what it will be. An author that expects its revocation could otherwise send a
  /// deletion that begins to count with the keys that the revocation introduces.
  package func countedRecords(of authors: Set<AuthorID>) throws(StoreError) -> [CountedRecord] {
    var found: [CountedRecord] = []
    for author in authors.sorted() {
      found += try validRecords(by: author).map { CountedRecord(hash: $0.hash, author: author, group: $0.group) }
    }
    return found
  }
}

/// The revocations that were applied to the items of a store.
extension StoreAccess where Self: ~Copyable {
  /// Returns the entries of the applied revocations, in the order in which they were applied.
  package func appliedRevocations() throws(StoreError) -> [EntryHash] {
    try value(.appliedRevocations) ?? []
  }
}

extension StoreWriter {
  /// Records that exactly the revocations of a membership are applied to the items.
  package func setAppliedRevocations(of membership: Membership) throws(StoreError) {
    try set(.appliedRevocations, to: membership.revocations.map(\.position.hash))
  }
}

/// A revocation of which a member has not shown that it knows it: what the member writes may still be sealed under keys
/// that somebody has who was removed.
package struct UnacknowledgedRevocation: Hashable, Sendable {
  package let machine: DeviceID
  /// The last revocation of the log.
  package let revocation: Revocation

  /// Finds the members, in ascending order, whose last segments name a position of the log before the last revocation;
  /// none if nobody was removed. The segments were verified when they arrived. This machine is left out: it knows its
  /// log.
  package static func all(
    in access: borrowing some StoreAccess & ~Copyable, _ membership: Membership, openedBy device: DeviceFile
  ) throws(StoreError) -> [UnacknowledgedRevocation] {
    guard let revocation = membership.revocations.last else { return [] }
    let own = DeviceID(vault: membership.vault, keys: device.keys.publicKeys)
    // A machine that may only read writes under no key.
    var waiting = Set(membership.members.filter { !$0.isReadOnly }.map(\.id)).subtracting([own])
    for head in try access.streamHeads() where waiting.contains(head.device) {
      if try access.names(revocation.position, in: head, openedBy: device) { waiting.remove(head.device) }
    }
    return waiting.sorted().map { UnacknowledgedRevocation(machine: $0, revocation: revocation) }
  }
}

extension StoreAccess where Self: ~Copyable {
  /// Whether the last segment of a stream names an entry of the log or a later one.
  package func names(
    _ position: LogPosition, in head: StreamHead, openedBy device: DeviceFile
  ) throws(StoreError) -> Bool {
    guard let stored = try segment(head.position.stream, head.position.number),
      let segment = stored.segment(openedBy: device)
    else { return false }
    return segment.log.sequence >= position.sequence
  }
}

extension StoreAccess where Self: ~Copyable {
  /// Returns the last segment of each stream of machines that are revoked. A machine can begin any number of streams,
  /// and an entry of the log has space for some: of more, those are named in which `keeps` lets most records stay
  /// valid. Other machines send the kept records of the others again.
  package func lastSegments(
    of machines: [DeviceID], keeping keeps: (Record) -> Bool, openedBy device: DeviceFile
  ) throws -> [RevocationStatement.Machine] {
    guard !machines.isEmpty else { return [] }
    let heads = Dictionary(grouping: try streamHeads(), by: \.device)
    let limit = min(Limits.seenStreams, Limits.namedStreams / machines.count)
    return try machines.map { machine in
      var ends = (heads[machine] ?? []).map(\.position)
      if ends.count > limit {
        let counted = try ends.map { (end: $0, kept: try keptCount(in: $0.stream, keeps, device)) }
        ends = counted.sorted { ($1.kept, $0.end.stream) < ($0.kept, $1.end.stream) }.prefix(limit).map(\.end)
      }
      return RevocationStatement.Machine(device: machine, ends: ends)
    }
  }

  private func keptCount(in stream: StreamID, _ keeps: (Record) -> Bool, _ device: DeviceFile) throws -> Int {
    var count = 0
    try forEachSegment(of: stream) { stored in
      guard let segment = stored.segment(openedBy: device) else { return }
      count += segment.records.count { bytes in (try? Record(bytes: bytes)).map(keeps) ?? false }
    }
    return count
  }
}

/// Drafts of revocations whose lists of records are final.
extension StoreWriter {
  /// Records that revocations among the unpublished entries, which end with `entry`, are pushed although further
  /// records have arrived.
  package func setFinalDraft(_ entry: EntryHash) throws(StoreError) {
    try set(.finalDraft, to: entry)
  }

  /// Whether the lists of revocations among the unpublished entries are final: ``setFinalDraft(_:)`` was called with
  /// the last of them.
  package func isFinalDraft(_ entry: EntryHash) throws(StoreError) -> Bool {
    try value(.finalDraft) == entry
  }
}

extension Membership {
  /// Adds the lists of records that the revocations of the log name, as far as the store has them. One that is damaged
  /// counts as missing.
  package mutating func addRecordLists(from access: borrowing some StoreAccess & ~Copyable) throws(StoreError) {
    var found: [RecordList] = []
    for (_, hash) in missingRecordLists {
      guard let bytes = try access.object(.recordList(hash)), let list = try? RecordList(bytes: bytes),
        list.hash == hash,
        list.vault == vault
      else { continue }
      found.append(list)
    }
    add(found)
  }
}

extension StoredSegment {
  /// Returns the segment; nil if it cannot be opened. The caller must verify its signature, unless this machine wrote
  /// it.
  package func segment(openedBy device: DeviceFile) -> Segment? {
    guard let envelope = try? Envelope(bytes: envelope), let key = device.transportKey(envelope.generation) else {
      return nil
    }
    return try? Segment(bytes: envelope.open(with: key.key))
  }

  /// Returns the number of records; 1 if the segment cannot be opened.
  package func recordCount(openedBy device: DeviceFile) -> Int { segment(openedBy: device)?.records.count ?? 1 }
}
