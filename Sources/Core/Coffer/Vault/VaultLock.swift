internal import CofferAgent
internal import Dispatch
internal import Synchronization

/// The lock state of a vault: its keys while it is unlocked, and when they expire.
final class VaultLock: Sendable {
  private struct Unlocked {
    let session: UnlockedSession
    /// How long the keys stay in memory unused; nil for no limit.
    let timeout: Duration?
    var deadline: ContinuousClock.Instant?
  }

  // A clock that continues while the machine sleeps, so that a vault locks over night.
  private let state = Mutex<Unlocked?>(nil)
  private let timeout = Mutex<Duration?>(nil)

  var lastTimeout: Duration? { timeout.withLock { $0 } }

  /// Returns the session, or nil while the vault is locked. Extends the timeout.
  func session() -> UnlockedSession? {
    state.withLock { state in
      guard let unlocked = state else { return nil }
      guard let timeout = unlocked.timeout, let deadline = unlocked.deadline else { return unlocked.session }
      let now = ContinuousClock.now
      guard now < deadline else {
        state = nil
        return nil
      }
      state?.deadline = now + timeout
      return unlocked.session
    }
  }

  /// Whether the vault has no keys in memory, or a call has not reached those in the agent. Reading this does not
  /// extend the timeout.
  var isLocked: Bool {
    state.withLock { state in
      guard let state, !state.session.keys.areOutOfReach else { return true }
      return state.deadline.map { ContinuousClock.now >= $0 } ?? false
    }
  }

  /// Stores the keys of a session, which expire after `timeout` without use.
  func unlock(_ session: UnlockedSession, timeout: Duration?) { _ = keep(for: timeout) { _ in session } }

  /// Gives keys that are in memory another timeout. Returns false if there are none.
  func setTimeout(_ timeout: Duration?) -> Bool { !isLocked && keep(for: timeout) { $0 } }

  private func keep(for timeout: Duration?, _ session: (UnlockedSession?) -> UnlockedSession?) -> Bool {
    let deadline = timeout.map { ContinuousClock.now + $0 }
    let isUnlocked = state.withLock { state in
      state = session(state?.session).map { Unlocked(session: $0, timeout: timeout, deadline: deadline) }
      return state != nil
    }
    guard isUnlocked else { return false }
    self.timeout.withLock { $0 = timeout }
    if let timeout { schedule(after: timeout) }
    return true
  }

  /// Drops the keys. They are wiped when the running calls have ended.
  func lock() { state.withLock { $0 = nil } }

  /// Checks the deadline after a delay, so that the keys are also wiped if nobody uses the vault any more.
  private func schedule(after delay: Duration) {
    let seconds = Double(delay.components.seconds) + Double(delay.components.attoseconds) * 1e-18
    DispatchQueue.global(qos: .utility).asyncAfter(wallDeadline: .now() + max(seconds, 0.001)) { [weak self] in
      self?.expire()
    }
  }

  private func expire() {
    let rest: Duration? = state.withLock { state in
      guard let deadline = state?.deadline else { return nil }
      let rest = ContinuousClock.now.duration(to: deadline)
      guard rest <= .zero else { return rest }
      state = nil
      return nil
    }
    if let rest { schedule(after: rest) }
  }
}
