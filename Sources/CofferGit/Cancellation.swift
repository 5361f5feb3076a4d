internal import CofferSystem
internal import Synchronization

/// Ends a transfer from another thread, also one that waits for a silent server.
///
/// One may serve several operations, one after another or at once; a cancelled one stays cancelled.
package final class Cancellation: Sendable {
  private struct State {
    var isCancelled = false
    // Descriptors of connections that wait. A connection takes its own away before it closes it, under the
    // same lock, so that `cancel` never writes to a number that has been given to another file.
    var wakers: [Int32] = []
  }

  private let state = Mutex(State())

  package init() {}

  /// Ends all operations that were given this object, and all that will be.
  package func cancel() {
    state.withLock { state in
      state.isCancelled = true
      for waker in state.wakers { Self.wake(waker) }
    }
  }

  package var isCancelled: Bool { state.withLock { $0.isCancelled } }

  func add(waker: Int32) {
    state.withLock { state in
      state.wakers.append(waker)
      if state.isCancelled { Self.wake(waker) }
    }
  }

  func remove(waker: Int32) {
    state.withLock { $0.wakers.removeAll { $0 == waker } }
  }

  private static func wake(_ descriptor: Int32) {
    // A full socket has been woken already.
    _ = unsafe withUnsafeBytes(of: UInt8(1)) { unsafe Descriptor.send($0, to: descriptor) }
  }
}
