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
/// allocated.
package final class RequestSocket: Sendable {
  package let descriptor: Descriptor

  package init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

  /// The most bytes of the JSON of a request.
  private static let requestLimit = 1 << 18
  /// The most bytes of the JSON of an answer.
  private static let answerLimit = 1 << 24

  /// An answer, or the error of the vault.
  private struct Reply: Codable {
    var answer: VaultAnswer?
    var code: String?
    var message: String?
    var suggestion: String?
  }

  /// Asks, and waits for the answer. One thread asks at a time. `value` is as in ``Coffer/Vault/answer(_:value:)``.
  package func ask(_ request: VaultRequest, value: inout [UInt8]?) throws(VaultError) -> VaultAnswer {
    let json = try Self.json(request, upTo: Self.requestLimit)
    send(json, value)
    value?.wipe()
    value = nil
    guard let (bytes, found) = receive(upTo: Self.answerLimit),
      let reply = try? JSONDecoder().decode(Reply.self, from: Data(bytes))
    else {
      throw VaultError(
        .busy, "the broker of Coffer outside of the sandbox has ended",
        recoverySuggestion: "open the vault again; if this was a write, read whether it took effect")
    }
    guard let answer = reply.answer else {
      throw VaultError(
        VaultError.Code.named(reply.code ?? ""), reply.message ?? "the broker has refused the request",
        recoverySuggestion: reply.suggestion)
    }
    value = found
    return answer
  }

  /// Receives a request; nil at the end of the connection, and for what is no request.
  package func receiveRequest() -> (request: VaultRequest, value: [UInt8]?)? {
    guard let (bytes, value) = receive(upTo: Self.requestLimit),
      let request = try? JSONDecoder().decode(VaultRequest.self, from: Data(bytes))
    else { return nil }
    return (request, value)
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
    let reply = Reply(
      code: error.code.description, message: error.message, suggestion: error.recoverySuggestion)
    if let json = try? Self.json(reply, upTo: Self.answerLimit) { send(json, nil) }
  }

  /// Sends that something has changed. Returns false if nobody receives it any more.
  package func sendChange() -> Bool {
    let sent = unsafe withUnsafeBytes(of: UInt8(1)) { unsafe Descriptor.send($0, to: descriptor.rawValue) }
    // A full socket is readable already.
    return sent >= 0 || errno == EAGAIN || errno == EINTR
  }

  /// Waits until the other end sends something, or is closed.
  package func awaitInput() {
    var event = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
    while unsafe poll(&event, 1, -1) < 0, errno == EINTR {}
  }

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

  private func send(_ json: [UInt8], _ value: [UInt8]?) {
    let lengths = [UInt32(json.count), value.map { UInt32($0.count) + 1 } ?? 0]
    let head = lengths.flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
    unsafe (head + json).withUnsafeBytes { unsafe descriptor.sendAll($0) }
    if let value { unsafe value.withUnsafeBytes { unsafe descriptor.sendAll($0) } }
  }

  private func receive(upTo limit: Int) -> (json: [UInt8], value: [UInt8]?)? {
    guard let head = receive(count: 8) else { return nil }
    func number(_ start: Int) -> Int { (0..<4).reduce(0) { $0 | Int(head[start + $1]) << ($1 * 8) } }
    let (jsonCount, valueCount) = (number(0), number(4) - 1)
    guard jsonCount <= limit, valueCount <= Vault.maximumValueByteCount, let json = receive(count: jsonCount) else {
      return nil
    }
    guard valueCount >= 0 else { return (json, nil) }
    guard let value = receive(count: valueCount) else { return nil }
    return (json, value)
  }

  private func receive(count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    let received = unsafe bytes.withUnsafeMutableBytes { unsafe descriptor.readToEnd(into: $0) }
    if received == count { return bytes }
    bytes.wipe()
    return nil
  }
}

extension VaultError.Code {
  /// Returns the code with a name; `io` for an unknown one.
  fileprivate static func named(_ name: String) -> VaultError.Code {
    let all: [VaultError.Code] = [
      .itemNotFound, .duplicateItem, .itemChanged, .noVault, .vaultExists, .notEntitled, .locked, .authenticationFailed,
      .authenticationCancelled, .cancelled, .invalidArgument, .integrity, .upgradeNeeded, .network, .busy, .diskFull,
      .readOnly,
    ]
    return all.first { $0.description == name } ?? .io
  }
}
