internal import CofferCrypto
internal import CofferFormat
internal import CofferStore
internal import CofferTrust

extension StoreAccess where Self: ~Copyable {
  /// Returns the log's entries between two places, after checking that a chain of hashes connects these. Whoever has
  /// verified the last one has thereby verified all of them, although another program may have changed the store since.
  /// `first` is the place before the first entry: an entry, or the genesis. Throws ``TrustError/Code/brokenChain`` if
  /// the entries are not connected.
  func chain(from first: LogPosition, to last: LogPosition) throws -> [LogEntry] {
    var entries: [LogEntry] = []
    var position = first
    for stored in try logEntries(after: first.sequence, through: last.sequence) {
      let entry: LogEntry
      do throws(FormatError) {
        entry = try LogEntry(bytes: stored)
      } catch {
        throw TrustError(.malformed, at: position.sequence + 1, error.description)
      }
      guard entry.sequence == position.sequence + 1, entry.previous == position.hash else {
        throw TrustError(.brokenChain, at: entry.sequence, "it does not follow entry \(position.sequence)")
      }
      position = entry.position
      entries.append(entry)
    }
    guard position == last else {
      throw TrustError(.brokenChain, at: last.sequence, "it is not the entry that was verified before")
    }
    return entries
  }
}
