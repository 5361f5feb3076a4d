public import CofferPlatform
internal import CofferVault

/// What a sync has done.
public struct SyncResult: Hashable, Sendable {
  /// The remote's URL or path, without a password.
  public let remote: String
  /// The number of item versions that arrived from other machines.
  public let receivedCount: Int
  /// The number of item versions of this machine that were sent.
  public let sentCount: Int
  /// The number of items of the vault that were changed on two machines at once, and have both versions.
  /// `Vault.conflicts` lists those of the app.
  public let conflictCount: Int
  /// The number of item versions that do not count, or not yet, because the log does not let their author write them.
  public let unadmittedCount: Int
  /// How often the sync began again because another machine had pushed in the meantime.
  public let retryCount: Int
  /// The number of bytes that were received, with those of git's protocol.
  public let receivedByteCount: Int
  /// The number of bytes that were sent, with those of git's protocol.
  public let sentByteCount: Int
  /// How long the sync took, with the wait for another one of the same vault.
  public let duration: Duration
  /// What is wrong with the remote and with this machine's store. Empty if nothing is. The rest of the sync was done.
  /// What earlier syncs have found is among it until a person has read it: in the output of `coffer sync`, or in its
  /// pages.
  public let problems: [Problem]

  init(_ report: SyncReport) {
    remote = report.remote
    receivedCount = report.recordsReceived
    sentCount = report.recordsSent
    conflictCount = report.conflictCount
    unadmittedCount = report.pendingRecords + report.refusedRecords
    retryCount = report.retryCount
    receivedByteCount = report.bytesReceived
    sentByteCount = report.bytesSent
    duration = report.duration
    problems = report.problems.map(Problem.init)
  }
}

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
    /// When an earlier sync has found it; nil if this one has. The description has the time, too.
    public let found: Date?

    init(_ problem: SyncProblem) {
      kind = Kind(problem.kind)
      found = problem.found
      description = problem.line
    }
  }
}

/// How far a sync is.
public struct SyncProgress: Hashable, Sendable {
  /// What a sync does. The set grows: switch over it with a default.
  public struct Phase: Hashable, Sendable, CustomStringConvertible {
    /// The phase's name, as `coffer sync --progress` prints it.
    public let description: String

    private init(_ kind: SyncStep.Kind) { description = kind.rawValue }

    /// It asks the remote what has changed.
    public static let connecting = Phase(.connecting)
    /// Objects arrive.
    public static let receiving = Phase(.receiving)
    /// Changes of other machines are verified and stored.
    public static let importing = Phase(.importing)
    /// This machine's changes are sent.
    public static let sending = Phase(.sending)

    init(of step: SyncStep) { self.init(step.step) }
  }

  /// What the sync does now. The phases begin again if another machine has pushed in the meantime.
  public let phase: Phase
  /// How many of the ``total`` objects have arrived, or files are imported or sent; 0 if that is not known.
  public let completed: Int
  /// The number of objects that arrive, or of files that are imported or sent; 0 if that is not known.
  public let total: Int
  /// The number of bytes that have arrived or were sent in this phase.
  public let byteCount: Int

  init(_ step: SyncStep) {
    phase = Phase(of: step)
    completed = step.done
    total = step.total
    byteCount = step.bytes
  }
}
