internal import CofferSystem
internal import Synchronization

/// What other threads give to the loop of a ``BusServer``: messages to send, and work to do there.
package final class BusOutbox: Sendable {
  enum Entry: Sendable {
    case output(BusOutput)
    case work(@Sendable (BusServer) -> Void)
    case stop
  }

  private let entries = Mutex<[Entry]>([])
  /// A byte in this pair of sockets wakes the loop up.
  private let wake: DescriptorPair

  init(_ wake: consuming DescriptorPair) { self.wake = wake }

  /// Sends a message. The order of the calls is the order of the messages.
  package func send(_ output: BusOutput) { add(.output(output)) }

  /// Runs `work` on the thread of the loop.
  func perform(_ work: @escaping @Sendable (BusServer) -> Void) { add(.work(work)) }

  /// Ends the loop, after everything that was added before.
  package func stop() { add(.stop) }

  private func add(_ entry: Entry) {
    let wasEmpty = entries.withLock { entries in
      defer { entries.append(entry) }
      return entries.isEmpty
    }
    guard wasEmpty else { return }
    _ = unsafe withUnsafeBytes(of: UInt8(1)) { unsafe Descriptor.send($0, to: wake.theirs.rawValue) }
  }

  /// The descriptor that can be read when there are entries.
  var descriptor: Int32 { wake.ours.rawValue }

  /// Removes and returns all entries.
  func takeAll() -> [Entry] {
    var bytes: [UInt8] = [0, 0, 0, 0]
    _ = unsafe bytes.withUnsafeMutableBytes { unsafe Descriptor.receive(into: $0, from: wake.ours.rawValue) }
    return entries.withLock { entries in
      defer { entries = [] }
      return entries
    }
  }
}
