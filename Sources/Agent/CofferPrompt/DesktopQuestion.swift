internal import Synchronization

/// A question whether a program may do something, in a window of the desktop. Not on a terminal, neither that of this process nor
/// the program's: a program that owns the terminal could answer itself.
package struct DesktopQuestion: Sendable {
  package enum Answer: Hashable, Sendable {
    case agreed
    /// A person has refused, or has closed the window.
    case refused
    /// Nobody has answered within a minute, or waits for the answer any more.
    case unanswered
    /// No window could be shown.
    case unavailable
  }

  package let text: String
  package let confirmTitle: String

  /// One window at a time.
  private static let turn = Mutex(())
  private static let timeout = Duration.seconds(60)

  package init(_ text: String, confirmTitle: String) {
    self.text = text
    self.confirmTitle = confirmTitle
  }

  /// Asks, after all questions that were asked before.
  package func ask(isCancelled: @escaping @Sendable () -> Bool) -> Answer {
    var dialog = PinentryDialog(description: text, confirmTitle: confirmTitle, cancelTitle: "Refuse")
    DialogProgram.prepare(&dialog)
    return Self.turn.withLock { _ -> Answer in
      // From here on, a person sees it.
      let start = ContinuousClock.now
      let isOver: @Sendable () -> Bool = { isCancelled() || ContinuousClock.now > start + Self.timeout }
      guard !isOver() else { return .unanswered }
      return switch dialog.confirmation(with: DialogProgram.paths, isCancelled: isOver) {
      case .answered: .agreed
      case .cancelled: isOver() ? .unanswered : .refused
      case .unavailable: .unavailable
      }
    }
  }
}
