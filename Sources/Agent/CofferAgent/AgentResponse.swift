package import CofferCrypto
package import CofferFormat

/// What the agent answers. One packet, as ``AgentRequest``.
package enum AgentResponse: Sendable {
  /// Why a request has no answer.
  package enum Refusal: UInt8, Sendable {
    /// The agent does not have the keys.
    case locked = 1
    /// A person has to answer, and the agent cannot ask one.
    case leaseRequired = 2
    /// A person has declined, or has not answered.
    case denied = 3
    /// The packet is malformed, of another version, or out of order.
    case malformed = 4
    /// The vault cannot be read, or does not have what was asked for.
    case failed = 5
    /// The process that has opened the connection has ended, or runs another program.
    case otherProcess = 6
    /// No person is asked: too many questions wait, or one was refused a moment ago.
    case notAsked = 7
    /// The keys are an app's, and the client has not proved that it is the app. The second line of the message is what
    /// to do.
    case otherApp = 8
  }

  /// Done, for a number of keys.
  case done(UInt32)
  /// The session has begun.
  case opened
  /// The secrets of a group, by the numbers of the generations, and the key under which the author marks records of the
  /// group that it has verified.
  case secrets([UInt32: SecretBytes], verificationKey: SecretBytes)
  case signature(Signature)
  case refused(Refusal, message: String)
  /// A person is being asked. Another answer follows.
  case asking
  /// The state, as JSON.
  case status([UInt8])

  /// The largest size of a packet in bytes.
  package static let byteCountLimit = 65_536
  private static let secretLimit = 900

  /// Returns the packet, in guarded memory: that of ``secrets`` has keys.
  package func packet() -> SecretText {
    SecretText(capacity: Self.byteCountLimit) { packet in
      packet.u8(AgentRequest.version)
      write(to: &packet)
    }
  }

  private func write(to packet: inout SecretBuffer) {
    switch self {
    case .done(let count):
      packet.u8(1)
      packet.u32(count)
    case .opened: packet.u8(2)
    case .secrets(let secrets, let verificationKey):
      packet.u8(3)
      // The newest ones, if there are more: those before are wrapped in them for whoever opens the log.
      let newest = secrets.sorted { $0.key < $1.key }.suffix(Self.secretLimit)
      packet.list(Array(newest)) { packet, generation in
        packet.u32(generation.key)
        packet.secret(generation.value)
      }
      packet.secret(verificationKey)
    case .signature(let signature):
      packet.u8(4)
      packet.fixed(signature.bytes)
    case .refused(let reason, let message):
      packet.u8(5)
      packet.u8(reason.rawValue)
      packet.string(message)
    case .asking: packet.u8(6)
    case .status(let json):
      packet.u8(7)
      packet.data(json)
    }
  }

  /// Reads a packet.
  package init(packet: SecretText) throws(FormatError) {
    var reader = PacketReader(packet, object: "answer")
    guard try reader.u8("version") == AgentRequest.version else { throw reader.failure(.unsupportedVersion, "version") }
    switch try reader.u8("kind") {
    case 1: self = .done(try reader.u32("number"))
    case 2: self = .opened
    case 3:
      let secrets = try reader.list("secrets", cap: Self.secretLimit) { (reader) throws(FormatError) in
        (generation: try reader.u32("generation"), secret: try reader.secret(64, "secret"))
      }
      // In ascending order, and so none twice.
      guard zip(secrets, secrets.dropFirst()).allSatisfy({ $0.generation < $1.generation }) else {
        throw reader.failure(.invalidValue, "secrets")
      }
      self = .secrets(
        Dictionary(uniqueKeysWithValues: secrets.map { ($0.generation, $0.secret) }),
        verificationKey: try reader.secret(32, "key"))
    case 4: self = .signature(try reader.signature("signature"))
    case 5:
      guard let reason = Refusal(rawValue: try reader.u8("reason")) else {
        throw reader.failure(.invalidValue, "reason")
      }
      self = .refused(reason, message: try reader.string("message", cap: 4096))
    case 6: self = .asking
    case 7: self = .status(try reader.data("status", cap: Self.byteCountLimit))
    default: throw reader.failure(.invalidValue, "kind")
    }
    try reader.finish()
  }
}
