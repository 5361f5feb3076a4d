/// What a command is about to do in the access group that it names, or in those that it means if it names none.
package enum GroupUse: Sendable {
  /// Read items: in all groups if none is named.
  case reading(String?)
  /// Write one item: in the default group if none is named.
  case writing(String?)
  /// Update or delete items: in all groups that can be written if none is named.
  case changing(String?)

  var isWrite: Bool { if case .reading = self { false } else { true } }
}
