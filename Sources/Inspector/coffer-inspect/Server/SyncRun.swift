internal import Coffer
internal import CofferSystem
internal import CofferVault
internal import Dispatch
internal import Synchronization

/// Runs `coffer-sync`, one at a time.
final class SyncRun: Sendable {
  private struct State {
    var progress = SyncProgress()
    /// The run; nil if none goes on.
    var process: SyncProcess?
    /// What the last run has named and no page has shown.
    var unread: [SyncProblem] = []
  }

  private let folder: VaultFolder
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "Coffer inspector sync", qos: .userInitiated)

  /// Creates a run of syncs of a vault. None starts.
  init(_ folder: VaultFolder) { self.folder = folder }

  /// How far the current sync is, or how the last one ended.
  var progress: SyncProgress { state.withLock { $0.progress } }

  /// Returns the progress for a page that lists its problems, and marks these as read, once: a later sync may find the
  /// same again.
  func progressForReader() -> SyncProgress {
    let (progress, unread) = state.withLock { state in
      defer { state.unread = [] }
      return (state.progress, state.unread)
    }
    // If that fails, the next sync names them again.
    if !unread.isEmpty { try? LocalVault.open(folder).markRead(unread) }
    return progress
  }

  /// Starts a sync, unless one runs.
  func start() throws(VaultError) {
    _ = try SiblingProgram.locate(SyncProcess.program)
    let process = try SyncProcess.prepareSync(of: folder, showsProgress: true)
    let isFirst = state.withLock { state in
      guard !state.progress.isRunning else { return false }
      state = State(progress: SyncProgress(isRunning: true), process: process)
      return true
    }
    guard isFirst else { return }
    queue.async { [self] in run(process) }
  }

  /// Ends the sync that runs, if one does. What has arrived is kept.
  func cancel() {
    let process = state.withLock { state in
      state.progress.isCancelled = state.progress.isRunning
      return state.process
    }
    process?.cancel()
  }

  private func run(_ process: SyncProcess) {
    let end: SyncProgress.End
    let problems: [SyncProblem]
    do throws(VaultError) {
      let report = try process.sync { [self] step in
        state.withLock { $0.progress.add(step) }
      } message: { [self] line in
        state.withLock { $0.progress.add(line) }
      }
      (end, problems) = (.done(report), report.problems)
    } catch {
      end = error.code == .cancelled ? .cancelled : .failed(error)
      problems = (try? LocalVault.open(folder).unreadProblems().problems) ?? []
    }
    state.withLock { state in
      if case .done(let report) = end { for line in report.summary { state.progress.add(line) } }
      state.progress.isRunning = false
      state.progress.end = end
      state.progress.problems = problems
      state.unread = problems
      state.process = nil
    }
  }
}

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
  /// What it has found and, at any end, what earlier ones have found and nobody has read.
  var problems: [SyncProblem] = []

  /// How a sync ended.
  enum End: Sendable {
    case done(SyncReport)
    case failed(VaultError)
    case cancelled
  }

  /// Adds a step. A sync goes back to an earlier phase if another machine has pushed in the meantime, or has begun
  /// another epoch.
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
