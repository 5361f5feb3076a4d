internal import CofferPlatform
internal import CofferVault

/// Shows the progress of a check in one line of the terminal. Shows nothing if standard error is no terminal, and
/// nothing in the first second.
final class CheckMeter {
  private let start = ContinuousClock.now
  private var shown = ContinuousClock.now
  private var isVisible = false

  /// Shows the progress, at most ten times a second.
  func show(_ done: Int, of total: Int) {
    let now = ContinuousClock.now
    guard now - start > .seconds(1), now - shown > .milliseconds(100), isatty(STDERR_FILENO) == 1 else { return }
    shown = now
    isVisible = true
    StandardError.write("\rchecking \(done) of \(total) objects\u{1B}[K")
  }

  /// Clears the line.
  func finish() {
    if isVisible { StandardError.write("\r\u{1B}[K") }
    isVisible = false
  }

}
