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

  /// How much waits.
  var jobCount: Int { queue.jobCount }

  /// Does `job` after everything that was added before.
  func perform(_ job: @escaping Job) { queue.add(job) }
}

/// The work that waits for a thread.
private final class JobQueue<State>: Sendable {
  private struct Content {
    var jobs: [SerialWorker<State>.Job] = []
    var hasEnded = false
  }

  private let content = Mutex(Content())
  private let count = DispatchSemaphore(value: 0)

  var jobCount: Int { content.withLock { $0.jobs.count } }

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
    return content.withLock { content in content.jobs.isEmpty ? nil : content.jobs.removeFirst() }
  }
}
