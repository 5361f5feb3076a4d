internal import CofferPlatform
internal import CofferSystem

/// A connection to git at a remote, over the standard streams of a child process: ssh, git itself for a path, or
/// `coffer-transport`.
///
/// Every wait ends with data, at a deadline, or by cancellation. Over HTTP, git's protocol is a list of references and
/// then requests that each have one response: see ``beginRequest(to:)``.
final class Connection {
  let remote: RemoteURL
  let limits: TransferLimits
  let cancellation: Cancellation
  let programs: TransportPrograms
  /// The first error on this side of the connection. It takes precedence over the error that libgit2 derives from it.
  private(set) var failure: GitError?
  /// Messages for people: the standard error of git or ssh, and the server's messages inside the protocol.
  private(set) var messages: [UInt8] = []
  /// How the child ended by itself, or nil before ``close(timeout:)`` and if that has ended it.
  private(set) var exit: ChildProcess.Exit?
  /// Whether the child is in this process's group, so that it can prompt on the terminal, and gets Ctrl-C from there.
  private(set) var keepsTerminal = false
  /// Whether a push is so large that a repository on this machine shall keep its pack.
  var keepsPack = false
  /// The frames to and from `coffer-transport`, over HTTP.
  var frames = FrameState()

  private var child: TransportProcess?
  private var wake: DescriptorPair?
  private var start = ContinuousClock.now
  private var lastActivity = ContinuousClock.now
  private var firstByteTimeout: Duration
  private var receivedByteCount = 0
  private var hasSent = false
  private var outputIsOpen = true
  private var errorsAreOpen = true
  // Bytes that arrived during a write. If they were left in the socket, both sides could wait for each other.
  private var pending: ArraySlice<UInt8> = []

  private static let maximumMessageByteCount = 8192
  private static let maximumPendingByteCount = 1 << 20

  init(to remote: RemoteURL, programs: TransportPrograms, limits: TransferLimits, cancellation: Cancellation) {
    self.remote = remote
    self.programs = programs
    self.limits = limits
    self.cancellation = cancellation
    firstByteTimeout = limits.connectTimeout
  }

  deinit { closeNow() }

  /// Starts a service at the remote.
  func open(_ service: RemoteService) throws(GitError) {
    try recordingFailure { () throws(GitError) in
      closeNow()
      let mayPrompt = remote.asksForPasswords && limits.promptTimeout != nil && TransportProcess.canPrompt
      let command = try remote.command(for: service, programs: programs, limits: limits, mayPrompt: mayPrompt)
      if mayPrompt, let more = limits.promptTimeout { firstByteTimeout = limits.connectTimeout + more }
      let wake = try makeWake()
      cancellation.add(waker: wake.theirs.rawValue)
      self.wake = consume wake
      start = .now
      lastActivity = start
      keepsTerminal = mayPrompt
      child = try TransportProcess.start(
        command, remote.configuration(keepsPack: keepsPack), keepsTerminal: mayPrompt, context: remote.description)
      if isStateless {
        if let credential = programs.http.credential { try sendFrame(.credential, credential) }
        try sendFrame(.listReferences, Array("git-\(service.rawValue)".utf8))
        frames.isReceiving = true
      } else if let request = remote.daemonRequest(for: service) {
        try send(request)
      }
    }
  }

  /// Reads the bytes that have arrived, after waiting for the first one. Returns their number, or 0 if the remote has
  /// closed the connection. Throws at a limit or after cancellation.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(GitError) -> Int {
    try recordingFailure { () throws(GitError) in
      try unsafe isStateless ? readResponse(into: buffer) : readStream(into: buffer)
    }
  }

  /// Sends all of the bytes.
  func write(_ bytes: [UInt8]) throws(GitError) {
    try unsafe bytes.withUnsafeBufferPointer { (buffer) throws(GitError) in
      try unsafe write(UnsafeRawBufferPointer(buffer))
    }
  }

  /// Sends all of the bytes.
  func write(_ bytes: UnsafeRawBufferPointer) throws(GitError) {
    try recordingFailure { () throws(GitError) in
      hasSent = true
      guard isStateless else { return try unsafe send(bytes) }
      guard frames.isSending else { throw closedByRemote }
      var rest = unsafe bytes
      while unsafe !rest.isEmpty {
        let count = min(rest.count, TransportFrame.maximumPayloadByteCount)
        try send(TransportFrame.header(.data, byteCount: count))
        try unsafe send(UnsafeRawBufferPointer(rebasing: rest[..<count]))
        unsafe rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      }
    }
  }

  /// Whether the remote forgets everything between two requests, as over HTTP.
  var isStateless: Bool { remote.isHTTP }

  /// Reads the rest of a response, which may end with an error. Does nothing unless the remote is stateless.
  func finishResponse() throws(GitError) {
    guard isStateless else { return }
    try recordingFailure { () throws(GitError) in try discardResponse() }
  }

  /// Begins a request, to which all bytes belong that are written until the next read. Does nothing unless the remote
  /// is stateless. ``open(_:)`` has started the service.
  func beginRequest(to service: RemoteService) throws(GitError) {
    guard isStateless else { return }
    try recordingFailure { () throws(GitError) in
      try discardResponse()
      try sendFrame(.request, Array("git-\(service.rawValue)".utf8))
      frames.isSending = true
    }
  }

  /// Closes the connection after the child has ended by itself, or kills the child at the timeout. Afterwards `exit`
  /// and `messages` are complete.
  func close(timeout: Duration) {
    guard let child else { return }
    child.closeInput()
    let deadline = ContinuousClock.now + timeout
    var pause: UInt32 = 200
    while child.poll() == nil, ContinuousClock.now < deadline, !cancellation.isCancelled {
      if outputIsOpen {
        drainOutput(until: deadline)
      } else {
        // A child that has closed its output ends within a moment.
        usleep(pause)
        pause = min(pause * 2, 10_000)
      }
    }
    // How it ends by this process says nothing about the transfer.
    let hasEnded = child.poll() != nil
    child.terminate()
    drainErrors()
    exit = hasEnded ? child.exit : nil
    closeNow()
  }

  /// Kills the child and closes the connection. Does nothing if it is closed.
  func closeNow() {
    child?.terminate()
    child = nil
    if let waker = wake?.theirs.rawValue { cancellation.remove(waker: waker) }
    wake = nil
    pending = []
    frames = FrameState()
    outputIsOpen = true
    errorsAreOpen = true
  }

  /// Adds to the messages that are shown to people if the transfer fails.
  func appendMessages(_ bytes: some Sequence<UInt8>) {
    messages.append(contentsOf: bytes.prefix(Self.maximumMessageByteCount - messages.count))
  }

  /// Returns an error with the advice to try ssh alone, if ssh did not answer in time.
  func advising(_ error: GitError) -> GitError {
    guard error.code == .timedOut, error.recoverySuggestion == nil else { return error }
    return GitError(
      error.code, error.message, context: error.context, recoverySuggestion: remote.sshAdvice(programs))
  }

  /// Records an error if the transfer takes longer than it may, also without a byte from the remote: a pack of a few
  /// kilobytes can be hours of work.
  func isOverdue() -> Bool {
    guard ContinuousClock.now - start > limits.totalTimeout else { return false }
    recordFailure(overdue)
    return true
  }

  /// Records an error that the caller found, unless there is one already.
  func recordFailure(_ error: GitError) {
    if failure == nil { failure = error }
  }
}

extension Connection {
  private var overdue: GitError {
    GitError(.timedOut, "the transfer took longer than \(limits.totalTimeout)", context: remote.description)
  }

  private static let closedByRemoteMessage = "the remote closed the connection"

  var closedByRemote: GitError {
    GitError(
      .protocolError, Self.closedByRemoteMessage, context: remote.description,
      recoverySuggestion: advice(after: Self.closedByRemoteMessage))
  }

  /// What to do after an error of which libgit2 has kept the message only.
  func advice(after message: String) -> String? {
    message == Self.closedByRemoteMessage ? "try again in a while; nothing is lost" : nil
  }

  private func recordingFailure<Value>(_ body: () throws(GitError) -> Value) throws(GitError) -> Value {
    do {
      return try body()
    } catch {
      // If the remote closed the connection, the reason is in the child's messages, which are read later.
      if error.message != Self.closedByRemoteMessage { recordFailure(error) }
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
    // Only the remote can be silent: this program may have worked for long on what it sends.
    lastActivity = .now
    while true {
      if cancellation.isCancelled { throw GitError(.cancelled, "interrupted", context: remote.description) }
      let remaining = try remainingTime()
      let ready = waitOnce(forOutput: forOutput, forInput: forInput, for: remaining)
      if ready.output || ready.input { return ready }
    }
  }

  /// Returns the time until the nearest deadline, or throws `.timedOut` after it.
  private func remainingTime() throws(GitError) -> Duration {
    let now = ContinuousClock.now
    var remaining = limits.totalTimeout - (now - start)
    var reason = overdue.message
    if receivedByteCount == 0 {
      let first = firstByteTimeout - (now - start)
      if first < remaining { (remaining, reason) = (first, "no answer within \(firstByteTimeout)") }
    } else {
      let idle = limits.idleTimeout - (now - lastActivity)
      if idle < remaining { (remaining, reason) = (idle, "the remote was silent for \(limits.idleTimeout)") }
    }
    guard remaining > .zero else { throw GitError(.timedOut, reason, context: remote.description) }
    return remaining
  }

  /// Waits once, and collects standard error meanwhile.
  private func waitOnce(forOutput output: Bool, forInput input: Bool, for time: Duration) -> (output: Bool, input: Bool)
  {
    guard let child else { return (output, input) }
    let hungUp = Int16(POLLHUP | POLLERR | POLLNVAL)
    var descriptors = [
      pollfd(fd: output ? child.output.rawValue : -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: input ? child.inputNumber : -1, events: Int16(POLLOUT), revents: 0),
      pollfd(fd: errorsAreOpen ? child.errors.rawValue : -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: wake?.ours.rawValue ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    // Rounded up: a timeout of 0 would make the last millisecond a busy loop.
    let (seconds, attoseconds) = time.components
    let milliseconds = min(seconds, 3600) * 1000 + attoseconds / 1_000_000_000_000_000 + 1
    let count = unsafe poll(&descriptors, nfds_t(descriptors.count), Int32(milliseconds))
    guard count > 0 else { return (false, false) }
    if descriptors[2].revents != 0 { drainErrors() }
    return (
      descriptors[0].revents & (Int16(POLLIN) | hungUp) != 0,
      descriptors[1].revents & (Int16(POLLOUT) | hungUp) != 0
    )
  }

  /// Receives bytes of the child's standard output without waiting. Returns their number, 0 at the end, or nil if none
  /// have arrived. Throws `.tooLarge` beyond the limits.
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
    limits.traffic?.add(received: count)
    let maximum = hasSent ? limits.maximumBytes : min(limits.maximumBytes, limits.maximumReferenceBytes)
    if receivedByteCount > maximum {
      let unit = hasSent ? "bytes" : "bytes of references"
      throw GitError(.tooLarge, "the remote sends more than \(maximum) \(unit)", context: remote.description)
    }
    return count
  }

  /// Reads the bytes that the child has written, after waiting for the first one. Returns 0 at the end.
  func readStream(into buffer: UnsafeMutableRawBufferPointer) throws(GitError) -> Int {
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

  /// Writes all of the bytes to the child.
  func send(_ bytes: UnsafeRawBufferPointer) throws(GitError) {
    guard let child else { throw closedByRemote }
    var offset = 0
    while offset < bytes.count {
      let hasRoom = pending.count < Self.maximumPendingByteCount
      let ready = try wait(forOutput: hasRoom && outputIsOpen, forInput: true)
      if ready.output { try receivePending() }
      guard ready.input else { continue }
      let sent = unsafe Descriptor.send(UnsafeRawBufferPointer(rebasing: bytes[offset...]), to: child.inputNumber)
      if sent > 0 {
        offset += sent
        lastActivity = .now
        limits.traffic?.add(sent: sent)
      } else if sent < 0, ![EAGAIN, EWOULDBLOCK, EINTR].contains(errno) {
        throw closedByRemote
      }
    }
  }

  func send(_ bytes: [UInt8]) throws(GitError) {
    try unsafe bytes.withUnsafeBufferPointer { (buffer) throws(GitError) in
      try unsafe send(UnsafeRawBufferPointer(buffer))
    }
  }

  private func receivePending() throws(GitError) {
    var chunk = [UInt8](repeating: 0, count: 65536)
    let count = try unsafe chunk.withBytes { (buffer) throws(GitError) in try unsafe receive(into: buffer) }
    pending += chunk.prefix(count ?? 0)
  }

  /// Waits for output of the child and discards it.
  private func drainOutput(until deadline: ContinuousClock.Instant) {
    let ready = waitOnce(forOutput: true, forInput: false, for: max(.zero, deadline - .now))
    guard ready.output, let child else { return }
    var discarded = 0
    unsafe withUnsafeTemporaryAllocation(byteCount: 65536, alignment: 1) { buffer in
      discarded = unsafe Descriptor.receive(into: buffer, from: child.output.rawValue)
    }
    if discarded == 0 || (discarded < 0 && ![EAGAIN, EWOULDBLOCK, EINTR].contains(errno)) { outputIsOpen = false }
  }

  private func drainErrors() {
    guard let child else { return }
    // A limit, so that a child that prints without end cannot delay this process past the deadline.
    for _ in 0..<16 where errorsAreOpen {
      var chunk = [UInt8](repeating: 0, count: 4096)
      let count = unsafe chunk.withUnsafeMutableBytes {
        unsafe Descriptor.receive(into: $0, from: child.errors.rawValue)
      }
      if count > 0 {
        appendMessages(chunk.prefix(count))
      } else {
        errorsAreOpen = count < 0 && [EAGAIN, EWOULDBLOCK, EINTR].contains(errno)
        return
      }
    }
  }
}

extension [UInt8] {
  /// Passes the memory of the bytes to `body`, and throws its error.
  mutating func withBytes<Value>(
    _ body: (UnsafeMutableRawBufferPointer) throws(GitError) -> Value
  ) throws(GitError) -> Value {
    try unsafe withUnsafeMutableBufferPointer { (buffer) throws(GitError) in
      try unsafe body(UnsafeMutableRawBufferPointer(buffer))
    }
  }
}
