internal import CofferPrompt
internal import CofferSystem
internal import Synchronization

/// Which programs outside of a sandbox a person has allowed, if the service was told to ask (`--ask`).
///
/// A program is known by the path of its file, which another program of the user can take. So the question keeps honest programs
/// apart, and shows a person who asks; it proves nothing.
package final class ProgramLeases: Sendable {
  private struct State {
    var allowed: [String: ContinuousClock.Instant] = [:]
    var refused: [String: ContinuousClock.Instant] = [:]
  }

  private let state = Mutex(State())
  private let leaseTime: Duration

  /// For how long a program that was refused is not asked for again.
  private static let refusalTime = Duration.seconds(60)

  package init(leaseTime: Duration = .seconds(3_600)) { self.leaseTime = leaseTime }

  /// Whether a person has to be asked about a caller: about none that has a collection of its own.
  package static func concern(_ identity: CallerIdentity) -> Bool { identity.program == .other }

  /// Returns whether a caller may go on, by an earlier answer or that of a person. Waits for the answer for a minute at most; if no
  /// window can be shown, the caller may not.
  package func allow(_ identity: CallerIdentity, isCancelled: @escaping @Sendable () -> Bool = { false }) -> Bool {
    if let answer = earlierAnswer(for: identity) { return answer }
    let isAllowed = DesktopQuestion(text(for: identity), confirmTitle: "Allow").ask(isCancelled: isCancelled)
    state.withLock { state in
      if isAllowed == true {
        state.allowed[identity.path] = .now + leaseTime
      } else if isAllowed == false, !isCancelled() {
        state.refused[identity.path] = .now + Self.refusalTime
      }
    }
    return isAllowed == true
  }

  /// Returns the answer that still counts for a caller's program; nil if a person has to be asked.
  package func earlierAnswer(for identity: CallerIdentity) -> Bool? {
    guard Self.concern(identity) else { return true }
    return state.withLock { state in
      let now = ContinuousClock.now
      state.allowed = state.allowed.filter { $0.value > now }
      state.refused = state.refused.filter { $0.value > now }
      if state.allowed[identity.path] != nil { return true }
      return state.refused[identity.path] != nil ? false : nil
    }
  }

  private func text(for identity: CallerIdentity) -> String {
    "Allow \(identity.words) to use the passwords of desktop programs in Coffer for \(counted(seconds: Int(leaseTime.components.seconds)))?"
  }
}
