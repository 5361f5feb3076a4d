internal import CofferPrompt
internal import CofferSystem
internal import CofferVault
internal import Synchronization

/// Asks a person, in a window of the desktop, whether a program in a sandbox gets a collection of its own. A question
/// that nobody answers, or that no program can show, is refused: such a program never gets the collection of the
/// others.
final class CollectionQuestion: Sendable {
  /// What a person has answered about a program. Held while one is asked, so that calls which wait get the answer of
  /// the first.
  private let answers = Mutex<[DesktopProgram: (isAllowed: Bool, end: ContinuousClock.Instant)]>([:])

  /// For how long a program that was refused is not asked for again.
  private static let refusalTime = Duration.seconds(600)
  /// For how long an answer counts for calls that have waited for it. A collection that was removed needs another
  /// answer.
  private static let allowedTime = Duration.seconds(60)

  static let shared = CollectionQuestion()

  /// Returns what a person answers, who is not asked again at once. Waits for the answer for a minute, after other
  /// questions.
  func ask(about program: DesktopProgram, isCancelled: @escaping @Sendable () -> Bool = { false })
    -> DesktopQuestion.Answer
  {
    answers.withLock { answers -> DesktopQuestion.Answer in
      answers = answers.filter { $0.value.end > .now }
      if let known = answers[program] { return known.isAllowed ? .agreed : .refused }
      let answer = DesktopQuestion(Self.lines(for: program)).ask(isCancelled: isCancelled)
      if answer == .agreed || answer == .refused {
        let isAllowed = answer == .agreed
        answers[program] = (isAllowed, .now + (isAllowed ? Self.allowedTime : Self.refusalTime))
      }
      return answer
    }
  }

  private static func lines(for program: DesktopProgram) -> [String] {
    [
      "Allow \(program.words.sanitizedForTerminal(limit: 120)) a collection of its own in Coffer on \(machineName)?",
      "It then keeps its passwords there, and reads no others.",
    ]
  }
}

/// Which programs outside of a sandbox a person has allowed, if the service was told to ask (`--ask`).
///
/// A program is known by the path of its file, which another program of the user can take. So the question keeps honest
/// programs apart, and shows a person who asks; it proves nothing.
final class ProgramLeases: Sendable {
  /// Until when an answer counts.
  private let answers = Mutex<[String: (isAllowed: Bool, end: ContinuousClock.Instant)]>([:])
  private let leaseTime: Duration

  /// For how long a program that was refused is not asked for again.
  private static let refusalTime = Duration.seconds(60)

  init(leaseTime: Duration = .seconds(3_600)) { self.leaseTime = leaseTime }

  /// Returns the answer that still counts for a program; nil if a person has to be asked.
  func answer(for path: String) -> Bool? {
    answers.withLock { answers in
      answers = answers.filter { $0.value.end > .now }
      return answers[path]?.isAllowed
    }
  }

  /// Returns whether a program may go on, by an earlier answer or that of a person. Waits for the answer for a minute,
  /// after other questions; if no window can be shown, the program may not.
  func ask(about path: String, isCancelled: @escaping @Sendable () -> Bool = { false }) -> Bool {
    if let answer = answer(for: path) { return answer }
    let answer = DesktopQuestion(lines(about: path)).ask(isCancelled: isCancelled)
    if answer == .agreed || answer == .refused {
      let isAllowed = answer == .agreed
      let end = ContinuousClock.now + (isAllowed ? leaseTime : Self.refusalTime)
      answers.withLock { $0[path] = (isAllowed, end) }
    }
    return answer == .agreed
  }

  private func lines(about path: String) -> [String] {
    let time = counted(seconds: Int(leaseTime.components.seconds))
    return [
      "Allow \(path.sanitizedForTerminal(limit: 120)) to use passwords of desktop programs for \(time)?",
      "Asked on \(machineName)",
    ]
  }
}

/// The name of this machine in the user's own vault, for questions about no vault.
private var machineName: String {
  (try? LocalVault.open(VaultFolder(.standard())))?.machineName ?? "this machine"
}
