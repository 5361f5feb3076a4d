internal import CofferVault

/// Decides when a vault is synced next. It knows no clock: each time is the duration since the start of a clock that
/// also counts while the machine is suspended.
package struct SyncSchedule {
  /// How a sync has ended.
  package enum Outcome: Hashable, Sendable {
    case done
    /// It failed, and may succeed later by itself: the machine may be offline.
    case failed
    /// It fails until somebody does something.
    case needsOwner
  }

  /// How long after a commit the vault is synced, if no other commit follows.
  package static let quietTime = Duration.seconds(2)
  /// How long commits that follow each other can delay a sync.
  package static let longestDelay = Duration.seconds(20)
  /// How long after a change of the network: name servers are known a moment after an address. It doubles with each
  /// change until a sync succeeds: a network that comes and goes must not make a machine try all the time.
  package static let networkDelay = Duration.seconds(3)
  /// The longest such delay.
  package static let longestNetworkDelay = Duration.seconds(300)
  /// How long after the machine was suspended.
  package static let resumptionDelay = Duration.seconds(5)
  /// The wait after the first failure. It doubles with each further one.
  package static let firstRetry = Duration.seconds(10)
  /// The longest wait after a failure, and the shortest if the owner is needed.
  package static let longestRetry = Duration.seconds(1800)

  private let interval: Duration
  /// The shortest time between a sync and the next one that a program asks for: half a minute, if the interval is 15
  /// minutes.
  private var freshTime: Duration { min(.seconds(30), interval / 30) }
  private let factor: () -> Double
  private var failureCount = 0
  private var lastSync: Duration?
  private var needsOwner = false
  /// How many attempts changes of the network have brought forward since the last success.
  private var networkChangeCount = 0
  /// When the next sync is due if nothing happens before.
  private var regular = Duration.zero
  /// The first of the commits that wait for a sync, and when the sync is due for them.
  private var change: (first: Duration, due: Duration)?

  /// Creates a schedule by which the first sync is due at once. The interval is the time between two syncs if nothing
  /// happens. `factor` is asked for each wait, so that the machines of a fleet do not all come at once.
  package init(interval: Duration, factor: @escaping () -> Double = { Double.random(in: 0.8...1.2) }) {
    self.interval = interval
    self.factor = factor
  }

  /// When the next sync is due.
  package var next: Duration { min(regular, change?.due ?? regular) }

  /// Whether the last sync has failed.
  package var isFailing: Bool { failureCount > 0 }

  /// A sync has ended.
  package mutating func finish(_ outcome: Outcome, at now: Duration) {
    change = nil
    lastSync = now
    needsOwner = outcome == .needsOwner
    switch outcome {
    case .done:
      failureCount = 0
      networkChangeCount = 0
      regular = now + interval * factor()
    case .failed:
      failureCount += 1
      let longest = min(interval, Self.longestRetry)
      regular = now + min(longest, Self.firstRetry * (1 << min(failureCount - 1, 16))) * factor()
    case .needsOwner:
      failureCount += 1
      regular = now + max(interval, Self.longestRetry) * factor()
    }
  }

  /// Something was committed here that a sync would send, or that may let it succeed. While the remote cannot be
  /// reached, commits do not bring the next attempt forward.
  package mutating func noteChange(at now: Duration) {
    guard !isFailing || needsOwner else { return }
    let first = change?.first ?? now
    change = (first, min(now + Self.quietTime, first + Self.longestDelay))
  }

  /// A program has looked for something that this machine does not have: another one may have written it.
  package mutating func noteMiss(at now: Duration) {
    guard !isFailing else { return }
    regular = min(regular, max(now, (lastSync ?? now) + freshTime))
  }

  /// The network has changed: if the last sync has failed, the next one may succeed.
  package mutating func noteNetworkChange(at now: Duration) {
    guard isFailing, !needsOwner else { return }
    let due = now + min(Self.longestNetworkDelay, Self.networkDelay * (1 << min(networkChangeCount, 16)))
    guard due < regular else { return }
    regular = due
    networkChangeCount += 1
    // From now on, as after the first failure: the name servers may take longer.
    failureCount = 1
  }

  /// The machine was suspended. Others may have changed something meanwhile, and the network may be back.
  package mutating func noteResumption(at now: Duration) {
    guard !needsOwner else { return }
    regular = min(regular, now + Self.resumptionDelay)
  }
}

extension SyncSchedule.Outcome {
  /// The outcome of a sync that has failed.
  init(_ error: VaultError) {
    switch error.code {
    case .network, .busy, .io, .diskFull, .cancelled: self = .failed
    default: self = .needsOwner
    }
  }
}
