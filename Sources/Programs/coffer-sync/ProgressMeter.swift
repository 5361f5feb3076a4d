internal import CofferGit
internal import CofferVault
internal import Foundation

/// Shows the progress of a sync on standard error: in one line of the terminal after the first second or, for programs,
/// as lines of JSON. Shows nothing if standard error is no terminal and no program has asked for it.
final class ProgressMeter {
  private let printsJSON: Bool
  private let start = ContinuousClock.now
  private var shown = ContinuousClock.now
  private var last: SyncStep?
  private var isVisible = false

  /// - Parameter printsJSON: Whether to print lines of JSON.
  init(printsJSON: Bool = false) { self.printsJSON = printsJSON }

  /// Shows a step of a sync.
  func show(_ step: SyncStep) {
    guard printsJSON else { return showLine(for: step) }
    let isEnd = step.total > 0 && step.done == step.total
    guard step != last, step.step != last?.step || isEnd || isDue() else { return }
    last = step
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    if let line = try? encoder.encode(step) { put(String(decoding: line, as: UTF8.self) + "\n") }
  }

  /// Shows the progress of a download in one line.
  func show(_ progress: TransferProgress) {
    let bytes = progress.receivedBytes.formatted(.byteCount(style: .file))
    showLine("receiving \(progress.receivedObjects) of \(progress.totalObjects) objects, \(bytes)")
  }

  /// Shows in one line that an answer is awaited.
  func show(waiting remaining: Duration) {
    let seconds = remaining.components.seconds
    let time = seconds >= 120 ? "\(seconds / 60) minutes" : "\(seconds) seconds"
    showLine("waiting for the approval, up to \(time) more (Ctrl-C: wait later)")
  }

  private func showLine(for step: SyncStep) {
    guard step.total > 0 else { return }
    switch step.step {
    case .receiving: showLine("receiving \(step.done) of \(step.total) objects")
    case .importing: showLine("importing \(step.done) of \(step.total) files of other machines")
    case .connecting, .sending: break
    }
  }

  private func showLine(_ line: @autoclosure () -> String) {
    guard ContinuousClock.now - start > .seconds(1), isDue(), isatty(STDERR_FILENO) == 1 else { return }
    isVisible = true
    put("\r\(line())\u{1B}[K")
  }

  /// Whether the last output was long enough ago: there are at most ten each second.
  private func isDue() -> Bool {
    let now = ContinuousClock.now
    guard now - shown > .milliseconds(100) else { return false }
    shown = now
    return true
  }

  /// Clears the line.
  func finish() {
    if isVisible { put("\r\u{1B}[K") }
    isVisible = false
  }

  private func put(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
