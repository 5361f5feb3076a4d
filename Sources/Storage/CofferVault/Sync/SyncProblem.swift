/// What a sync has found wrong with the remote or with this machine's store. The rest of the sync was done.
package struct SyncProblem: Hashable, Sendable, Codable {
  /// The kind by its name: a program that was built earlier must be able to read a kind that it does not know.
  package struct Kind: RawRepresentable, Hashable, Sendable, Codable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// The remote lacks objects that it had, or that others have seen there.
    package static let missing = Kind(rawValue: "missing")
    /// The remote has objects that cannot be used: they are damaged, or somebody has planted them.
    package static let unusable = Kind(rawValue: "unusable")
    /// The remote shows this machine something else than it or another machine has seen, or two forms of one thing.
    package static let contradiction = Kind(rawValue: "contradiction")
    /// Records or branches of somebody whom the log does not let write them.
    package static let refused = Kind(rawValue: "refused")
    /// A request for an invitation, or an approval, with which the sync could not go on.
    package static let invitation = Kind(rawValue: "invitation")
    /// This machine's store was damaged.
    package static let store = Kind(rawValue: "store")
  }

  package let kind: Kind
  /// A line for people.
  package let message: String

  package init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }
}
