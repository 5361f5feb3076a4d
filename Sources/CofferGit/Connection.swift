internal import CofferSystem

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// One conversation with git at a remote, over the standard streams of a child: ssh, or git itself for a path.
///
/// Every wait ends: with a byte, at a deadline, or by cancellation.
final class Connection {
  let remote: RemoteURL
  let limits: TransferLimits
  let cancellation: Cancellation
  /// The first thing that went wrong on our side of the wire. It outranks what libgit2 makes of it.
  private(set) var failure: GitError?
  /// What git or ssh printed for people: standard error, and the server's messages inside the protocol.
  private(set) var complaint: [UInt8] = []
  private(set) var exit: ChildProcess.Exit?

  private let programs: TransportPrograms
  private var child: TransportProcess?
  private var wake: DescriptorPair?
  private var start = ContinuousClock.now
  private var lastActivity = ContinuousClock.now
  private var firstByteTimeout: Duration
  private var receivedByteCount = 0
  private var hasSent = false
  private var outputIsOpen = true
  private var errorsAreOpen = true
  // What came while we were sending: were it left in the pipe, both sides could wait for each other.
  private var pending: ArraySlice<UInt8> = []

  private static let maximumComplaintByteCount = 8192
  private static let maximumPendingByteCount = 1 << 20

  init(to remote: RemoteURL, programs: TransportPrograms, limits: TransferLimits, cancellation: Cancellation) {
    self.remote = remote
    self.programs = programs
    self.limits = limits
    self.cancellation = cancellation
    firstByteTimeout = limits.connectTimeout
  }

  deinit { abandon() }

  /// Starts the service at the remote.
  func open(_ service: RemoteService) throws(GitError) {
    try checked { () throws(GitError) in
      abandon()
      let mayPrompt = remote.isSSH && limits.promptTimeout != nil && TransportProcess.canPrompt
      if mayPrompt, let more = limits.promptTimeout { firstByteTimeout = limits.connectTimeout + more }
      let wake = try makeWake()
      cancellation.add(waker: wake.theirs.rawValue)
      self.wake = consume wake
      start = .now
      lastActivity = start
      child = try TransportProcess.start(
        remote.command(for: service, programs: programs, limits: limits, mayPrompt: mayPrompt),
        keepsTerminal: mayPrompt, context: remote.description)
    }
  }

  /// Waits for bytes and takes what is there. Returns 0 when the remote has closed the conversation.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(GitError) -> Int {
    try checked { () throws(GitError) in
      if pending.isEmpty {
        while outputIsOpen {
          let ready = try wait(forOutput: true, forInput: false)
          if ready.output, let count = try unsafe receive(into: buffer) { return count }
        }
        return 0
      }
      let count = min(pending.count, buffer.count)
      unsafe buffer.copyBytes(from: pending.prefix(count))
      pending = pending.dropFirst(count)
      return count
    }
  }

  /// Sends all bytes.
  func write(_ bytes: UnsafeRawBufferPointer) throws(GitError) {
    try checked { () throws(GitError) in
      guard let child else { throw GitError(.protocolError, Self.brokenOff, context: remote.description) }
      hasSent = true
      var offset = 0
      while offset < bytes.count {
        let room = pending.count < Self.maximumPendingByteCount
        let ready = try wait(forOutput: room && outputIsOpen, forInput: true)
        if ready.output { try receivePending() }
        guard ready.input else { continue }
        let sent = unsafe Descriptor.send(UnsafeRawBufferPointer(rebasing: bytes[offset...]), to: child.inputNumber)
        if sent > 0 {
          offset += sent
          lastActivity = .now
        } else if sent < 0, ![EAGAIN, EWOULDBLOCK, EINTR].contains(errno) {
          throw GitError(.protocolError, Self.brokenOff, context: remote.description)
        }
      }
    }
  }

  /// Ends the conversation: lets the child finish what it is doing for as long as `patience`, then ends it.
  /// Afterwards `exit` and `complaint` are complete.
  func close(patience: Duration) {
    guard let child else { return }
    child.closeInput()
    let deadline = ContinuousClock.now + patience
    var pause: UInt32 = 200
    while child.poll() == nil, ContinuousClock.now < deadline, !cancellation.isCancelled {
      if outputIsOpen {
        drainOutput(until: deadline)
      } else {
        // Between the end of its output and its end there is only a moment.
        usleep(pause)
        pause = min(pause * 2, 10_000)
      }
    }
    child.terminate()
    drainErrors()
    exit = child.exit
    abandon()
  }

  /// Ends the child and lets go of everything.
  func abandon() {
    child?.terminate()
    child = nil
    if let waker = wake?.theirs.rawValue { cancellation.remove(waker: waker) }
    wake = nil
    pending = []
    outputIsOpen = true
    errorsAreOpen = true
  }

  /// Adds to what is shown to people when the conversation fails.
  func addComplaint(_ bytes: some Sequence<UInt8>) {
    complaint.append(contentsOf: bytes.prefix(Self.maximumComplaintByteCount - complaint.count))
  }

  /// Fails the conversation for a reason that the caller found.
  func fail(_ error: GitError) {
    if failure == nil { failure = error }
  }

  static let brokenOff = "the remote broke off the conversation"
}

extension Connection {
  private func checked<Value>(_ body: () throws(GitError) -> Value) throws(GitError) -> Value {
    do {
      return try body()
    } catch {
      // "Broken off" says nothing by itself: what the child printed, which is read later, is the reason.
      if error.message != Self.brokenOff { fail(error) }
      throw error
    }
  }

  private func makeWake() throws(GitError) -> DescriptorPair {
    do throws(SystemError) {
      return try Descriptor.socketPair()
    } catch {
      throw GitError(error, context: remote.description)
    }
  }

  private func wait(forOutput: Bool, forInput: Bool) throws(GitError) -> (output: Bool, input: Bool) {
    while true {
      if cancellation.isCancelled { throw GitError(.cancelled, "cancelled", context: remote.description) }
      let remaining = try remainingTime()
      let ready = poll(output: forOutput, input: forInput, for: remaining)
      if ready.output || ready.input { return ready }
    }
  }

  /// Time to the nearest deadline; throws past it.
  private func remainingTime() throws(GitError) -> Duration {
    let now = ContinuousClock.now
    var remaining = limits.totalTimeout - (now - start)
    var what = "the conversation took longer than \(limits.totalTimeout)"
    if receivedByteCount == 0 {
      let first = firstByteTimeout - (now - start)
      if first < remaining { (remaining, what) = (first, "no answer within \(firstByteTimeout)") }
    } else {
      let idle = limits.idleTimeout - (now - lastActivity)
      if idle < remaining { (remaining, what) = (idle, "the remote was silent for \(limits.idleTimeout)") }
    }
    guard remaining > .zero else { throw GitError(.timedOut, what, context: remote.description) }
    return remaining
  }

  /// Waits once; takes in standard error on the way.
  private func poll(output: Bool, input: Bool, for time: Duration) -> (output: Bool, input: Bool) {
    guard let child else { return (output, input) }
    let hungUp = Int16(POLLHUP | POLLERR | POLLNVAL)
    var descriptors = [
      pollfd(fd: output ? child.output.rawValue : -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: input ? child.inputNumber : -1, events: Int16(POLLOUT), revents: 0),
      pollfd(fd: errorsAreOpen ? child.errors.rawValue : -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: wake?.ours.rawValue ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    // Rounded up: rounding down would spin through the last millisecond.
    let (seconds, attoseconds) = time.components
    let milliseconds = min(seconds, 3600) * 1000 + attoseconds / 1_000_000_000_000_000 + 1
    let count = unsafe systemPoll(&descriptors, nfds_t(descriptors.count), Int32(milliseconds))
    guard count > 0 else { return (false, false) }
    if descriptors[2].revents != 0 { drainErrors() }
    return (
      descriptors[0].revents & (Int16(POLLIN) | hungUp) != 0,
      descriptors[1].revents & (Int16(POLLOUT) | hungUp) != 0
    )
  }

  /// `nil`: nothing there after all.
  private func receive(into buffer: UnsafeMutableRawBufferPointer) throws(GitError) -> Int? {
    guard let child else { return 0 }
    let count = unsafe Descriptor.receive(into: buffer, from: child.output.rawValue)
    if count < 0, [EAGAIN, EWOULDBLOCK, EINTR].contains(errno) { return nil }
    guard count > 0 else {
      outputIsOpen = false
      return 0
    }
    lastActivity = .now
    receivedByteCount += count
    let maximum = hasSent ? limits.maximumBytes : min(limits.maximumBytes, limits.maximumReferenceBytes)
    if receivedByteCount > maximum {
      let what = hasSent ? "bytes" : "bytes of references"
      throw GitError(.tooLarge, "the remote sends more than \(maximum) \(what)", context: remote.description)
    }
    return count
  }

  private func receivePending() throws(GitError) {
    var chunk = [UInt8](repeating: 0, count: 65536)
    var outcome: Result<Int?, GitError> = .success(nil)
    unsafe chunk.withUnsafeMutableBytes { buffer in
      do throws(GitError) {
        outcome = .success(try unsafe receive(into: buffer))
      } catch {
        outcome = .failure(error)
      }
    }
    pending += chunk.prefix(try outcome.get() ?? 0)
  }

  private func drainOutput(until deadline: ContinuousClock.Instant) {
    let ready = poll(output: true, input: false, for: max(.zero, deadline - .now))
    guard ready.output, let child else { return }
    var discarded = 0
    unsafe withUnsafeTemporaryAllocation(byteCount: 65536, alignment: 1) { buffer in
      discarded = unsafe Descriptor.receive(into: buffer, from: child.output.rawValue)
    }
    if discarded == 0 || (discarded < 0 && ![EAGAIN, EWOULDBLOCK, EINTR].contains(errno)) { outputIsOpen = false }
  }

  private func drainErrors() {
    guard let child else { return }
    // A bound, so that a child that never stops complaining cannot hold us here past the deadline.
    for _ in 0..<16 where errorsAreOpen {
      var chunk = [UInt8](repeating: 0, count: 4096)
      let count = unsafe chunk.withUnsafeMutableBytes {
        unsafe Descriptor.receive(into: $0, from: child.errors.rawValue)
      }
      if count > 0 {
        addComplaint(chunk.prefix(count))
      } else {
        errorsAreOpen = count < 0 && [EAGAIN, EWOULDBLOCK, EINTR].contains(errno)
        return
      }
    }
  }
}

// Inside the class, `poll` is the method.
private func systemPoll(_ descriptors: UnsafeMutablePointer<pollfd>, _ count: nfds_t, _ time: Int32) -> Int32 {
  unsafe poll(descriptors, count, time)
}
