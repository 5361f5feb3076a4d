internal import CofferVault

extension SyncResult {
  /// Something that is wrong with the remote, or with this machine's store. Its description is a line for people.
  public struct Problem: Hashable, Sendable, CustomStringConvertible {
    /// What an app can tell apart. The set grows: switch over it with a default.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
      /// The kind's name, as `coffer sync --json` prints it.
      public let description: String

      init(_ kind: SyncProblem.Kind) { description = kind.rawValue }

      /// The remote lacks objects that it had, or that other machines have seen there. What this machine has of them is
      /// sent again, unless the description says that nothing is sent.
      public static let missing = Kind(.missing)
      /// The remote has objects that cannot be used, because they are damaged or planted. They are ignored.
      public static let unusable = Kind(.unusable)
      /// The remote was set back, or shows machines different contents; or a machine was copied, or the log has forked.
      public static let contradiction = Kind(.contradiction)
      /// Something was written by somebody who must not write it. It does not count.
      public static let refused = Kind(.refused)
      /// A request for an invitation, or its approval, could not be dealt with.
      public static let invitation = Kind(.invitation)
      /// This machine's store was damaged, and is repaired as far as the remote allows.
      public static let store = Kind(.store)
    }

    /// The kind of the problem.
    public let kind: Kind
    /// The problem, a line in English, with the remote's URL or path, without a password.
    public let description: String

    init(_ problem: SyncProblem) {
      kind = Kind(problem.kind)
      description = problem.message
    }
  }
}
