package import CofferFormat
package import CofferStore

/// Drafts of revocations whose lists of records are final.
extension StoreWriter {
  /// Records that revocations among the unpublished entries, which end with `entry`, are pushed although further
  /// records have arrived.
  package func setFinalDraft(_ entry: EntryHash) throws(StoreError) {
    try set(.finalDraft, to: entry)
  }

  /// Whether the lists of revocations among the unpublished entries are final: ``setFinalDraft(_:)`` was called with
  /// the last of them.
  package func isFinalDraft(_ entry: EntryHash) throws(StoreError) -> Bool {
    try value(.finalDraft) == entry
  }
}
