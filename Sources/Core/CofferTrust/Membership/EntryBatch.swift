package import CofferCrypto
package import CofferFormat

/// The entries that follow a revocation or a succession and take effect together with it. A host that shows only some
/// of them could otherwise keep the new keys from their readers.
struct EntryBatch: Sendable {
  /// What an entry states of those that belong to it.
  struct Announcement {
    let followingEntries: UInt32
    let keys: [NewKey]
  }

  let before: EarlierMembership
  /// The position in the log of the entry that announces the batch.
  let first: LogPosition
  /// The number of entries that are still missing.
  private(set) var remaining: UInt32
  private let signer: LogEntry.Signer
  /// The keys that these entries have to introduce.
  private var keys: Set<NewKey>

  init(_ announcement: Announcement, in entry: LogEntry, before: Membership) {
    self.before = EarlierMembership(before)
    first = entry.position
    remaining = announcement.followingEntries
    signer = entry.signer
    keys = Set(announcement.keys)
  }

  /// Returns the batch after the next entry, without the key that its statement introduces. The statement is nil if
  /// this program does not know it. Throws ``TrustError/Code/contradiction`` if the entry does not belong to the batch.
  func following(_ entry: LogEntry, _ statement: Statement?) throws(TrustError) -> EntryBatch {
    var next = self
    next.remaining -= 1
    if let key = statement?.replacedKey, next.keys.remove(key) == nil {
      throw TrustError(.contradiction, at: entry.sequence, "its key is not one that entry \(first.sequence) names")
    }
    guard entry.signer == signer, next.keys.count <= Int(next.remaining) else {
      throw TrustError(.contradiction, at: entry.sequence, "it does not belong to entry \(first.sequence) before it")
    }
    return next
  }
}

extension Statement {
  /// The batch that follows the entry with this statement; nil if the statement takes effect alone.
  var announcedBatch: EntryBatch.Announcement? {
    switch self {
    case .revocation(let statement) where statement.followingEntries > 0:
      EntryBatch.Announcement(followingEntries: statement.followingEntries, keys: statement.keys)
    case .succession(let statement):
      EntryBatch.Announcement(followingEntries: statement.followingEntries, keys: statement.keys)
    default: nil
    }
  }

  /// The key that takes the place of an earlier one.
  fileprivate var replacedKey: NewKey? {
    switch self {
    case .transportKey(let statement) where statement.generation > 1:
      NewKey(group: .none, generation: statement.generation, commitment: statement.commitment)
    case .groupKeyRenewal(let statement):
      NewKey(group: statement.group, generation: statement.generation, commitment: statement.commitment)
    default: nil
    }
  }
}

/// The membership before a revocation or succession that has no effect yet. An object, because the membership contains
/// it.
final class EarlierMembership: Sendable {
  let membership: Membership

  init(_ membership: Membership) { self.membership = membership }
}

extension Membership {
  /// The membership without a revocation or succession whose following entries are not all there: the host withholds
  /// them. It must not be changed, and not be written to either if one of these entries is critical and unknown.
  package var complete: Membership {
    guard var before = batch?.before.membership else { return self }
    before.recordLists = recordLists
    before.firstUnknownCritical = firstUnknownCritical
    return before
  }

  /// Takes over that a longer log has a critical entry of an unknown kind: the vault must not be written to, although
  /// the entry is not applied here.
  package mutating func addUnknownCritical(of longer: Membership) {
    firstUnknownCritical = firstUnknownCritical ?? longer.firstUnknownCritical
  }

  /// The revocation or succession whose following entries are not all there; nil if there is none.
  package var incompleteBatch: LogPosition? { batch?.first }

  /// Adds lists of records, which revocations name by their hashes. Lists of another vault are ignored.
  package mutating func add(_ lists: [RecordList]) {
    for list in lists where list.vault == vault { recordLists[list.hash] = list }
  }

  /// The lists of records that revocations name and that were not added, each with the number of the entry.
  package var missingRecordLists: [(entry: UInt64, hash: Bytes32)] {
    revocations.flatMap { revocation in
      revocation.statement.recordLists.filter { recordLists[$0] == nil }.map { (revocation.position.sequence, $0) }
    }
  }

  /// The number of the first revocation or succession of which entries or lists of records are missing; nil if nothing
  /// is.
  package var firstIncomplete: UInt64? {
    (missingRecordLists.map(\.entry) + [incompleteBatch?.sequence].compactMap(\.self)).min()
  }
}
