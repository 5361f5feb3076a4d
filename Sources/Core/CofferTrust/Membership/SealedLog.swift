package import CofferCrypto
package import CofferFormat

/// The sealed entries of the membership log that the branches of a repository show, opened with the keys of one party.
///
/// An entry is kept if root or an admin has signed it whom the log names, wherever it names them. Of each other entry
/// that opens, hashes and at most one wrapped key are kept while files are read: a fraction of the smallest file.
/// Nothing else is kept, so files that an attacker with push access and no key has added use no memory, whatever their
/// number and size.
/// ``union(following:ownEntries:among:isWanted:)`` decides which of the kept entries count.
package struct SealedLog {
  /// An entry that opens, with its envelope.
  private struct Opened {
    /// The lowest number of a file that has it.
    var number: Int
    let envelope: Envelope
    let entry: LogEntry
    let key: TransportKey
    /// Whether the envelope is the one that the entry's signer has sealed, boxes included.
    let isIntact: Bool

    /// Whether another file adds nothing: it has the same entry, and differs at most in boxes that nobody has signed.
    func isCopy(of other: Opened) -> Bool {
      entry.bytes == other.entry.bytes && envelope.generation == other.envelope.generation
        && isIntact == other.isIntact
    }
  }

  /// Why a file is not decided on yet.
  private enum Obstacle: Hashable {
    /// No transport key of this generation opens it.
    case generation(UInt32)
    /// No entry that is kept names the key that has signed it.
    case signer(LogEntry.Signer)
  }

  private let vault: VaultID
  private let agreement: AgreementKey
  /// The keys of the reader, and those of entries that are kept.
  private var keys: [UInt32: [TransportKey]] = [:]
  private var signers: [LogEntry.Signer: [VerifyingKey]] = [:]
  private var opened: [EntryHash: [Opened]] = [:]
  /// The obstacles that an entry may have removed since the files that wait for that were read.
  private var removed: Set<Obstacle> = []
  /// The keys that may be mixed into later ones: what the reader knows, and those of entries 1 that the first root has
  /// signed.
  private var firstKeys: [TransportKey] = []
  /// The generations of envelopes with a box for this party that led to no key yet: the first key may be missing.
  private var unmixedGenerations: Set<UInt32> = []
  /// What entries that are not kept say of those before them: the hash, and the transport key before their own, sealed
  /// under that; nil if they introduce none. And the hashes of the entries to which one leads that is genuine.
  private var links: [EntryHash: (previous: EntryHash, key: TransportKey, wrappedPrevious: [UInt8]?)] = [:]
  private var confirmed: Set<EntryHash> = []
  /// The boxes that are sealed to others. Any number of files can repeat them.
  private var foreignBoxes: Set<[UInt8]> = []
  private static let foreignBoxCount = 1 << 16
  /// Whoever knows this party's public key can seal any number of keys to it. The number of keys of a generation up to
  /// which one is tried that an unknown signer has introduced, or wrapped in an entry to which no genuine one leads.
  private static let unconfirmedKeyCount = 64
  /// The size of what is kept.
  package private(set) var byteCount = 0

  /// Reads `count` files. `read` returns the first of those with the given numbers, which are read next; nil if it
  /// cannot be read. A file that does not open is read again when another one has the key that may open it. `heldKeys`
  /// are transport keys that the party has in another way, and `start` is the membership by the log that it has
  /// followed, that of the genesis if none. `root` is the key of the party itself, if it is root, and `head` an entry
  /// that it was told of by somebody whom it trusts. Reads no further when what is kept has more than `byteLimit`
  /// bytes.
  package init(
    of count: Int, openedBy agreement: AgreementKey, and heldKeys: [TransportKey] = [], following start: Membership,
    root: VerifyingKey? = nil, head: EntryHash? = nil, byteLimit: Int,
    read: (_ numbers: ArraySlice<Int>) throws -> [UInt8]?
  ) rethrows {
    vault = start.vault
    self.agreement = agreement
    for root in [start.genesis.root] + start.successions.map(\.statement.root) { add(root.verifying, of: .root) }
    for author in start.authors.values {
      if case .admin = author.role { add(author.keys.verifying, of: .admin(author.id)) }
    }
    // A later root reads what it has signed before the entry that names it, which is sealed under an earlier key.
    if let root { add(root, of: .root) }
    if let head { confirmed = [head] }
    for key in heldKeys { add(key) }
    firstKeys = heldKeys.filter { $0.generation == 1 }
    removed = []
    var waiting: [Obstacle: [Int]] = [:]
    var next = Array(0..<count)
    while !next.isEmpty {
      for index in next.indices where byteCount <= byteLimit {
        guard let bytes = try read(next[index...]), let obstacle = keep(bytes, next[index]) else { continue }
        waiting[obstacle, default: []].append(next[index])
      }
      next = removed.flatMap { waiting.removeValue(forKey: $0) ?? [] }.sorted()
      removed = []
    }
    (foreignBoxes, links, confirmed) = ([], [:], [])
  }

  private mutating func add(_ key: TransportKey) {
    guard !keys[key.generation, default: []].contains(where: { $0.commitment == key.commitment }) else { return }
    keys[key.generation, default: []].append(key)
    removed.insert(.generation(key.generation))
  }

  private mutating func addFirst(_ key: TransportKey) {
    guard key.generation == 1, firstKeys.count < Self.unconfirmedKeyCount,
      !firstKeys.contains(where: { $0.commitment == key.commitment })
    else { return }
    firstKeys.append(key)
    removed.formUnion(unmixedGenerations.map { .generation($0) })
  }

  private mutating func addUnconfirmed(_ key: TransportKey) {
    if (keys[key.generation] ?? []).count < Self.unconfirmedKeyCount { add(key) }
  }

  private mutating func add(_ key: VerifyingKey, of signer: LogEntry.Signer) {
    guard !signers[signer, default: []].contains(key) else { return }
    signers[signer, default: []].append(key)
    removed.insert(.signer(signer))
  }

  /// Keeps the entry in a file. Returns why it is not known whether it is one; nil if that is known.
  private mutating func keep(_ bytes: [UInt8], _ number: Int) -> Obstacle? {
    guard let envelope = try? Envelope(bytes: bytes), envelope.content == .logEntry else { return nil }
    guard let (entry, key) = entry(in: envelope) ?? introduced(by: envelope) else {
      return .generation(envelope.generation)
    }
    guard entry.vault == vault else { return nil }
    guard (signers[entry.signer] ?? []).contains(where: entry.isSigned(by:)) else {
      // The entry that names the signer may be sealed under an earlier key, to which only this one leads. Or it is
      // missing: then what follows under this key shows the gap, if a known one signed it.
      addUnconfirmed(key)
      let wrapped = (try? entry.transportKeyStatement)?.wrappedPrevious
      links[entry.hash] = (entry.previous, key, wrapped)
      if confirmed.contains(entry.hash) { confirm(entry.hash) }
      if let wrapped, let previous = try? key.unwrapPrevious(wrapped, in: vault) { addUnconfirmed(previous) }
      return .signer(entry.signer)
    }
    let isIntact = (try? entry.names(boxesOf: envelope)) == true
    let found = Opened(number: number, envelope: envelope, entry: entry, key: key, isIntact: isIntact)
    if let index = opened[entry.hash]?.firstIndex(where: found.isCopy) {
      let first = opened[entry.hash]?[index].number ?? number
      opened[entry.hash]?[index].number = min(first, number)
      return nil
    }
    opened[entry.hash, default: []].append(found)
    byteCount += bytes.count + entry.bytes.count
    add(key)
    if entry.sequence == 1, entry.signer == .root { addFirst(key) }
    addKeys(of: entry, key)
    confirm(entry.previous)
    return nil
  }

  /// Adds the keys to which an entry leads that a genuine one names: by its hash, which stands for all before it. Their
  /// signers may be known only with these keys. Whoever has a later key could otherwise fill the places of an earlier
  /// generation with keys that nobody else has.
  private mutating func confirm(_ hash: EntryHash) {
    var hash = hash
    confirmed.insert(hash)
    while let link = links.removeValue(forKey: hash) {
      if let wrapped = link.wrappedPrevious, let key = try? link.key.unwrapPrevious(wrapped, in: vault) { add(key) }
      hash = link.previous
      confirmed.insert(hash)
    }
  }

  /// Adds the keys that an entry names or wraps.
  private mutating func addKeys(of entry: LogEntry, _ key: TransportKey) {
    guard let statement = try? Statement.parse(entry) else { return }
    switch statement {
    case .transportKey(let statement):
      // A later key opens the one before it, also if that was sealed to nobody here or its boxes are gone.
      if let previous = try? key.unwrapPrevious(statement.wrappedPrevious, in: vault) { add(previous) }
    case .device(let statement):
      if case .admin(let keys, _) = statement.role { addAdmin(keys) }
    case .appointment(let statement): addAdmin(statement.adminKeys)
    case .succession(let statement): add(statement.root.verifying, of: .root)
    default: break
    }
  }

  private mutating func addAdmin(_ keys: PartyPublicKeys) {
    add(keys.verifying, of: .admin(AuthorID(vault: vault, keys: keys)))
  }

  /// Opens an entry with the key that it introduces, if one of the envelope's boxes is sealed to this party.
  private mutating func introduced(by envelope: Envelope) -> (entry: LogEntry, key: TransportKey)? {
    for box in envelope.boxes where !foreignBoxes.contains(box) {
      guard let boxed = try? SymmetricKey(agreement.open(box)) else {
        if foreignBoxes.count < Self.foreignBoxCount { foreignBoxes.insert(box) }
        continue
      }
      guard let key = TransportKey(boxed: boxed, in: envelope, mixing: firstKeys) else {
        unmixedGenerations.insert(envelope.generation)
        return nil
      }
      return (try? LogEntry(opening: envelope, with: key, acceptingOtherBoxes: true)).map { ($0, key) }
    }
    return nil
  }

  /// Opens an entry with the key that is returned; nil if no key does. An attacker with push access can have removed
  /// the envelope's boxes: the entry is genuine all the same, if it is this key that it names.
  package func entry(in envelope: Envelope) -> (entry: LogEntry, key: TransportKey)? {
    for key in keys[envelope.generation] ?? [] {
      if let entry = try? LogEntry(opening: envelope, with: key, acceptingOtherBoxes: true) { return (entry, key) }
    }
    return nil
  }

  /// The entries that one of the files before `end` has; all of them if nil.
  private func entries(before end: Int? = nil) -> [LogEntry] {
    opened.values.joined().filter { file in end.map { file.number < $0 } ?? true }.map(\.entry)
  }

  /// Verifies the entries and chooses the chain. `start` is the membership by the chain that the reader has followed,
  /// that of the genesis if it has followed none, and `ownEntries` has the entries of this chain from the first on.
  /// Only files with a number below `end` count; all of them if nil. `isWanted` tells whether the reader can accept a
  /// chain; the others are chosen only if there is none.
  package func union(
    following start: Membership, ownEntries: [LogEntry] = [], among end: Int? = nil,
    isWanted: (Membership) -> Bool = { _ in true }
  ) -> LogUnion {
    LogUnion(following: start, ownEntries: ownEntries, entries: entries(before: end), isWanted: isWanted) {
      entry, membership in
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

  /// Returns the transport keys to which a log commits, in ascending order of generation; nil if one of them does not
  /// open.
  package func transportKeys(of membership: Membership) -> [TransportKey]? {
    var found: [TransportKey] = []
    for (index, commitment) in membership.transportCommitments.enumerated() {
      guard let key = keys[UInt32(index) + 1]?.first(where: { $0.commitment == commitment }) else { return nil }
      found.append(key)
    }
    return found
  }

  /// Returns the number of the entry with which a log goes on that is not here, although an entry after it is; nil if
  /// nothing suggests that the log goes on. An attacker with push access can plant files after the end of the log: only
  /// entries that root or an admin of this log has signed suggest it.
  package func gap(after union: LogUnion) -> UInt64? {
    let chain = union.chain
    let goesOn = entries().contains { entry in
      entry.sequence > chain.head.sequence && entry.previous != chain.head.hash && chain.isSignedByMember(entry)
        && !chain.hasRemoved(entry.signer) && !chain.isWithdrawn(entry.hash, by: entry.signer)
        && !chain.hasRejected(entry.hash)
    }
    return goesOn ? chain.head.sequence + 1 : nil
  }
}
