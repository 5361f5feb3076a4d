package import CofferCrypto
package import CofferFormat
internal import CofferStore
internal import CofferTrust

/// Folds of a part of the log.
extension LocalVault {
  /// Returns the membership by the first entries of a chain that this machine has verified, up to `last`. Starts with
  /// what the app has verified before, if that is a part of these entries. `completesBatch` adds the following entries
  /// that belong to a batch with the last one. Throws a ``TrustError`` if the store has another chain by now.
  func fold(
    of chain: Membership, through last: UInt64, completingBatch completesBatch: Bool = false,
    _ reader: borrowing some StoreAccess & ~Copyable
  ) throws -> Membership {
    var membership = Membership(genesis: chain.genesis)
    var entries: [LogEntry]?
    if let kept = pinned?.kept, kept.head.sequence <= last {
      entries = try? reader.chain(from: kept.head, to: chain.head)
      if entries != nil { membership = kept }
    }
    for entry in try entries ?? reader.chain(from: membership.head, to: chain.head) {
      guard entry.sequence <= last || completesBatch && membership.incompleteBatch != nil else { break }
      try membership.apply(entry, isVerified: true)
    }
    try membership.addRecordLists(from: reader)
    return membership
  }

  /// Keeps a fold of the log in the store for the next opening by the same app, unless the log is short, has other
  /// branches, or the store has a fold of nearly all of it. A store that cannot be written now stays as it is. The app
  /// of the key has verified the log and found in it what its credential has seen.
  package func keepFold(with key: FoldKey) {
    guard let pinned else { return }
    do {
      guard let membership = try store.read({ try foldToKeep(pinned, in: $0) }),
        let object = StoredFold.object(of: membership)
      else { return }
      try store.write(timeout: .zero) { writer in
        try StoredFold(key: key).write(object, endingAt: membership.head.sequence, to: writer)
      }
    } catch {
      // The log is folded again the next time.
    }
  }

  private func foldToKeep(_ pinned: PinnedFold, in reader: borrowing StoreReader) throws -> Membership? {
    let chain = try branches(in: reader).chain
    // Entries that may still be discarded would make the fold worthless.
    let end = StoredFold.end(ofLogWith: try publishedLog(in: reader).membership.head.sequence)
    guard end > 0, try !reader.hasCompetingEntries() else { return nil }
    if let kept = pinned.kept, kept.head.sequence >= end { return pinned.isStored ? nil : kept }
    let membership = try fold(of: chain, through: end, completingBatch: true, reader)
    return membership.incompleteBatch == nil ? membership : nil
  }
}

/// The part of the log that an app has verified before: up to the entry that it has seen, or up to the end of the fold
/// in the store.
struct PinnedFold {
  /// The membership by that part.
  let membership: Membership
  /// The fold that the store has or is to have; nil for a short log.
  let kept: Membership?
  let isStored: Bool

  /// Folds what the app has verified, without its signatures: a chain of hashes leads to what it has seen. Starts with
  /// the membership by the genesis alone. Returns nil if the log is not the one that the app has seen, and throws a
  /// ``TrustError`` for entries that are not valid.
  static func read(
    _ pin: LogPin, _ empty: Membership, _ reader: borrowing StoreReader
  ) throws -> PinnedFold? {
    // In a log with other branches, each of its entries is needed anyway.
    if try !reader.hasCompetingEntries(),
      let stored = StoredFold(key: pin.key).membership(of: empty.genesis, in: reader),
      let continued = try continuing(stored, to: pin.seen, reader)
    {
      return continued
    }
    return try whole(to: pin.seen, empty, reader)
  }

  /// Applies the entries between a stored fold and what the app has seen. Nil unless one chain of hashes has the ends
  /// of both: the store could be an older one, have another branch, or be made of two.
  private static func continuing(
    _ stored: Membership, to seen: LogPosition, _ reader: borrowing StoreReader
  ) throws -> PinnedFold? {
    let (first, last) = seen.sequence < stored.head.sequence ? (seen, stored.head) : (stored.head, seen)
    guard let entries = try? reader.chain(from: first, to: last) else { return nil }
    var membership = stored
    for entry in entries where entry.sequence > stored.head.sequence {
      guard (try? membership.apply(entry, isVerified: true)) != nil else { return nil }
    }
    try membership.addRecordLists(from: reader)
    return PinnedFold(membership: membership, kept: stored, isStored: true)
  }

  private static func whole(
    to seen: LogPosition, _ empty: Membership, _ reader: borrowing StoreReader
  ) throws -> PinnedFold? {
    let start = LogPosition(sequence: 0, hash: empty.genesis.hash)
    guard let entries = try? reader.chain(from: start, to: seen) else { return nil }
    var membership = empty
    var kept: Membership?
    let end = StoredFold.end(ofLogWith: seen.sequence)
    for entry in entries {
      try membership.apply(entry, isVerified: true)
      if end > 0, kept == nil, entry.sequence >= end, membership.incompleteBatch == nil { kept = membership }
    }
    try membership.addRecordLists(from: reader)
    return PinnedFold(membership: membership, kept: kept, isStored: false)
  }
}

/// A fold of the log in the store, which one author has verified.
struct StoredFold {
  /// A fold ends at the first place after a multiple of this number where no batch is incomplete. So all apps of a
  /// machine have the same one, and rarely write it; the entries after it take less time than the rest of opening a
  /// vault.
  static let interval: UInt64 = 256
  /// Folds that ended so many intervals earlier are deleted. Apps that were not used since then fold the log again.
  private static let keptIntervals: UInt64 = 8

  let key: FoldKey

  /// Returns the number from which on the first complete place is the end of the fold of a log; 0 for a short log.
  static func end(ofLogWith entryCount: UInt64) -> UInt64 { entryCount / interval * interval }

  /// Returns the fold that the author has verified; nil if there is none, or if another program has changed it. The
  /// caller must check that it ends in the log.
  func membership(of genesis: Genesis, in reader: borrowing some StoreAccess & ~Copyable) -> Membership? {
    guard let proof = try? reader.foldProof(of: key.author), proof == key.proof(of: proof.fold),
      let object = try? reader.fold(proof.fold), Hash.digest(object, domain: .fold) == proof.fold
    else { return nil }
    return try? FoldCoder.decode(object, by: CofferVersion.text, of: genesis)
  }

  /// Returns the bytes of a fold; nil if they are too many.
  static func object(of membership: Membership) -> [UInt8]? {
    // Most bytes are those of boxes. To encode a fold that is thrown away would slow each opening of a large vault.
    let boxCount = membership.groups.values.flatMap(\.generations).reduce(0) { $0 + $1.boxes.count }
    guard boxCount * boxByteCount <= Limits.foldByteCount,
      let object = FoldCoder.encode(membership, by: CofferVersion.text), object.count <= Limits.foldByteCount
    else { return nil }
    return object
  }

  /// A recipient and a sealed box of two keys.
  private static let boxByteCount = 16 + 4 + 112

  /// Writes a fold that the author has verified, in place of its earlier one.
  func write(_ object: [UInt8], endingAt end: UInt64, to writer: borrowing StoreWriter) throws {
    let kept = Self.keptIntervals * Self.interval
    try writer.insertFold(
      object, endingAt: end, key.proof(of: Hash.digest(object, domain: .fold)),
      keepingSince: end > kept ? end - kept : 0)
  }
}

/// What an app knows of the log before it reads the log.
package struct LogPin: Sendable {
  /// The last entry that the app has seen. Its credential has it, so that nobody else can change it.
  package let seen: LogPosition
  /// The key of the folds that the app has verified.
  package let key: FoldKey

  package init(seen: LogPosition, key: FoldKey) {
    self.seen = seen
    self.key = key
  }
}

/// The key under which an author recognises the folds of the log that it has verified. Only the author can derive it:
/// with a key of the machine, another app could forge a membership.
package struct FoldKey: Sendable {
  package let author: AuthorID
  private let genesis: EntryHash
  private let key: SymmetricKey

  package init(author: AuthorID, keys: PartyKeys, genesis: EntryHash) {
    self.author = author
    self.genesis = genesis
    key = Hash.key(from: keys.secret, domain: .foldKey)
  }

  /// Returns the proof that the author has verified a fold.
  func proof(of fold: Bytes32) -> FoldProof {
    let signed = genesis.raw.bytes + author.raw.bytes + fold.bytes
    return FoldProof(author: author, fold: fold, mac: key.keyedHash32(signed, domain: .foldProof))
  }
}
