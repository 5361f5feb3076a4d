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

  /// Returns what a person answers, who is not asked again at once. Waits for the answer for a minute, after other questions.
  func ask(about program: DesktopProgram, isCancelled: @escaping @Sendable () -> Bool = { false })
    -> DesktopQuestion.Answer
  {
    answers.withLock { answers -> DesktopQuestion.Answer in
      answers = answers.filter { $0.value.end > .now }
      if let known = answers[program] { return known.isAllowed ? .agreed : .refused }
      let answer = DesktopQuestion(Self.text(for: program), confirmTitle: "Give").ask(isCancelled: isCancelled)
      if answer == .agreed || answer == .refused {
        let isAllowed = answer == .agreed
        answers[program] = Answer(
          isAllowed: isAllowed, end: .now + (isAllowed ? Self.allowedTime : Self.refusalTime))
      }
      return answer
    }
  }

  private static func text(for program: DesktopProgram) -> String {
    "Give \(program.words.sanitizedForTerminal(limit: 120)) a collection of its own in Coffer? "
      + "It then keeps its passwords there, and reads no others."
  }
}
