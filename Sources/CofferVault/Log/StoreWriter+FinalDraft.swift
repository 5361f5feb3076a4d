internal import CofferCrypto
package import CofferFormat
package import CofferStore

/// Drafts of revocations whose lists of records are final.
extension StoreWriter {
  /// Records that revocations among the unpublished entries are pushed although further records have arrived.
  ///
  /// - Parameter entry: The last unpublished entry.
  /// - Throws: ``StoreError`` if the store cannot be written.
  package func setFinalDraft(_ entry: EntryHash) throws(StoreError) {
    try setSetting(.finalDraft, entry.raw.bytes)
  }

  /// Whether the lists of revocations among the unpublished entries are final.
  ///
  /// - Parameter entry: The last unpublished entry.
  /// - Returns: True for the entry of ``setFinalDraft(_:)``.
  /// - Throws: ``StoreError`` if the store cannot be read.
  package func isFinalDraft(_ entry: EntryHash) throws(StoreError) -> Bool {
    try setting(.finalDraft) == entry.raw.bytes
  }
}
