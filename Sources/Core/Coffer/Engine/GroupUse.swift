/// What a command is about to do in the access group that it names, or in those that it means if it names none.
package enum GroupUse: Sendable {
  /// Read items: in all groups if none is named.
  case reading(String?)
  /// Read items in each of these groups.
  case readingEach([String])
  /// Write one item: in the default group if none is named.
  case writing(String?)
  /// Update or delete items: in all groups that can be written if none is named.
  case changing(String?)

  var isWrite: Bool {
    switch self {
    case .reading, .readingEach: false
    case .writing, .changing: true
    }
  }
}
