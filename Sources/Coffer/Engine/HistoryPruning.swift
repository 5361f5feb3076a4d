internal import CofferFormat
internal import CofferStore

extension LocalVault {
  /// How long superseded versions are kept, in seconds: 30 days.
  package static let historySeconds: Int64 = 30 * 24 * 60 * 60

  /// Drops history that is too old: a little with each write, so that no write pays for many.
  func pruneHistory(_ writer: borrowing StoreWriter) throws {
    let oldest = Timestamp(microseconds: Timestamp.now.microseconds - Self.historySeconds * 1_000_000)
    try writer.pruneHistory(supersededBefore: oldest, limit: 16)
  }
}
