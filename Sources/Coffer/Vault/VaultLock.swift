internal import CofferCrypto
internal import Dispatch
internal import Synchronization

/// Whether a vault's keys are in memory, and since when they have not been used.
final class VaultLock: Sendable {
  private struct Unlocked {
    let session: UnlockedSession
    /// How long the keys stay when nobody uses them; nil for as long as the vault is open.
    let patience: Duration?
    var deadline: ContinuousClock.Instant?
  }

  // The clock that goes on while the machine sleeps: a lid that was closed over night locks.
  private let state = Mutex<Unlocked?>(nil)
  private let patience = Mutex<Duration?>(nil)

  /// How long the keys stay unused, as it was said the last time.
  var lastPatience: Duration? { patience.withLock { $0 } }

  /// The session; nil while the vault is locked. Using it puts the lock off.
  func session() -> UnlockedSession? {
    state.withLock { state in
      guard let unlocked = state else { return nil }
      guard let patience = unlocked.patience, let deadline = unlocked.deadline else { return unlocked.session }
      let now = ContinuousClock.now
      guard now < deadline else {
        state = nil
        return nil
      }
      state?.deadline = now + patience
      return unlocked.session
    }
  }

  /// True while there are no keys. Asking is no use: it does not put the lock off.
  var isLocked: Bool {
    state.withLock { state in
      guard let state else { return true }
      return state.deadline.map { ContinuousClock.now >= $0 } ?? false
    }
  }

  /// Takes the keys in; they go again after `patience` without use.
  func unlock(_ session: UnlockedSession, patience: Duration?) {
    self.patience.withLock { $0 = patience }
    let deadline = patience.map { ContinuousClock.now + $0 }
    state.withLock { $0 = Unlocked(session: session, patience: patience, deadline: deadline) }
    if let patience { schedule(after: patience) }
  }

  /// Drops the keys; they are wiped when the calls that are under way have ended.
  func lock() { state.withLock { $0 = nil } }

  /// Looks again when the deadline may have passed. The keys must go also when nobody asks for them any more.
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
