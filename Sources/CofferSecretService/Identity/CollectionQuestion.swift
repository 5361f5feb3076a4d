internal import CofferPrompt
internal import CofferSystem
internal import CofferVault
internal import Synchronization

/// Asks a person, in a window of the desktop, whether a program in a sandbox gets a collection of its own. A question that nobody
/// answers, or that no program can show, is refused: such a program never gets the collection of the others.
final class CollectionQuestion: Sendable {
  /// When a program was refused.
  private let refusals = Mutex<[DesktopProgram: ContinuousClock.Instant]>([:])

  /// For how long a program that was refused is not asked for again.
  private static let refusalTime = Duration.seconds(600)

  static let shared = CollectionQuestion()

  /// Returns whether a person gives the program a collection. Waits for the answer for a minute at most.
  func isAllowed(
    _ program: DesktopProgram, isCancelled: @escaping @Sendable () -> Bool = { false }
  ) -> Bool {
    let now = ContinuousClock.now
    let wasRefused = refusals.withLock { refusals in
      refusals = refusals.filter { $0.value + Self.refusalTime > now }
      return refusals[program] != nil
    }
    guard !wasRefused else { return false }
    let isAllowed = DesktopQuestion(Self.text(for: program), confirmTitle: "Give").ask(isCancelled: isCancelled)
    // Without a window, nobody has refused.
    if isAllowed == false, !isCancelled() { refusals.withLock { $0[program] = .now } }
    return isAllowed == true
  }

  static func text(for program: DesktopProgram) -> String {
    "Give \(program.words.sanitizedForTerminal(limit: 120)) a collection of its own in Coffer? "
      + "It then keeps its passwords there, and reads no others."
  }
}
