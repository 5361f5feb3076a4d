internal import CofferFormat
internal import CofferStore
internal import CofferVault

extension LocalVault {
  /// How long superseded versions are kept: 30 days, in seconds.
  package static let historySeconds: Int64 = 30 * 24 * 60 * 60

  /// Deletes superseded versions that are too old, at most 16 with each write, so that no single write becomes slow.
  func pruneHistory(_ writer: borrowing StoreWriter) throws {
    let oldest = Timestamp(microseconds: Timestamp.now.microseconds - Self.historySeconds * 1_000_000)
    try writer.pruneHistory(supersededBefore: oldest, limit: 16)
  }
}
