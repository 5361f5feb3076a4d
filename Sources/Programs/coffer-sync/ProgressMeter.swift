internal import CofferGit
internal import Foundation

/// How far a fetch has come, on one line of the terminal; silent where there is none, and for short work.
final class ProgressMeter {
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private let begun = ContinuousClock.now
  private var shown = ContinuousClock.now
  private var isVisible = false

  /// Takes in how far the fetch is; draws at most ten times a second.
  func show(_ progress: TransferProgress) {
    let now = ContinuousClock.now
    guard isTerminal, now - begun > .seconds(1), now - shown > .milliseconds(100) else { return }
    shown = now
    isVisible = true
    let bytes = progress.receivedBytes.formatted(.byteCount(style: .file))
    put("\rreceiving \(progress.receivedObjects) of \(progress.totalObjects) objects, \(bytes)\u{1B}[K")
  }

  /// Wipes the line.
  func finish() {
    if isVisible { put("\r\u{1B}[K") }
    isVisible = false
  }

  private func put(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
