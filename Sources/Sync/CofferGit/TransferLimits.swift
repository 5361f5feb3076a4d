internal import CofferSystem
internal import Synchronization

/// The time and data that one transfer may cost. A hostile server can use no more of this machine's time, disk and
/// memory for what it sends; what that is unpacked to is limited for bundles, and in a fetch only by the time for all
/// of it and by the largest piece of memory that libgit2 gets, 128 MiB.
package struct TransferLimits: Sendable {
  /// The time from the start of the connection to the remote's first byte. Default: 30 seconds.
  package var connectTimeout: Duration = .seconds(30)

  /// The time during which neither side sends a byte. Default: 60 seconds.
  package var idleTimeout: Duration = .seconds(60)

  /// The time for the whole transfer: a server that sends one byte a minute is never idle. Default: 1 hour.
  package var totalTimeout: Duration = .seconds(3600)

  /// Additional time for the first byte if a terminal exists at which ssh can ask for a passphrase or show an unknown
  /// host key. Nil prevents ssh from asking. Default: 2 minutes.
  package var promptTimeout: Duration? = .seconds(120)

  /// The number of received bytes. Default: 2 GiB.
  package var maximumBytes: Int = 2 << 30

  /// The number of bytes of the list of references, which is held in memory. Default: 16 MiB, about 200,000 references.
  package var maximumReferenceBytes: Int = 16 << 20

  /// The number of objects in one pack. Default: 10 million.
  package var maximumObjectCount: Int = 10_000_000

  /// The number of bytes of one object in a bundle. Default: 64 MiB, twice the largest object of a vault, and half of
  /// what libgit2 gets memory for.
  package var maximumObjectBytes: Int = 64 << 20

  /// The number of bytes that are handled to unpack a bundle: those that are inflated, and those of each object that
  /// differences make, with all objects that it is made from. It is a number for every bundle, and one for each of its
  /// bytes. What a vault consists of is encrypted, so it hardly becomes larger. Default: 256 MiB, and 4.
  package var basicUnpackedBytes: Int = 256 << 20
  package var unpackedBytesPerByte: Int = 4

  /// Counts the bytes of the transfers that are given these limits; nil to count nothing.
  package var traffic: TransferTraffic?

  package init() {}
}

/// Counts the bytes that transfers send and receive, with those of the protocol.
package final class TransferTraffic: Sendable {
  /// Numbers of bytes.
  package struct Bytes: Sendable, Hashable {
    package var received = 0
    package var sent = 0

    package init() {}
  }

  private let state = Mutex(Bytes())
  private let observer: (@Sendable (Bytes) -> Void)?

  /// Takes an observer that is called after each change, on the thread of the transfer.
  package init(observer: (@Sendable (Bytes) -> Void)? = nil) { self.observer = observer }

  /// The bytes until now.
  package var bytes: Bytes { state.withLock { $0 } }

  func add(received: Int = 0, sent: Int = 0) {
    let bytes = state.withLock { bytes in
      bytes.received += received
      bytes.sent += sent
      return bytes
    }
    observer?(bytes)
  }
}

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
