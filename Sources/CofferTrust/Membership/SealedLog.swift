package import CofferCrypto
package import CofferFormat

/// The sealed entries of the membership log that the branches of a repository show, opened with the keys of one party.
///
/// Nothing is verified: an attacker with push access could have sealed any of them, and sealed keys of its own to this party.
/// ``union(following:known:isWanted:)`` decides which entries count, and thereby which keys.
package struct SealedLog {
  /// An entry that opens, with its envelope.
  private struct Opened {
    let envelope: Envelope
    let entry: LogEntry
    let key: TransportKey
    /// Whether the envelope is the one that the entry's signer has sealed, boxes included.
    let isIntact: Bool
  }

  /// The maximum number of keys that are tried for one generation. Only the log tells which of them is genuine.
  private static let keyCount = 1_024

  private let vault: VaultID
  private var keys: [UInt32: [TransportKey]] = [:]
  private var opened: [EntryHash: [Opened]] = [:]

  /// Opens entries. The envelopes come in any order, and those of other objects are ignored. `known` are transport keys
  /// that the party has in another way.
  package init(
    _ envelopes: [Envelope], openedBy agreement: AgreementKey, and known: [TransportKey] = [], vault: VaultID
  ) {
    self.vault = vault
    for key in known { add(key) }
    let generations = Dictionary(grouping: envelopes.filter { $0.content == .logEntry }, by: \.generation)
    // A later key opens the one before it, also if that was sealed to nobody here or its boxes are gone.
    for (generation, envelopes) in generations.sorted(by: { $0.key > $1.key }) {
      for envelope in envelopes {
        let key = TransportKey(generation: generation, boxes: envelope.boxes, openedBy: agreement)
        if let key { add(key) }
      }
      for envelope in envelopes { open(envelope) }
    }
  }

  private mutating func add(_ key: TransportKey) {
    let others = keys[key.generation, default: []]
    guard others.count < Self.keyCount, !others.contains(where: { $0.commitment == key.commitment }) else { return }
    keys[key.generation, default: []].append(key)
  }

  private mutating func open(_ envelope: Envelope) {
    guard let (entry, key) = entry(in: envelope) else { return }
    if let statement = try? entry.transportKeyStatement,
      let previous = try? key.unwrapPrevious(statement.wrappedPrevious, in: vault)
    {
      add(previous)
    }
    let isIntact = (try? entry.names(boxesOf: envelope)) == true
    opened[entry.hash, default: []].append(
      Opened(envelope: envelope, entry: entry, key: key, isIntact: isIntact))
  }

  /// Opens an entry with the key that is returned; nil if no key does. An attacker with push access can have removed the envelope's
  /// boxes: the entry is genuine all the same, if it is this key that it names.
  package func entry(in envelope: Envelope) -> (entry: LogEntry, key: TransportKey)? {
    for key in keys[envelope.generation] ?? [] {
      if let entry = try? LogEntry(opening: envelope, with: key, acceptingOtherBoxes: true) { return (entry, key) }
    }
    return nil
  }

  /// Verifies the entries and chooses the chain. `start` is the membership by the chain that the reader has followed,
  /// that of the genesis if it has followed none, and `known` has the entries of this chain from the first on.
  /// `isWanted` tells whether the reader can accept a chain; the others are chosen only if there is none.
  package func union(
    following start: Membership, known: [LogEntry] = [], isWanted: (Membership) -> Bool = { _ in true }
  ) -> LogUnion {
    let entries = opened.values.joined().map(\.entry)
    return LogUnion(following: start, known: known, entries: entries, isWanted: isWanted) { entry, membership in
      guard let statement = try? entry.transportKeyStatement else { return true }
      // Whoever gets this key only could otherwise open nothing that is older.
      let key = opened[entry.hash]?.first?.key
      let previous = membership.transportCommitments.last
      return key?.wraps(statement.wrappedPrevious, previous: previous, in: membership.vault) == true
    }
  }

  /// Finds the envelopes of entries that follow each other: those that their signers have sealed, if a branch shows
  /// that. Ends at the first entry that no envelope has. `generation` is the transport key's before them.
  package func envelopes(
    of entries: some Sequence<LogEntry>, after generation: UInt32 = 0
  ) -> [(entry: LogEntry, envelope: Envelope)] {
    var generation = generation
    var found: [(entry: LogEntry, envelope: Envelope)] = []
    for entry in entries {
      if entry.kind == Statement.Kind.transportKey.rawValue { generation += 1 }
      guard let envelope = envelope(of: entry, under: generation) else { break }
      found.append((entry, envelope))
    }
    return found
  }

  private func envelope(of entry: LogEntry, under generation: UInt32) -> Envelope? {
    let candidates = (opened[entry.hash] ?? []).filter { $0.entry.bytes == entry.bytes }
    let best = candidates.first { $0.isIntact && $0.envelope.generation == generation }
    return (best ?? candidates.first { $0.envelope.generation == generation } ?? candidates.first)?.envelope
  }

  /// Returns the transport keys to which a log commits, in ascending order of generation; nil if one of them does not open.
  package func transportKeys(of membership: Membership) -> [TransportKey]? {
    var found: [TransportKey] = []
    for (index, commitment) in membership.transportCommitments.enumerated() {
      guard let key = keys[UInt32(index) + 1]?.first(where: { $0.commitment == commitment }) else { return nil }
      found.append(key)
    }
    return found
  }

  /// Returns the number of the entry with which a log goes on that is not here, although an entry after it is; nil if nothing
  /// suggests that the log goes on. An attacker with push access can plant files after the end of the log: only entries that root or an
  /// admin of this log has signed suggest it.
  package func gap(after union: LogUnion) -> UInt64? {
    let chain = union.chain
    let goesOn = opened.values.joined().map(\.entry).contains { entry in
      entry.sequence > chain.head.sequence && entry.previous != chain.head.hash && chain.isSignedByMember(entry)
        && !chain.hasRemoved(entry.signer) && !chain.isWithdrawn(entry.hash, by: entry.signer)
        && !chain.hasRejected(entry.hash)
    }
    return goesOn ? chain.head.sequence + 1 : nil
  }
}
