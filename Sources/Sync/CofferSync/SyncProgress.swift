internal import CofferVault

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
