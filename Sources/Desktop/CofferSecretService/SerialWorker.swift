internal import CofferSystem
internal import Dispatch
internal import Synchronization

/// A thread that does one thing after the other, with a state that no other thread sees.
final class SerialWorker<State>: Sendable {
  typealias Job = @Sendable (State) -> Void

  private let queue = JobQueue<State>()

  /// Starts the thread, which creates the state. Returns nil if the system has no more threads.
  init?(_ makeState: @escaping @Sendable () -> State) {
    let queue = queue
    let isStarted = BlockingThread.start {
      let state = makeState()
      while let job = queue.next() { job(state) }
    }
    guard isStarted else { return nil }
  }

  deinit { queue.end() }

  /// Does `job` after everything that was added before.
  func perform(_ job: @escaping Job) { queue.add(job) }
}

/// The work that waits for a thread.
private final class JobQueue<State>: Sendable {
  private struct Content {
    /// Nil for those that were taken.
    var jobs: [SerialWorker<State>.Job?] = []
    /// How many of the jobs were taken.
    var takenCount = 0
    var hasEnded = false
  }

  private let content = Mutex(Content())
  private let count = DispatchSemaphore(value: 0)

  func add(_ job: @escaping SerialWorker<State>.Job) {
    content.withLock { $0.jobs.append(job) }
    count.signal()
  }

  func end() {
    content.withLock { $0.hasEnded = true }
    count.signal()
  }

  /// Waits for the next job; nil at the end, after all others.
  func next() -> SerialWorker<State>.Job? {
    count.wait()
    return content.withLock { content in
      guard content.takenCount < content.jobs.count else { return nil }
      let job = content.jobs[content.takenCount]
      content.jobs[content.takenCount] = nil
      content.takenCount += 1
      // Seldom, because what stays is moved.
      if content.takenCount == content.jobs.count || content.takenCount >= 64 {
        content.jobs.removeFirst(content.takenCount)
        content.takenCount = 0
      }
      return job
    }
  }
}

/// Looks for changes some moments after the store was written: the kernel reports a commit before it is visible, and a
/// sync makes many.
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
