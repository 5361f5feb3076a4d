internal import CofferPlatform
internal import CofferVault

/// Shows the progress of long work in one line of the terminal. Shows nothing if standard error is no terminal, and nothing
/// in the first second.
final class CountMeter {
  private let start = ContinuousClock.now
  private var shown = ContinuousClock.now
  private var isVisible = false
  private let verb: String
  private let noun: String

  /// Takes what is done and to what, such as "checking" and "objects".
  init(_ verb: String, _ noun: String) {
    self.verb = verb
    self.noun = noun
  }

  /// Shows the progress, at most ten times a second. The total is nil if it is not known.
  func show(_ done: Int, of total: Int?) {
    let now = ContinuousClock.now
    guard now - start > .seconds(1), now - shown > .milliseconds(100), isatty(STDERR_FILENO) == 1 else { return }
    shown = now
    isVisible = true
    StandardError.write("\r\(verb) \(done)\(total.map { " of \($0)" } ?? "") \(noun)\u{1B}[K")
  }

  /// Clears the line.
  func finish() {
    if isVisible { StandardError.write("\r\u{1B}[K") }
    isVisible = false
  }
}
