internal import CofferCrypto
internal import CofferSystem
internal import Foundation

/// A connection to a program that speaks the Assuan protocol (libassuan's manual, "Client requests" and "Server
/// responses"). Releasing it ends the program.
final class AssuanConnection {
  /// The reasons for which the connection ends.
  enum Failure: Error {
    /// The user or the program cancelled the request.
    case cancelled
    /// The program has exited, reported an error, or violated the protocol.
    case broken
  }

  private static let maximumLineByteCount = 1000

  private let process: ChildProcess
  private var ownEnd: Descriptor?
  private var socket: Int32 { ownEnd?.rawValue ?? -1 }
  /// The bytes that were read but not yet parsed. They may contain the secret, so the storage is never reallocated and
  /// is wiped at the end.
  private var received: [UInt8] = []

  private init(_ process: ChildProcess, socket: consuming Descriptor) {
    self.process = process
    ownEnd = .some(socket)
    received.reserveCapacity(2 * Self.maximumLineByteCount)
  }

  /// Starts a program, by its path or its name in `PATH`, with its standard input and output connected to a socket of
  /// this process. Returns nil if it cannot be started.
  static func start(_ program: String) -> AssuanConnection? {
    do throws(SystemError) {
      let pair = try Descriptor.socketPair()
      let theirs = ChildProcess.StandardStream.descriptor(pair.theirs.rawValue)
      let process = try ChildProcess.start(
        program, searchesPath: true, input: theirs, output: theirs, errors: .null)
      return AssuanConnection(process, socket: pair.closeTheirs())
    } catch {
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
  func command(_ line: String, for request: AuthenticationRequest) throws(Failure) {
    try send(line)
    try expectOK(for: request)
  }

  /// Waits for the program's `OK`.
  func expectOK(for request: AuthenticationRequest) throws(Failure) {
    _ = try response(for: request)
  }

  /// Returns what the program says about itself.
  func information(_ name: String, for request: AuthenticationRequest) throws(Failure) -> SecretText {
    try send("GETINFO \(name)")
    return try response(for: request)
  }

  /// Shows the dialog and returns the secret.
  func secret(for request: AuthenticationRequest) throws(Failure) -> SecretText {
    try send("GETPIN")
    return try response(for: request)
  }

  /// Reads lines up to the program's `OK`, and returns the data in them.
  private func response(for request: AuthenticationRequest) throws(Failure) -> SecretText {
    try SecretText(capacity: Passphrase.maximumByteCount) { (data) throws(Failure) in
      while try !readLine(into: &data, for: request) {}
    }
  }

  /// Reads a line and appends its data. Returns true for `OK`.
  private func readLine(into data: inout SecretBuffer, for request: AuthenticationRequest) throws(Failure) -> Bool {
    var line = try line(for: request)
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
        unsafe Foundation.send(
          socket, buffer.baseAddress.map { unsafe $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw .broken }
      sent += count
    }
  }

  /// Reads the next line, which the caller must wipe.
  private func line(for request: AuthenticationRequest) throws(Failure) -> [UInt8] {
    while true {
      if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
        let line = Array(received[..<end])
        discard(end + 1)
        return line
      }
      guard received.count <= Self.maximumLineByteCount else { throw .broken }
      try receive(for: request)
    }
  }

  private func receive(for request: AuthenticationRequest) throws(Failure) {
    while !request.isCancelled {
      var event = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&event, 1, AuthenticationRequest.pollMilliseconds) > 0 else { continue }
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
