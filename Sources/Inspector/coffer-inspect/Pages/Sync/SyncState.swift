internal import CofferSystem
internal import CofferVault

/// How far a sync is, in words, for the page and for its script.
struct SyncState: Encodable, Sendable {
  /// A phase of the sync.
  struct Phase: Encodable, Sendable {
    /// What has become of a phase.
    enum State: String, Encodable, Sendable { case waiting, current, stopped, done, absent }

    /// The name, as `coffer sync --progress` prints it.
    let name: String
    let state: State
    /// What it does, with the numbers.
    let words: String
    /// The state in words; empty for a phase that is to come.
    let stateWords: String
  }

  let isRunning: Bool
  let isCancelled: Bool
  /// All phases in their order; empty before the first sync.
  let phases: [Phase]
  /// How often the sync has asked the remote again, as a sentence; empty if it has not.
  let repetition: String
  let lines: [String]
  /// What is the case, as a sentence.
  let message: String
  /// How much of the phase is done, if that is known; both are 0 otherwise.
  let done: Int
  let total: Int

  init(_ progress: SyncProgress) {
    isRunning = progress.isRunning
    isCancelled = progress.isCancelled
    lines = progress.lines
    // The numbers come from a remote, too.
    let current = progress.phases.last
    total = max(current?.total ?? 0, 0)
    done = min(max(current?.done ?? 0, 0), total)
    message = Self.message(of: progress)
    repetition =
      progress.repetitionCount == 0 ? "" : "It has begun again \(counted(progress.repetitionCount, "time"))."
    phases =
      progress.isRunning || progress.end != nil ? SyncStep.Kind.allCases.map { Self.phase($0, in: progress) } : []
  }

  private static func phase(_ kind: SyncStep.Kind, in progress: SyncProgress) -> Phase {
    let step = progress.phases.first { $0.step == kind }
    let isLast = step != nil && step == progress.phases.last
    let state: Phase.State
    switch progress.end {
    case nil: state = step == nil ? .waiting : isLast ? .current : .done
    case .done?: state = step == nil ? .absent : .done
    case .failed?, .cancelled?: state = step == nil ? .waiting : isLast ? .stopped : .done
    }
    let words =
      switch state {
      case .waiting: ""
      case .current: "now"
      case .stopped: "stopped here"
      case .done: "done"
      case .absent: "nothing to do"
      }
    return Phase(
      name: kind.rawValue, state: state, words: (step?.words() ?? SyncStep(kind).words()).startingSentence,
      stateWords: words)
  }

  /// What a sync does, or how it ended. Without the numbers, which would be read aloud at each change.
  private static func message(of progress: SyncProgress) -> String {
    guard !progress.isRunning else {
      if progress.isCancelled { return "The sync is being cancelled." }
      return switch progress.phases.last?.step {
      case .connecting: "A sync is running: it asks the remote for changes."
      case .receiving: "A sync is running: it receives changes of other machines."
      case .importing: "A sync is running: it verifies and stores what it has received."
      case .sending: "A sync is running: it sends the changes of this machine."
      case nil: "A sync is running."
      }
    }
    return switch progress.end {
    case .done(let report):
      report.problems.isEmpty
        ? "The sync is complete." : "The sync is complete, with \(counted(report.problems.count, "problem"))."
    case .failed: "The sync failed."
    case .cancelled: "The sync was cancelled."
    case nil: ""
    }
  }
}
