package import CofferCrypto
package import CofferFormat
package import CofferSystem

/// One end of a connection between a client and the agent. Its packets have keys, and are in guarded memory only.
package struct AgentChannel: ~Copyable, Sendable {
  package let socket: LocalSocket

  package init(_ socket: consuming LocalSocket) { self.socket = socket }

  package func send(_ request: AgentRequest) throws(SystemError) { try send(request.packet()) }

  package func send(_ response: AgentResponse) throws(SystemError) { try send(response.packet()) }

  private func send(_ packet: SecretText) throws(SystemError) {
    try unsafe packet.withBytes { (bytes) throws(SystemError) in try unsafe socket.send(bytes) }
  }

  /// Waits for a packet of at most `limit` bytes and passes it to `read`. Nil at the end of the connection.
  package func receive<Message>(
    upTo limit: Int, _ read: (SecretText) throws(FormatError) -> Message
  ) throws(SystemError) -> Result<Message, FormatError>? {
    // Memory that is locked is scarce: there is none for a client that sends nothing.
    let count = try socket.awaitPacket()
    guard count > 0 else { return nil }
    // A larger packet does not fit, which is an error.
    let packet = try SecretText(capacity: min(count, limit)) { (packet) throws(SystemError) in
      try unsafe packet.append { (bytes) throws(SystemError) in try unsafe socket.receive(into: bytes) }
    }
    return Result { () throws(FormatError) in try read(packet) }
  }
}
