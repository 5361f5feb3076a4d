internal import CofferCrypto
package import CofferFormat
package import CofferSystem

/// One end of a connection between a client and the agent: whole messages, which are wiped after use.
package struct AgentChannel: ~Copyable, Sendable {
  package let socket: LocalSocket

  package init(_ socket: consuming LocalSocket) { self.socket = socket }

  package func send(_ request: AgentRequest) throws(SystemError) { try send(wiping: request.secretBytes()) }

  package func send(_ response: AgentResponse) throws(SystemError) { try send(wiping: response.secretBytes()) }

  private func send(wiping bytes: consuming [UInt8]) throws(SystemError) {
    defer { bytes.wipe() }
    let outcome = unsafe bytes.withUnsafeBytes { bytes in
      Result { () throws(SystemError) in try unsafe socket.send(bytes) }
    }
    try outcome.get()
  }

  /// Receives at most `limit` bytes and passes them to `read`. Nil at the end of the connection.
  package func receive<Message>(
    upTo limit: Int, _ read: ([UInt8]) throws(FormatError) -> Message
  ) throws(SystemError) -> Result<Message, FormatError>? {
    var bytes = [UInt8](repeating: 0, count: limit)
    defer { bytes.wipe() }
    let outcome = unsafe bytes.withUnsafeMutableBytes { bytes in
      Result { () throws(SystemError) in try unsafe socket.receive(into: bytes) }
    }
    let count = try outcome.get()
    guard count > 0 else { return nil }
    bytes.removeLast(limit - count)
    return Result { () throws(FormatError) in try read(bytes) }
  }
}
