internal import CofferSystem
internal import CofferVault

/// How far a sync is that the page has started.
struct SyncProgress: Sendable {
  /// The largest number of lines that are kept.
  static let maximumLineCount = 200

  /// Whether `coffer-sync` runs.
  var isRunning = false
  /// Whether it was asked to end.
  var isCancelled = false
  /// The phases of this round, each with its last numbers, in their order. The last one goes on.
  private(set) var phases: [SyncStep] = []
  /// How often it has asked the remote again.
  private(set) var repetitionCount = 0
  /// What it has said so far: its last lines.
  private(set) var lines: [String] = []
  /// How it ended; nil if none has ended yet.
  var end: End?

  /// How a sync ended.
  enum End: Sendable {
    case done(SyncReport)
    case failed(VaultError)
    case cancelled
  }

  /// Adds a step. A sync goes back to an earlier phase if another machine has pushed in the meantime, or has begun another
  /// epoch.
  mutating func add(_ step: SyncStep) {
    if step.step == .connecting, !phases.isEmpty, phases.last?.step != .connecting { repetitionCount += 1 }
    phases.removeAll { $0.step.order >= step.step.order }
    phases.append(step)
  }

  /// Adds a line for people.
  mutating func add(_ line: String) {
    lines.append(line.sanitizedForTerminal(limit: .max))
    if lines.count > Self.maximumLineCount { lines.removeFirst() }
  }
}

extension SyncStep.Kind {
  /// The place of the phase in a sync.
  fileprivate var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
