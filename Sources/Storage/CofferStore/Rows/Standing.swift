/// The validity of a stored record according to the membership log. Invalid records are not stored.
package enum Standing: Int64, Hashable, Sendable {
  /// The author may write to the group: the record counts.
  case valid = 1
  /// The record is pending or refused, and no segment of the store contains it, so its contents are kept here. It is
  /// never a head and never covers one.
  case unadmitted = 2
}
