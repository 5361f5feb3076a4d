internal import CofferPlatform
package import CofferSystem
internal import Synchronization

/// Serves calls of the bus on one thread, which waits for messages, for other threads and for nothing else.
package final class BusServer {
  /// What other threads use.
  package let outbox: BusOutbox
  private let bus: SessionBus
  private var pending: [UInt32: PendingCall] = [:]

  /// What follows the work of other threads, by number.
  private var continuations: [UInt64: (any Sendable) -> Void] = [:]
  private var lastNumber: UInt64 = 0

  private struct PendingCall {
    let deadline: ContinuousClock.Instant
    let completion: (Result<[BusValue], BusError>) -> Void
  }

  package init(_ bus: SessionBus, wake: consuming DescriptorPair) {
    self.bus = bus
    outbox = BusOutbox(wake)
  }

  /// Calls a method. `completion` is called once, on this thread, with the result or with an error: `NoReply` if there
  /// is none in time.
  package func call(
    _ service: String, _ path: String, _ interface: String, _ method: String, _ arguments: [BusValue],
    timeout: Duration, _ completion: @escaping (Result<[BusValue], BusError>) -> Void
  ) {
    do throws(BusError) {
      let serial = try bus.send(service, path, interface, method, arguments)
      pending[serial] = PendingCall(deadline: .now + timeout, completion: completion)
    } catch {
      completion(.failure(error))
    }
  }

  /// Returns a function with which another thread gives its result to `body`, which runs on this thread. It counts
  /// once.
  package func onThisThread<Value: Sendable>(
    _ body: @escaping (Value) -> Void
  ) -> @Sendable (Value) -> Void {
    lastNumber += 1
    let number = lastNumber
    continuations[number] = { value in
      if let value = value as? Value { body(value) }
    }
    let outbox = outbox
    return { value in
      outbox.perform { $0.continuations.removeValue(forKey: number)?(value) }
    }
  }

  /// Calls a method of the bus itself about a name, as ``call(_:_:_:_:_:timeout:_:)``. Clients of this program wait for
  /// 25 seconds.
  package func callBus(
    _ method: String, _ name: String, _ completion: @escaping (Result<[BusValue], BusError>) -> Void
  ) {
    call(
      SessionBus.busName, SessionBus.busPath, SessionBus.busName, method, [.text(name)], timeout: .seconds(20),
      completion)
  }

  /// Sends a message.
  package func send(_ output: BusOutput) { bus.send(output) }

  /// Serves until ``BusOutbox/stop()``, or until the bus closes the connection. Returns whether it was stopped.
  /// `receive` gets each call and each signal.
  package func run(_ receive: (BusMessage) -> Void) -> Bool {
    while true {
      // First of all: what came with the answers to the calls that this thread has waited for.
      while let message = bus.nextMessage() { deliver(message, to: receive) }
      for entry in outbox.takeAll() {
        switch entry {
        case .output(let output): bus.send(output)
        case .work(let work): work(self)
        case .stop: return true
        }
      }
      expireCalls()
      guard bus.exchange(), let descriptor = bus.descriptor else { return false }
      if let message = bus.nextMessage() {
        deliver(message, to: receive)
        continue
      }
      wait(for: descriptor)
    }
  }

  /// Receives what has arrived until now, without waiting.
  package func receiveArrived(_ receive: (BusMessage) -> Void) {
    _ = bus.exchange()
    while let message = bus.nextMessage() { deliver(message, to: receive) }
  }

  /// Gives a name up.
  package func releaseName(_ name: String) { bus.releaseName(name) }

  private func deliver(_ message: BusMessage, to receive: (BusMessage) -> Void) {
    switch message.kind {
    case .reply: pending.removeValue(forKey: message.replySerial)?.completion(.success(message.values))
    case .error:
      let error = BusError(message.errorName, message.values.first?.string ?? "")
      pending.removeValue(forKey: message.replySerial)?.completion(.failure(error))
    case .call, .signal: receive(message)
    }
  }

  private func expireCalls() {
    let now = ContinuousClock.now
    for (serial, call) in pending where call.deadline <= now {
      pending[serial] = nil
      call.completion(.failure(BusError("org.freedesktop.DBus.Error.NoReply")))
    }
  }

  /// Waits for a message, for room to send, for another thread, or until a call has had no answer in time.
  private func wait(for descriptor: Int32) {
    var waits = [
      pollfd(fd: descriptor, events: Int16(POLLIN) | (bus.hasOutput ? Int16(POLLOUT) : 0), revents: 0),
      pollfd(fd: outbox.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    let rest = pending.values.map(\.deadline).min().map { ContinuousClock.now.duration(to: $0) }
    let milliseconds = rest.map { max(0, min($0.components.seconds, 3_600) * 1_000 + 1_000) } ?? -1
    _ = unsafe poll(&waits, nfds_t(waits.count), Int32(milliseconds))
  }

  /// Sends what waits, for at most two seconds: the bus may not read any more.
  package func finish() {
    for case .output(let output) in outbox.takeAll() { bus.send(output) }
    let end = ContinuousClock.now + .seconds(2)
    while bus.exchange(), bus.hasOutput, let descriptor = bus.descriptor, ContinuousClock.now < end {
      var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      _ = unsafe poll(&wait, 1, 100)
    }
  }
}

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

/// How many calls wait for an answer, and how large they are, so that a program that sends more than is served takes
/// neither all memory nor the place of others.
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
