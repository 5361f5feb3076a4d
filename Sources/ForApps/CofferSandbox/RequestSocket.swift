internal import Coffer
internal import CofferCrypto
internal import CofferPlatform
package import CofferSystem
package import CofferVault

/// One end of the socket between an app in a sandbox and the broker outside of it. The socket is what gives the app its
/// rights, and the kernel gives it to the app alone; the bus sees no request and no value.
///
/// A message is two lengths of four bytes, little end first, a JSON object and a value. The second length is 0 if there
/// is no value, and one more than that of the value otherwise. Lengths are compared with their limits before memory is
/// allocated. A message that has begun ends in time, or the connection does: neither end can make the other one wait.
package final class RequestSocket: Sendable {
  package let descriptor: Descriptor

  package init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

  /// The most bytes of the JSON of a request. A change of several items has the attributes of each.
  private static let requestLimit = 2 << 20
  /// The most bytes of the JSON of an answer: a list of some 20,000 items.
  private static let answerLimit = 16 << 20
  /// How long one message may take from its first byte to its last.
  private static let messageTime = Duration.seconds(10)
  /// How long an answer may take. A person can be asked before it, and a vault can be synced.
  private static let answerTime = Duration.seconds(600)

  /// An answer, or the error of the vault.
  private struct Reply: Codable {
    var answer: VaultAnswer?
    var error: VaultError.Report?
  }

  /// Asks, and waits for the answer. One thread asks at a time. `value` is the value to write, and then the one that
  /// was read. Throws `busy` if the other end has ended; the socket is of no more use then.
  package func ask(_ request: VaultRequest, value: inout [UInt8]?) throws(VaultError) -> VaultAnswer {
    do {
      defer {
        value?.wipe()
        value = nil
      }
      send(try Self.json(request, upTo: Self.requestLimit), value)
    }
    guard awaitInput(for: Self.answerTime), let (bytes, found) = receive(upTo: Self.answerLimit),
      let reply = try? JSONDecoder().decode(Reply.self, from: Data(bytes))
    else {
      // An answer that comes later is none to the next request.
      close()
      throw VaultError(
        .busy, "the broker of Coffer outside of the sandbox has ended",
        recoverySuggestion: "try again; if this was a write, read first whether it took effect")
    }
    guard let answer = reply.answer else {
      throw reply.error?.error
        ?? VaultError(
          .io, "the broker of Coffer gives neither an answer nor an error",
          recoverySuggestion: "update Coffer on this machine, and the app")
    }
    value = found
    return answer
  }

  /// Receives a request; nil at the end of the connection, and for what is no request.
  package func receiveRequest() -> (request: VaultRequest, value: [UInt8]?)? {
    guard var message = receive(upTo: Self.requestLimit) else { return nil }
    guard let request = try? JSONDecoder().decode(VaultRequest.self, from: Data(message.json)) else {
      message.value?.wipe()
      return nil
    }
    return (request, message.value)
  }

  /// Sends an answer, and wipes the value.
  package func send(_ answer: VaultAnswer, value: inout [UInt8]?) {
    defer { value?.wipe() }
    do throws(VaultError) {
      send(try Self.json(Reply(answer: answer), upTo: Self.answerLimit), value)
    } catch {
      send(error)
    }
  }

  /// Sends an error in the place of an answer.
  package func send(_ error: VaultError) {
    if let json = try? Self.json(Reply(error: VaultError.Report(error)), upTo: Self.answerLimit) { send(json, nil) }
  }

  /// Sends that something has changed. Returns false if nobody receives it any more.
  package func sendChange() -> Bool {
    let sent = unsafe withUnsafeBytes(of: UInt8(1)) { unsafe Descriptor.send($0, to: descriptor.rawValue) }
    // A full socket is readable already.
    return sent >= 0 || errno == EAGAIN || errno == EINTR
  }

  /// Waits for a change. Returns false at the end of the connection.
  package func receiveChange() -> Bool {
    var end: ContinuousClock.Instant?
    return receive(count: 1, until: &end) != nil
  }

  /// Waits until the other end has sent something or is closed. Returns false if that takes longer; nil is for ever.
  package func awaitInput(for time: Duration? = nil) -> Bool { wait(POLLIN, until: time.map { .now + $0 }) }

  /// Whether the other end is closed. Between requests, nothing is sent.
  package var hasEnded: Bool { descriptor.hasInput }

  /// Ends the connection for both ends.
  package func close() { _ = shutdown(descriptor.rawValue, Int32(SHUT_RDWR)) }

  private static func json(_ message: some Encodable, upTo limit: Int) throws(VaultError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let json = try? encoder.encode(message), json.count <= limit else {
      throw VaultError(
        .invalidArgument, "the names of the request or of its answer are too long for an app in a sandbox",
        recoverySuggestion: "search for fewer items, or name them with fewer bytes")
    }
    return [UInt8](json)
  }

  /// Sends a message, and ends the connection if the other end does not receive it in time.
  private func send(_ json: [UInt8], _ value: [UInt8]?) {
    let lengths = [UInt32(json.count), value.map { UInt32($0.count) + 1 } ?? 0]
    let head = lengths.flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
    let end = ContinuousClock.now + Self.messageTime
    for part in [head + json, value ?? []] {
      guard unsafe part.withUnsafeBytes({ unsafe send($0, until: end) }) else { return close() }
    }
  }

  private func send(_ bytes: UnsafeRawBufferPointer, until end: ContinuousClock.Instant) -> Bool {
    var rest = unsafe bytes[...]
    while unsafe !rest.isEmpty {
      let count = unsafe Descriptor.send(UnsafeRawBufferPointer(rebasing: rest), to: descriptor.rawValue)
      if count > 0 {
        unsafe rest = rest.dropFirst(count)
      } else if count == 0 || errno != EAGAIN && errno != EINTR || !wait(POLLOUT, until: end) {
        return false
      }
    }
    return true
  }

  private func receive(upTo limit: Int) -> (json: [UInt8], value: [UInt8]?)? {
    // For ever until the first byte.
    var end: ContinuousClock.Instant?
    guard let head = receive(count: 8, until: &end) else { return nil }
    func number(_ start: Int) -> Int {
      Int(clamping: (0..<4).reduce(UInt64(0)) { $0 | UInt64(head[start + $1]) << ($1 * 8) })
    }
    let (jsonCount, valueCount) = (number(0), number(4) - 1)
    guard jsonCount <= limit, valueCount <= Vault.maximumValueByteCount,
      let json = receive(count: jsonCount, until: &end)
    else { return nil }
    guard valueCount >= 0 else { return (json, nil) }
    guard let value = receive(count: valueCount, until: &end) else { return nil }
    return (json, value)
  }

  private func receive(count: Int, until end: inout ContinuousClock.Instant?) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count, wait(POLLIN, until: end) {
      let received = unsafe bytes.withUnsafeMutableBytes {
        unsafe Descriptor.receive(
          into: UnsafeMutableRawBufferPointer(rebasing: $0[filled...]), from: descriptor.rawValue)
      }
      guard received > 0 || received < 0 && (errno == EAGAIN || errno == EINTR) else { break }
      filled += max(received, 0)
      end = end ?? .now + Self.messageTime
    }
    if filled == count { return bytes }
    bytes.wipe()
    return nil
  }

  /// Waits for an event of the socket. Returns false if it does not happen in time.
  private func wait(_ event: Int32, until end: ContinuousClock.Instant?) -> Bool {
    while true {
      var wait = pollfd(fd: descriptor.rawValue, events: Int16(event), revents: 0)
      let rest = end.map { ContinuousClock.now.duration(to: $0) / .milliseconds(1) }
      if let rest, rest <= 0 { return false }
      let result = unsafe poll(&wait, 1, rest.map { Int32(min($0, 1e9)) + 1 } ?? -1)
      if result > 0 { return true }
      guard result == 0 || errno == EINTR else { return false }
    }
  }
}
