/// What a sync has found wrong with the remote or with this machine's store. The rest of the sync was done.
package struct SyncProblem: Hashable, Sendable, Codable {
  package enum Kind: String, Sendable, Codable, CaseIterable {
    /// The remote lacks objects that it had, or that others have seen there.
    case missing
    /// The remote has objects that cannot be used: they are damaged, or somebody has planted them.
    case unusable
    /// The remote shows this machine something else than it or another machine has seen, or two forms of one thing.
    case contradiction
    /// Records that do not count, because the log does not let their author write them.
    case refused
    /// A request for an invitation, or an approval, with which the sync could not go on.
    case invitation
    /// This machine's store was damaged.
    case store
  }

  package let kind: Kind
  /// A line for people.
  package let message: String

  package init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }
}
