internal import Coffer
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
    do throws(VaultError) {
      end = .done(
        try process.sync { [self] step in
          state.withLock { $0.progress.add(step) }
        } message: { [self] line in
          state.withLock { $0.progress.add(line) }
        })
    } catch {
      end = error.code == .cancelled ? .cancelled : .failed(error)
    }
    state.withLock { state in
      if case .done(let report) = end { for line in report.summary { state.progress.add(line) } }
      state.progress.isRunning = false
      state.progress.end = end
      state.process = nil
    }
  }
}
