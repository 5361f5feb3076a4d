internal import Coffer
internal import CofferPlatform
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
  }

  private let folder: VaultFolder
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "Coffer inspector sync", qos: .userInitiated)

  /// Creates a run of syncs of a vault. None starts.
  init(_ folder: VaultFolder) { self.folder = folder }

  /// How far the current sync is, or how the last one ended.
  var progress: SyncProgress { state.withLock { $0.progress } }

  /// Starts a sync, unless one runs.
  func start() throws(VaultError) {
    _ = try SiblingProgram.locate(SyncProcess.program)
    let process = try SyncProcess.prepare(["sync", "--json", "--progress", "--vault", folder.path])
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
    do throws(VaultError) {
      end = Self.end(of: try process.run { [self] line in append(line) })
    } catch {
      end = .failed(error)
    }
    state.withLock { state in
      if case .done(let report) = end { for line in report.summary { state.progress.add(line) } }
      state.progress.isRunning = false
      state.progress.end = end
      state.process = nil
    }
  }

  /// Reads the answer of a sync. It may have been done before it was cancelled.
  private static func end(of outcome: SyncProcess.Outcome) -> SyncProgress.End {
    let output = Data(outcome.output)
    if let report = try? JSONDecoder().decode(SyncReport.self, from: output) { return .done(report) }
    if outcome.isCancelled { return .cancelled }
    if let failure = try? JSONDecoder().decode(SyncError.self, from: output) { return .failed(failure.error.error) }
    return .failed(
      VaultError(.io, "coffer-sync was interrupted", recoverySuggestion: "sync again: what has arrived is kept"))
  }

  private func append(_ line: String) {
    let step = line.hasPrefix("{") ? try? JSONDecoder().decode(SyncStep.self, from: Data(line.utf8)) : nil
    state.withLock { state in
      if let step {
        state.progress.add(step)
      } else {
        state.progress.add(line)
      }
    }
  }
}
