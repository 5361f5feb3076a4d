internal import Synchronization

/// A question whether a program may do something, in a window of the desktop. Not on a terminal, neither that of this process nor
/// the program's: a program that owns the terminal could answer itself.
package struct DesktopQuestion: Sendable {
  package let text: String
  package let confirmTitle: String

  /// One window at a time.
  private static let turn = Mutex(())
  private static let timeout = Duration.seconds(60)

  package init(_ text: String, confirmTitle: String) {
    self.text = text
    self.confirmTitle = confirmTitle
  }

  /// Returns whether a person agrees: false also if nobody answers within a minute, and nil if no window could be shown.
  package func ask(isCancelled: @escaping @Sendable () -> Bool) -> Bool? {
    let start = ContinuousClock.now
    let isOver: @Sendable () -> Bool = { isCancelled() || ContinuousClock.now > start + Self.timeout }
    var dialog = PinentryDialog(description: text, confirmTitle: confirmTitle, cancelTitle: "Refuse")
    dialog.environment = DialogProgram.environment
    dialog.usesTerminal = false
    return Self.turn.withLock { _ -> Bool? in
      guard !isOver() else { return false }
      return switch dialog.confirmation(with: DialogProgram.paths, isCancelled: isOver) {
      case .answered: true
      case .cancelled: false
      case .unavailable: nil
      }
    }
  }
}
