internal import Coffer
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault
internal import Dispatch
internal import Foundation
internal import Synchronization

/// How far a sync is that the page has started.
struct SyncProgress: Sendable {
  /// Whether `coffer-sync` runs.
  var isRunning = false
  /// How far it is; nil if that is not known yet.
  var step: SyncStep?
  /// What it has said so far: its last lines.
  var lines: [String] = []
  /// How it ended; nil if none has ended yet, or if it was killed.
  var exitCode: Int32?
}

/// Runs `coffer-sync`, one at a time.
final class SyncRun: Sendable {
  /// How many lines are kept.
  static let maximumLineCount = 200

  private let folder: VaultFolder
  private let state = Mutex(SyncProgress())
  private let queue = DispatchQueue(label: "Coffer inspector sync", qos: .userInitiated)

  /// Creates a run of syncs of a vault. None starts.
  init(_ folder: VaultFolder) { self.folder = folder }

  /// What the current or last sync has said.
  var progress: SyncProgress { state.withLock { $0 } }

  /// Starts a sync, unless one runs.
  ///
  /// - Throws: `VaultError` if the program `coffer-sync` is missing.
  func start() throws(VaultError) {
    _ = try SiblingProgram.locate(SyncProcess.program)
    let process = try SyncProcess.prepare(["sync", "--progress", "--vault", folder.path], mergesOutput: true)
    let isFirst = state.withLock { progress in
      guard !progress.isRunning else { return false }
      progress = SyncProgress(isRunning: true)
      return true
    }
    guard isFirst else { return }
    queue.async { [self] in run(process) }
  }

  private func run(_ process: SyncProcess) {
    do throws(VaultError) {
      let outcome = try process.run { [self] line in append(line) }
      state.withLock { progress in
        progress.isRunning = false
        if case .code(let code) = outcome.exit { progress.exitCode = code }
      }
    } catch {
      state.withLock { progress in
        progress.isRunning = false
        progress.lines.append("coffer: \(error)")
        progress.exitCode = 1
      }
    }
  }

  private func append(_ line: String) {
    if line.hasPrefix("{"), let step = try? JSONDecoder().decode(SyncStep.self, from: Data(line.utf8)) {
      return state.withLock { $0.step = step }
    }
    state.withLock { progress in
      progress.lines.append(line.sanitizedForTerminal(limit: .max))
      if progress.lines.count > Self.maximumLineCount { progress.lines.removeFirst() }
    }
  }
}
