internal import Synchronization

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

/// Two counters are equal if they are the same.
extension TransferTraffic: Hashable {
  package static func == (one: TransferTraffic, other: TransferTraffic) -> Bool { one === other }

  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
