/// The validity of a stored record according to the membership log. Invalid records are not stored.
package enum Standing: Int64, Hashable, Sendable {
  /// The author may write to the group: the record counts.
  case valid = 1
  /// The log does not permit the record yet. It is kept, but is never a head and never covers one.
  case pending = 2
}
