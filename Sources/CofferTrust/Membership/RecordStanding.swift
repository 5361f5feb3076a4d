/// The validity of a record: whether its author signed it and may write to its group.
package enum RecordStanding: Hashable, Sendable {
  /// The record is signed by an author who may write to the group.
  case valid
  /// The author is not in this machine's copy of the log. It may be in a later entry.
  case unknownAuthor
  /// The author signed the record, but may not write to the group. A later log entry may permit it.
  case notEntitled
  /// The author did not sign the record, or the record belongs to another vault.
  case refused(String)
}
