internal import Synchronization

/// How many calls wait for an answer, and how large they are, so that a program that sends more than is served takes neither all
/// memory nor the place of others.
package final class CallLoad: Sendable {
  private let state = Mutex((calls: 0, bytes: 0))
  private let callLimit: Int
  private let byteLimit: Int

  package init(callLimit: Int, byteLimit: Int) {
    self.callLimit = callLimit
    self.byteLimit = byteLimit
  }

  /// Adds a call. Returns false if that would exceed a limit; the first call may be of any size.
  package func add(_ call: BusMessage) -> Bool {
    state.withLock { state in
      guard state.calls == 0 || state.calls < callLimit && state.bytes + call.byteCount <= byteLimit else {
        return false
      }
      state.calls += 1
      state.bytes += call.byteCount
      return true
    }
  }

  /// Removes a call that was added.
  package func remove(_ call: BusMessage) {
    state.withLock { state in
      state.calls -= 1
      state.bytes -= call.byteCount
    }
  }
}
