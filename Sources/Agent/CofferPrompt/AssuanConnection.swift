package import CofferCrypto
internal import CofferPlatform
internal import CofferSystem

/// A connection to a program that speaks the Assuan protocol (libassuan's manual, "Client requests" and "Server
/// responses"). Releasing it ends the program.
package final class AssuanConnection {
  /// The reasons for which the connection ends.
  package enum Failure: Error {
    /// The user or the program cancelled the request.
    case cancelled
    /// The program has exited, reported an error, or violated the protocol.
    case broken
  }

  private static let maximumLineByteCount = 1000
  /// The maximum length of an answer, in bytes.
  private static let maximumAnswerByteCount = 1024
  /// How often the connection looks whether the request was cancelled.
  private static let pollMilliseconds: Int32 = 100

  private let process: ChildProcess
  private var ownEnd: Descriptor?
  private var socket: Int32 { ownEnd?.rawValue ?? -1 }
  /// The bytes that were read but not yet parsed. They may contain the secret, so the storage is never reallocated and
  /// is wiped at the end.
  private var received: [UInt8] = []
  private let isCancelled: @Sendable () -> Bool

  private init(
    _ process: ChildProcess, socket: consuming Descriptor, isCancelled: @escaping @Sendable () -> Bool
  ) {
    self.process = process
    self.isCancelled = isCancelled
    ownEnd = .some(socket)
    received.reserveCapacity(2 * Self.maximumLineByteCount)
  }

  /// Starts a program, by its path or its name in `PATH`, with its standard input and output connected to a socket of
  /// this process, and all of its variables in `environment`, unless that is nil. Returns nil if it cannot be started.
  /// Whatever waits for the program ends when `isCancelled` returns true.
  ///
  /// With `isUnreadable`, other programs of the user can neither read what is typed into the program nor answer in its
  /// place, unless it is a script: see ``UnreadableProgram``.
  package static func start(
    _ program: String, environment: [String: String]? = nil, isUnreadable: Bool = false,
    isCancelled: @escaping @Sendable () -> Bool
  ) -> AssuanConnection? {
    do throws(SystemError) {
      let pair = try Descriptor.socketPair()
      let theirs = ChildProcess.StandardStream.descriptor(pair.theirs.rawValue)
      let process: ChildProcess
      if isUnreadable, let copy = try unreadableCopy(of: program) {
        process = try ChildProcess.start(
          program, file: copy.path, environment: environment, input: theirs, output: theirs, errors: .null)
        // The child opens the path while it starts.
        withExtendedLifetime(copy) {}
      } else {
        process = try ChildProcess.start(
          program, searchesPath: true, environment: environment, input: theirs, output: theirs, errors: .null)
      }
      return AssuanConnection(process, socket: pair.closeTheirs(), isCancelled: isCancelled)
    } catch {
      return nil
    }
  }

  /// Returns a copy of a program; nil if a copy does not help.
  private static func unreadableCopy(of program: String) throws(SystemError) -> UnreadableProgram? {
    guard let path = UnreadableProgram.path(of: program) else { return nil }
    do throws(SystemError) {
      return try UnreadableProgram(copying: path)
    } catch {
      guard error.number == ENOEXEC else { throw error }
      return nil
    }
  }

  deinit {
    received.wipe()
    ownEnd = nil
    // The program ends by itself when its input ends. If it does not, the process object kills it.
    guard process.wait(timeout: .milliseconds(200)) == nil else { return }
    process.send(signal: SIGTERM)
    process.wait(timeout: .milliseconds(400))
  }

  /// Sends a command and waits for the program's confirmation.
  package func command(_ line: String) throws(Failure) {
    try send(line)
    try expectOK()
  }

  /// Waits for the program's `OK`.
  package func expectOK() throws(Failure) {
    _ = try response()
  }

  /// Returns what the program says about itself.
  package func information(_ name: String) throws(Failure) -> SecretText {
    try send("GETINFO \(name)")
    return try response()
  }

  /// Shows the dialog and returns the secret.
  package func secret() throws(Failure) -> SecretText {
    try send("GETPIN")
    return try response()
  }

  /// Reads lines up to the program's `OK`, and returns the data in them.
  private func response() throws(Failure) -> SecretText {
    try SecretText(capacity: Self.maximumAnswerByteCount) { (data) throws(Failure) in
      while try !readLine(into: &data) {}
    }
  }

  /// Reads a line and appends its data. Returns true for `OK`.
  private func readLine(into data: inout SecretBuffer) throws(Failure) -> Bool {
    var line = try line()
    defer { line.wipe() }
    switch AssuanLine(line) {
    case .ok: return true
    case .data(let range):
      guard AssuanLine.append(range, of: line, to: &data) else { throw .broken }
    case .error(let isCancellation): throw isCancellation ? .cancelled : .broken
    case .ignored: break
    case .malformed: throw .broken
    }
    return false
  }

  private func send(_ line: String) throws(Failure) {
    let bytes = Array("\(line)\n".utf8)
    var sent = 0
    while sent < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        unsafe CofferPlatform.send(
          socket, buffer.baseAddress.map { unsafe $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw .broken }
      sent += count
    }
  }

  /// Reads the next line, which the caller must wipe.
  private func line() throws(Failure) -> [UInt8] {
    while true {
      if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
        let line = Array(received[..<end])
        discard(end + 1)
        return line
      }
      guard received.count <= Self.maximumLineByteCount else { throw .broken }
      try receive()
    }
  }

  private func receive() throws(Failure) {
    while !isCancelled() {
      var event = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&event, 1, Self.pollMilliseconds) > 0 else { continue }
      var chunk = [UInt8](repeating: 0, count: Self.maximumLineByteCount)
      defer { chunk.wipe() }
      let count = unsafe recv(socket, &chunk, chunk.count, 0)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw .broken }
      received.append(contentsOf: chunk.prefix(count))
      return
    }
    throw .cancelled
  }

  /// Removes the first bytes of `received` in place and zeroes the storage after the remaining ones.
  private func discard(_ count: Int) {
    let rest = received.count - count
    for index in 0..<rest { received[index] = received[count + index] }
    for index in rest..<received.count { received[index] = 0 }
    received.removeLast(count)
  }
}

/// A line that a server of the Assuan protocol sends (libassuan's manual, "Server responses").
package enum AssuanLine: Equatable {
  /// The command succeeded.
  case ok
  /// Escaped bytes of the answer, at these positions of the line: a slice would keep the line from being wiped.
  case data(Range<Int>)
  /// The command failed, or the user cancelled it.
  case error(isCancellation: Bool)
  /// A comment or a status line.
  case ignored
  /// The line is none of the protocol.
  case malformed

  /// Reads a line without its end.
  package init(_ line: [UInt8]) {
    let space = UInt8(ascii: " ")
    let word = line.prefix { $0 != space }
    let rest = min(word.count + 1, line.count)
    if word.elementsEqual("OK".utf8) {
      self = .ok
    } else if word.elementsEqual("D".utf8) {
      self = .data(rest..<line.count)
    } else if word.elementsEqual("ERR".utf8) {
      let code = UInt32(String(decoding: line[rest...].prefix { $0 != space }, as: UTF8.self)) ?? 0
      self = .error(isCancellation: Self.isCancellation(code))
    } else if word.elementsEqual("S".utf8) || word.first == UInt8(ascii: "#") {
      self = .ignored
    } else {
      self = .malformed
    }
  }

  /// Returns whether an error code means cancelled (99), fully cancelled (198), not confirmed (114) or timed out (62):
  /// libgpg-error's codes, in the lower 16 bits.
  private static func isCancellation(_ code: UInt32) -> Bool { [99, 198, 62, 114].contains(code & 0xFFFF) }

  /// Appends the bytes of a data line to `data`, without their percent escapes. Returns false if an escape is malformed
  /// or the bytes do not fit a passphrase.
  package static func append(_ range: Range<Int>, of line: [UInt8], to data: inout SecretBuffer) -> Bool {
    var index = range.lowerBound
    while index < range.upperBound {
      if line[index] == UInt8(ascii: "%") {
        guard index + 2 < range.upperBound, let high = digit(line[index + 1]), let low = digit(line[index + 2]) else {
          return false
        }
        guard data.append(high << 4 | low) else { return false }
        index += 3
      } else {
        guard data.append(line[index]) else { return false }
        index += 1
      }
    }
    return true
  }

  private static func digit(_ character: UInt8) -> UInt8? {
    UInt8(exactly: Character(Unicode.Scalar(character)).hexDigitValue ?? -1)
  }

  /// Percent-escapes line breaks and percent signs, and shortens the text to fit a line. By scalars: a percent sign
  /// that is followed by a combining mark is another `Character`, and the same byte for the server.
  package static func escaped(_ text: String) -> String {
    // A line has at most 1000 bytes, with its command.
    let limit = 960
    var escaped = ""
    for scalar in text.unicodeScalars {
      let piece =
        switch scalar {
        case "%": "%25"
        case "\n": "%0A"
        case "\r": "%0D"
        default: String(scalar)
        }
      guard escaped.utf8.count + piece.utf8.count <= limit else { return escaped + "…" }
      escaped.unicodeScalars.append(contentsOf: piece.unicodeScalars)
    }
    return escaped
  }
}
