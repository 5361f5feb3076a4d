internal import CofferCrypto
internal import CofferFormat
internal import CofferStore
internal import CofferTrust

/// The part of the log that an app has verified before: up to the entry that it has seen, or up to the end of the fold in
/// the store.
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
    if try !reader.hasRivals(),
      let stored = StoredFold(key: pin.key).membership(of: empty.genesis, in: reader),
      let continued = try continuing(stored, to: pin.seen, reader)
    {
      return continued
    }
    return try whole(to: pin.seen, empty, reader)
  }

  /// Applies the entries between a stored fold and what the app has seen. Nil unless one chain of hashes has the ends of
  /// both: the store could be an older one, have another branch, or be made of two.
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
