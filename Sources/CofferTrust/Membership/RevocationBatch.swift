internal import CofferFormat

/// The entries that follow a revocation and take effect together with it. A host that shows only some of them could
/// otherwise keep the new keys from their readers.
struct RevocationBatch: Sendable {
  let before: EarlierMembership
  /// The position of the revocation in the log.
  let revocation: LogPosition
  /// The number of entries that are still missing.
  private(set) var remaining: UInt32
  private let signer: LogEntry.Signer
  /// The keys that these entries have to introduce.
  private var keys: Set<RevocationStatement.NewKey>

  init(_ statement: RevocationStatement, in entry: LogEntry, before: Membership) {
    self.before = EarlierMembership(before)
    revocation = entry.position
    remaining = statement.followingEntries
    signer = entry.signer
    keys = Set(statement.keys)
  }

  /// Returns the batch after the next entry.
  ///
  /// - Parameters:
  ///   - entry: The entry.
  ///   - statement: Its statement; nil if this program does not know it.
  /// - Returns: The batch without the key that the statement introduces.
  /// - Throws: ``TrustError/Code/contradiction`` if the entry does not belong to the batch.
  func following(_ entry: LogEntry, _ statement: Statement?) throws(TrustError) -> RevocationBatch {
    var next = self
    next.remaining -= 1
    if case .groupKey(let statement)? = statement, statement.generation > 1 {
      // Its boxes need not be for all readers. It would also take the place of the key that the revocation names.
      throw TrustError(.contradiction, at: entry.sequence, "it renews a group's key without a box for each reader")
    }
    if let key = statement?.replacedKey, next.keys.remove(key) == nil {
      throw TrustError(.contradiction, at: entry.sequence, "its key is not one that the revocation before it names")
    }
    guard entry.signer == signer, next.keys.count <= Int(next.remaining) else {
      throw TrustError(.contradiction, at: entry.sequence, "it does not belong to the revocation before it")
    }
    return next
  }
}

extension Statement {
  /// The key that takes the place of an earlier one.
  fileprivate var replacedKey: RevocationStatement.NewKey? {
    switch self {
    case .transportKey(let statement) where statement.generation > 1:
      RevocationStatement.NewKey(group: .none, generation: statement.generation, commitment: statement.commitment)
    case .groupKeyRenewal(let statement):
      RevocationStatement.NewKey(
        group: statement.group, generation: statement.generation, commitment: statement.commitment)
    default: nil
    }
  }
}
