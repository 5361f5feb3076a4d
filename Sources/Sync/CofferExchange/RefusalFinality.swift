internal import CofferFormat
internal import CofferTrust

/// Which records of a segment the log will never permit. The segment does not count, because its machine was revoked.
///
/// A record of anybody else may wait for an entry: a registration that gives its author a right, or the next key of its
/// group.
struct RefusalFinality {
  /// Whether the log has not forked. Root may select a branch that does not revoke anybody.
  let isUndisputed: Bool
  /// Whether nothing suggests that the log has entries which this machine does not have.
  let isLogComplete: Bool

  /// Whether a record that the log does not permit is refused for good: its author has lost the right to write the
  /// group, or the log does not know the author. A principal writes only after its entry is on the remote.
  func contains(_ header: RecordHeader, in membership: Membership) -> Bool {
    guard isUndisputed else { return false }
    guard let author = membership.authors[header.author] else { return isLogComplete }
    return author.cut(in: header.group) != nil
  }
}
