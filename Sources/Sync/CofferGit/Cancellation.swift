internal import CofferSystem
internal import Synchronization

/// Ends transfers from another thread, also one that waits for a silent server.
///
/// One object can serve several operations, one after another or at once. Cancellation is final: operations that are
/// given the object later fail at once.
package final class Cancellation: Sendable {
  private struct State {
    var isCancelled = false
    // Descriptors of waiting connections. A connection removes its own before it closes it, under the same lock, so
    // that `cancel` never writes to a number that meanwhile belongs to another file.
    var wakers: [Int32] = []
  }

  private let state = Mutex(State())

  package init() {}

  /// Ends all running operations that were given this object, and all later ones.
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
    // A failure can be ignored: if the socket is full, the connection is awake already.
    _ = unsafe withUnsafeBytes(of: UInt8(1)) { unsafe Descriptor.send($0, to: descriptor) }
  }
}
