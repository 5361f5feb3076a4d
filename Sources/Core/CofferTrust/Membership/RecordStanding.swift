/// The validity of a record: whether its author signed it and may write to its group.
package enum RecordStanding: Hashable, Sendable {
  /// The record is signed by an author who may write to the group.
  case valid
  /// The log does not contain the author, the group or the generation of its key. A later log entry may.
  case unknownAuthor
  /// The author signed the record, but may not write to the group. A later log entry may permit it.
  case notEntitled
  /// The author did not sign the record, or the record belongs to another vault. No log entry changes that.
  case invalid(String)
}
