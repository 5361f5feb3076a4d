internal import CofferExchange
internal import CofferGit
internal import CofferPlatform
internal import CofferSystem
internal import CofferVault
internal import Synchronization
internal import Dispatch

/// Shows the progress of a sync on standard error: in one line of the terminal after the first second or, for programs,
/// as lines of JSON. Shows nothing if standard error is no terminal and no program has asked for it.
final class ProgressMeter: Sendable {
  private struct State {
    var shown = ContinuousClock.now
    var last: SyncStep?
    var isVisible = false
    /// The line of the first second; nil if it is not shown any more, or not yet known.
    var first: String?
    var isScheduled = false
  }

  private let printsJSON: Bool
  private let start = ContinuousClock.now
  private let state = Mutex(State())

  init(printsJSON: Bool = false) { self.printsJSON = printsJSON }

  func show(_ step: SyncStep) {
    state.withLock { state in
      guard printsJSON else { return showLine(Self.line(for: step), &state) }
      let isEnd = step.total > 0 && step.done == step.total
      guard step != state.last, step.step != state.last?.step || isEnd || Self.isDue(&state) else { return }
      state.last = step
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      if let line = try? encoder.encode(step) { Self.put(String(decoding: line, as: UTF8.self) + "\n") }
    }
  }

  /// Shows the progress of a download in one line.
  func show(_ progress: TransferProgress) { show(SyncStep(progress)) }

  /// Shows a phase of a backup in one line, and how much of it is done; both numbers are 0 if that is not known.
  func show(_ phase: String, _ done: Int, _ total: Int) {
    state.withLock { showLine(total > 0 ? "\(phase): \(done) of \(total) objects" : phase, &$0) }
  }

  /// Shows in one line that an answer is awaited.
  func show(waiting remaining: Duration) {
    let seconds = remaining.components.seconds
    let time = seconds >= 120 ? "\(seconds / 60) minutes" : "\(seconds) seconds"
    state.withLock { showLine("waiting for the approval, up to \(time) more (Ctrl-C: wait later)", &$0) }
  }

  /// Returns the line for a step: its phase, how much of it is done, and the bytes.
  static func line(for step: SyncStep) -> String { step.words(withBar: bar(for: step)) }

  /// Returns a bar; empty if it is not known how much is done.
  private static func bar(for step: SyncStep) -> String {
    guard step.total > 0 else { return "" }
    let width = 20
    let filled = min(max(step.done, 0), step.total) * width / step.total
    return "[" + String(repeating: "#", count: filled) + String(repeating: "-", count: width - filled) + "] "
  }

  private func showLine(_ line: @autoclosure () -> String, _ state: inout State) {
    guard ContinuousClock.now - start > .seconds(1) else {
      state.first = line()
      if !state.isScheduled { Self.queue.asyncAfter(deadline: .now() + 1.1) { [weak self] in self?.showFirst() } }
      state.isScheduled = true
      return
    }
    guard Self.isDue(&state), let window = TerminalWindow.find(on: STDERR_FILENO)
    else { return }
    state.isVisible = true
    // A line that wraps could not be replaced by the next one.
    let text = window.columns > 1 ? String(line().prefix(window.columns - 1)) : line()
    Self.put("\r\(text)\u{1B}[K")
  }

  private static let queue = DispatchQueue.serial("progress")

  /// Shows the step that has begun in the first second and lasts: a remote may not answer.
  private func showFirst() {
    state.withLock { state in
      guard let line = state.first, !state.isVisible else { return }
      showLine(line, &state)
    }
  }

  /// Whether the last output was long enough ago: there are at most ten each second.
  private static func isDue(_ state: inout State) -> Bool {
    let now = ContinuousClock.now
    guard now - state.shown > .milliseconds(100) else { return false }
    state.shown = now
    return true
  }

  /// Clears the line.
  func finish() {
    state.withLock { state in
      if state.isVisible { Self.put("\r\u{1B}[K") }
      state.isVisible = false
      state.first = nil
    }
  }

  // Whoever reads it may be gone, and the sync goes on.
  private static func put(_ text: String) { StandardError.write(text) }
}
