internal import CofferCrypto
internal import CofferFormat
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
    let end = StoredFold.end(ofLogWith: try settledLog(in: reader).membership.head.sequence)
    guard end > 0, try !reader.hasRivals() else { return nil }
    if let kept = pinned.kept, kept.head.sequence >= end { return pinned.isStored ? nil : kept }
    let membership = try fold(of: chain, through: end, completingBatch: true, reader)
    return membership.incompleteBatch == nil ? membership : nil
  }
}
