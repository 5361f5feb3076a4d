internal import CofferPlatform
internal import CofferSystem
internal import CofferVault
internal import Synchronization

/// What wakes the process that syncs a vault by itself, from any thread.
final class WatchSignal: Sendable {
  /// What has happened.
  struct Events: Sendable, Hashable {
    var isStoreWritten = false
    var isNetworkChanged = false
    /// The process is to end. Final.
    var isStopped = false
  }

  private let events = Mutex(Events())
  private let wake: DescriptorPair

  private init(_ wake: consuming DescriptorPair) { self.wake = wake }

  /// Opens the descriptors by which threads wake each other.
  static func open() throws(VaultError) -> WatchSignal {
    do throws(SystemError) {
      return WatchSignal(try Descriptor.socketPair())
    } catch {
      throw systemFailure("open a pipe", number: error.number)
    }
  }

  /// Says that something has happened.
  func note(_ change: (inout Events) -> Void) {
    events.withLock { change(&$0) }
    // A failure can be ignored: if the socket is full, the other thread is awake already.
    _ = unsafe withUnsafeBytes(of: UInt8(1)) { unsafe Descriptor.send($0, to: wake.theirs.rawValue) }
  }

  /// Waits for an event, at most for a time by the kernel's clock, which no change of the time of day affects. Returns
  /// what has happened since the last call.
  func wait(timeout: Duration) -> Events {
    var descriptor = pollfd(fd: wake.ours.rawValue, events: Int16(POLLIN), revents: 0)
    // Rounded up: a timeout of 0 would make the last millisecond a busy loop.
    let milliseconds = min(max(timeout / .milliseconds(1), 0), 3_600_000).rounded(.up)
    _ = unsafe poll(&descriptor, 1, Int32(milliseconds))
    var chunk = [UInt8](repeating: 0, count: 64)
    while unsafe chunk.withUnsafeMutableBytes({ unsafe Descriptor.receive(into: $0, from: wake.ours.rawValue) }) > 0 {}
    return events.withLock { events in
      let now = events
      events = Events(isStopped: now.isStopped)
      return now
    }
  }
}
