internal import CofferPrompt
internal import CofferSystem
internal import CofferVault
internal import Synchronization

/// Asks a person, in a window of the desktop, whether a program in a sandbox gets a collection of its own. A question that nobody
/// answers, or that no program can show, is refused: such a program never gets the collection of the others.
final class CollectionQuestion: Sendable {
  private struct Answer {
    let isAllowed: Bool
    let end: ContinuousClock.Instant
  }

  /// What a person has answered about a program. Held while one is asked, so that calls which wait get the answer of the first.
  private let answers = Mutex<[DesktopProgram: Answer]>([:])

  /// For how long a program that was refused is not asked for again.
  private static let refusalTime = Duration.seconds(600)
  /// For how long an answer counts for calls that have waited for it. A collection that was removed needs another answer.
  private static let allowedTime = Duration.seconds(60)

  static let shared = CollectionQuestion()

  /// Returns whether a person gives the program a collection; nil if no window could be shown. Waits for the answer for a minute at
  /// most.
  func isAllowed(_ program: DesktopProgram, isCancelled: @escaping @Sendable () -> Bool = { false }) -> Bool? {
    answers.withLock { answers -> Bool? in
      answers = answers.filter { $0.value.end > .now }
      if let known = answers[program] { return known.isAllowed }
      let isAllowed = DesktopQuestion(Self.text(for: program), confirmTitle: "Give").ask(isCancelled: isCancelled)
      // Without a window, or if nobody waits any more, nobody has answered.
      guard let isAllowed, !isCancelled() else { return isAllowed }
      answers[program] = Answer(
        isAllowed: isAllowed, end: .now + (isAllowed ? Self.allowedTime : Self.refusalTime))
      return isAllowed
    }
  }

  private static func text(for program: DesktopProgram) -> String {
    "Give \(program.words.sanitizedForTerminal(limit: 120)) a collection of its own in Coffer? "
      + "It then keeps its passwords there, and reads no others."
  }
}
