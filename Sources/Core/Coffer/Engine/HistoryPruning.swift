internal import CofferStore
internal import CofferVault

extension LocalVault {
  /// Deletes superseded versions that are too old, at most 16 with each write, so that no single write becomes slow.
  func pruneHistory(_ writer: borrowing StoreWriter) throws {
    try writer.pruneHistory(supersededBefore: Self.historyStart, limit: 16)
  }
}
