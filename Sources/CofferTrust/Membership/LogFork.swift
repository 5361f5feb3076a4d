package import CofferFormat

/// A fork of the membership log: two valid entries with one parent. Until root selects a branch, the grants of neither
/// count.
package struct LogFork: Hashable, Sendable {
  /// The last entry that the branches share.
  package let parent: LogPosition
  /// The end of each branch. The first is the one that this machine has followed.
  package let heads: [LogPosition]
  /// Whether this machine's branch counts for nothing according to another branch: its signers withdrew its entries, or
  /// root removed an admin who signed one of them.
  package let isOwnWithdrawn: Bool

  /// Whether root has ended the fork on another branch.
  package let isOwnRejected: Bool

  /// Whether only another branch hands the vault to another vault key: whoever has seen that follows no other branch.
  package let isOwnOutdated: Bool

  /// Whether this machine's branch and another one hand the vault to different vault keys. The host can have shown a part
  /// of this machine's only. Nothing in the log tells which one is the owner's.
  package let isHandedOverTwice: Bool

  /// The first and the last entry of each other branch: root names them to end the fork on this machine's branch.
  package let rejectable: Set<EntryHash>

  package init(
    parent: LogPosition, heads: [LogPosition], isOwnWithdrawn: Bool = false, isOwnRejected: Bool = false,
    isOwnOutdated: Bool = false, isHandedOverTwice: Bool = false, rejectable: Set<EntryHash> = []
  ) {
    self.parent = parent
    self.heads = heads
    self.isOwnWithdrawn = isOwnWithdrawn
    self.isOwnRejected = isOwnRejected
    self.isOwnOutdated = isOwnOutdated
    self.isHandedOverTwice = isHandedOverTwice
    self.rejectable = rejectable
  }

  /// Whether this machine's branch counts for nothing on machines that have followed another one.
  package var isOwnVoid: Bool { !isHandedOverTwice && (isOwnWithdrawn || isOwnRejected || isOwnOutdated) }

  /// Whether root can end the fork on this machine's branch. It can take back that it has ended it on another one: otherwise,
  /// nobody could end a fork that was ended on both.
  package var isResolvable: Bool { !isHandedOverTwice && !isOwnOutdated && !isOwnWithdrawn }

  /// What has happened, as a clause whose subject is the log.
  package var words: String {
    let ends = heads.map { "entry \($0.sequence) (\($0.phrase))" }.joined(separator: " and ")
    return "the membership log has forked after entry \(parent.sequence): admins signed branches that end with \(ends)"
  }
}
