package import CofferFormat

/// A fork of the membership log: two valid entries with one parent. Until root selects a branch, the grants of neither
/// count.
package struct LogFork: Hashable, Sendable {
  /// The last entry that the branches share.
  package let parent: LogPosition
  /// The end of each branch. The first is the one that this machine has followed.
  package let heads: [LogPosition]
  /// Why this machine's branch does not count on machines that have followed another one; empty if it does.
  package let own: BranchStanding

  /// Whether this machine's branch and another one hand the vault to different vault keys. The host can have shown a part
  /// of this machine's only. Nothing in the log tells which one is the owner's.
  package let isHandedOverTwice: Bool

  /// The first and the last entry of each other branch: root names them to end the fork on this machine's branch.
  package let rejectable: Set<EntryHash>

  package init(
    parent: LogPosition, heads: [LogPosition], own: BranchStanding = [], isHandedOverTwice: Bool = false,
    rejectable: Set<EntryHash> = []
  ) {
    self.parent = parent
    self.heads = heads
    self.own = own
    self.isHandedOverTwice = isHandedOverTwice
    self.rejectable = rejectable
  }

  /// Whether this machine's branch counts for nothing on machines that have followed another one.
  package var isOwnVoid: Bool { !isHandedOverTwice && !own.counts }

  /// Whether root can end the fork on this machine's branch. It can take back that it has ended it on another one: otherwise,
  /// nobody could end a fork that was ended on both.
  package var isResolvable: Bool { !isHandedOverTwice && own.subtracting(.rejected).counts }

  /// What has happened, as a clause whose subject is the log.
  package var words: String {
    let ends = heads.map { "entry \($0.sequence) (\($0.phrase))" }.joined(separator: " and ")
    return "the membership log has forked after entry \(parent.sequence): admins signed branches that end with \(ends)"
  }
}
