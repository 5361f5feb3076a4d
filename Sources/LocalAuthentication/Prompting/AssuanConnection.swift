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

  /// Starts a program with its standard input and output connected to a socket of this process.
  ///
  /// - Parameter program: The program's path, or its name in `PATH`.
  /// - Returns: The connection, or nil if the program cannot be started.
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
    var data: [UInt8] = []
    defer { data.wipe() }
    try response(into: &data, for: request)
  }

  /// Shows the dialog and returns the secret, which the caller must wipe.
  func secret(for request: AuthenticationRequest) throws(Failure) -> [UInt8] {
    var secret: [UInt8] = []
    secret.reserveCapacity(2 * Self.maximumLineByteCount)
    do throws(Failure) {
      try send("GETPIN")
      try response(into: &secret, for: request)
    } catch {
      secret.wipe()
      throw error
    }
    return secret
  }

  private func response(into data: inout [UInt8], for request: AuthenticationRequest) throws(Failure) {
    while true {
      var line = try line(for: request)
      defer { line.wipe() }
      let space = UInt8(ascii: " ")
      let word = line.prefix { $0 != space }
      switch String(decoding: word, as: UTF8.self) {
      case "OK": return
      case "D":
        try append(line.dropFirst(word.count + 1), to: &data)
      case "ERR":
        let code = UInt32(String(decoding: line.dropFirst(4).prefix { $0 != space }, as: UTF8.self)) ?? 0
        throw Self.isCancellation(code) ? .cancelled : .broken
      case "S": continue
      case let comment where comment.hasPrefix("#"): continue
      default: throw .broken
      }
    }
  }

  /// Appends a data line to `data`, without its percent escapes.
  private func append(_ line: ArraySlice<UInt8>, to data: inout [UInt8]) throws(Failure) {
    var index = line.startIndex
    while index < line.endIndex {
      guard data.count < Passphrase.maximumByteCount else { throw .broken }
      if line[index] == UInt8(ascii: "%") {
        guard index + 2 < line.endIndex, let high = Self.digit(line[index + 1]), let low = Self.digit(line[index + 2])
        else { throw .broken }
        data.append(high << 4 | low)
        index += 3
      } else {
        data.append(line[index])
        index += 1
      }
    }
  }

  private static func digit(_ character: UInt8) -> UInt8? {
    UInt8(exactly: Character(Unicode.Scalar(character)).hexDigitValue ?? -1)
  }

  /// Returns whether an error code means cancelled (99), fully cancelled (198) or timed out (62): libgpg-error's codes,
  /// in the lower 16 bits.
  private static func isCancellation(_ code: UInt32) -> Bool { [99, 198, 62].contains(code & 0xFFFF) }

  /// Percent-escapes line breaks and percent signs, and shortens the text to fit a line.
  static func escaped(_ text: String) -> String {
    // A line has at most 1000 bytes, and an escape takes three.
    let line = text.prefix(240)
    return line.reduce(into: "") { escaped, character in
      switch character {
      case "%": escaped += "%25"
      case "\r\n", "\n": escaped += "%0A"
      case "\r": escaped += "%0D"
      default: escaped.append(character)
      }
    }
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
