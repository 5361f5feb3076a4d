internal import CofferPlatform
internal import CofferSystem
internal import Synchronization

/// Which questions wait for a person, and which were refused lately: a program cannot wear a person out, nor hide a question
/// behind many others.
final class LeaseQuestions: Sendable {
  private struct State {
    /// The tops of the process trees that wait.
    var waiting: [ProcessLineage.Member] = []
    var refusals: [(root: ProcessLineage.Member, time: ContinuousClock.Instant)] = []
  }

  private let state = Mutex(State())

  /// How many questions of one process tree, and of all of them, wait at once.
  private static let (treeLimit, limit) = (2, 8)
  /// For how long a process tree that was refused is not asked for again.
  private static let refusalTime = Duration.seconds(30)
  /// After this many refusals within a minute, nobody is asked for any tree: a program can begin new ones.
  private static let refusalLimit = 5
  private static let minute = Duration.seconds(60)

  /// Calls `ask`, which returns false if a person has refused, and nil if no person has answered. Nil if none is asked,
  /// because too many questions wait, or because one was refused a moment ago.
  func pose<Answer>(of lineage: ProcessLineage, _ ask: () -> (answer: Answer, isRefused: Bool)) -> Answer? {
    let root = lineage.root
    let isAdmitted = state.withLock { state in
      let now = ContinuousClock.now
      state.refusals.removeAll { $0.time + Self.minute < now }
      guard state.refusals.count < Self.refusalLimit,
        !state.refusals.contains(where: { $0.time + Self.refusalTime > now && lineage.isBelow($0.root) }),
        state.waiting.count < Self.limit, state.waiting.count(where: { $0.isSame(as: root) }) < Self.treeLimit
      else { return false }
      state.waiting.append(root)
      return true
    }
    guard isAdmitted else { return nil }
    let (answer, isRefused) = ask()
    state.withLock { state in
      if let place = state.waiting.firstIndex(where: { $0.isSame(as: root) }) { state.waiting.remove(at: place) }
      if isRefused { state.refusals.append((root, .now)) }
    }
    return answer
  }
}
