internal import Dispatch
internal import Synchronization

/// Looks for changes some moments after the store was written: the kernel reports a commit before it is visible, and a sync
/// makes many.
final class DelayedCheck: Sendable {
  private weak let worker: SerialWorker<AppService>?
  private let isScheduled = Atomic(false)

  init(_ worker: SerialWorker<AppService>) { self.worker = worker }

  private static let delays: [DispatchTimeInterval] = [.milliseconds(20), .milliseconds(250), .seconds(2)]

  func begin() {
    guard isScheduled.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged else { return }
    for (number, delay) in Self.delays.enumerated() {
      DispatchQueue.global().asyncAfter(deadline: .now() + delay) { [self] in
        // A write after this moment schedules again.
        if number == 0 { isScheduled.store(false, ordering: .relaxed) }
        worker?.perform { $0.checkForChanges() }
      }
    }
  }
}
