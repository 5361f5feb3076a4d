package import CofferCrypto

/// What the inviter answers to one request. It is sealed under the code and bound to that request.
package struct InvitationAnswer: Hashable, Sendable {
  /// Why a request was refused.
  package enum Refusal: UInt8, Sendable, CaseIterable {
    /// The inviter has cancelled the invitation.
    case cancelled = 1
    /// It had expired by the inviter's clock.
    case expired = 2
    /// Two machines have asked with one code.
    case severalRequests = 3
    /// Another machine was enrolled with the code.
    case used = 4
  }

  /// What an enrolled machine needs to open the log, and to notice that it is shown an older one.
  package struct Admission: Hashable, Sendable {
    /// A position of the log that has the machine's entry. The machine refuses a log without this position.
    package let head: LogPosition
    /// The number of the root at that position, 1 for that of the genesis.
    package let rootGeneration: UInt32
    /// The generation of the transport key.
    package let transportGeneration: UInt32
    /// The transport key, sealed to the requested key. The code does not open it, because codes may leak later.
    package let transportBox: [UInt8]

    /// Seals a transport key to the machine of a request. A machine that states an unusable key gets none, see
    /// ``BoxKey/sealOrDecoy(_:)``.
    package init(
      head: LogPosition, rootGeneration: UInt32, transportKey: TransportKey, to request: InvitationRequest
    ) {
      self.head = head
      self.rootGeneration = rootGeneration
      transportGeneration = transportKey.generation
      transportBox = request.keys.box.sealOrDecoy(transportKey.key.secret)
    }

    fileprivate init(from reader: inout ByteReader) throws(FormatError) {
      head = try LogPosition(from: &reader)
      rootGeneration = try reader.u32("root generation")
      transportGeneration = try reader.u32("transport generation")
      guard rootGeneration > 0, transportGeneration > 0 else { throw reader.failure(.invalidValue, "generation") }
      transportBox = try reader.fixed(32 + BoxKey.overheadByteCount, "transport key")
    }

    fileprivate func write(to writer: inout ByteWriter) {
      head.write(to: &writer)
      writer.u32(rootGeneration)
      writer.u32(transportGeneration)
      writer.fixed(transportBox)
    }

    /// Opens the transport key. Throws ``CryptoError/authenticationFailed`` if it was sealed to another machine's key.
    package func transportKey(openedBy key: AgreementKey) throws(CryptoError) -> TransportKey {
      TransportKey(generation: transportGeneration, key: try SymmetricKey(key.open(transportBox)))
    }
  }

  /// What was decided.
  package enum Outcome: Hashable, Sendable {
    case admitted(Admission)
    case refused(Refusal)
  }

  /// The vault.
  package let genesis: EntryHash
  package let outcome: Outcome

  package init(genesis: EntryHash, outcome: Outcome) {
    self.genesis = genesis
    self.outcome = outcome
  }

  /// The object's bytes.
  package var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.begin(.invitationAnswer)
    writer.fixed(genesis.raw)
    switch outcome {
    case .admitted(let admission):
      writer.u8(1)
      admission.write(to: &writer)
    case .refused(let refusal):
      writer.u8(2)
      writer.u8(refusal.rawValue)
    }
    return writer.bytes
  }

  package init(bytes: [UInt8]) throws(FormatError) {
    var reader = ByteReader(bytes, object: ObjectKind.invitationAnswer.name)
    try reader.begin(.invitationAnswer)
    genesis = EntryHash(try reader.bytes32("genesis"))
    switch try reader.u8("outcome") {
    case 1: outcome = .admitted(try Admission(from: &reader))
    case 2:
      guard let refusal = Refusal(rawValue: try reader.u8("refusal")) else {
        throw reader.failure(.invalidValue, "refusal")
      }
      outcome = .refused(refusal)
    default: throw reader.failure(.invalidValue, "outcome")
    }
    try reader.finish()
  }

  /// Returns the file that the repository carries, for the request that is answered.
  package func sealed(for request: Bytes32, under key: InvitationKey) -> [UInt8] {
    Envelope(sealing: bytes, as: .invitationAnswer, key: key.answer, generation: 0, binding: request.bytes).bytes
  }

  /// Opens a file of the repository, which should answer a request. Throws `doesNotOpen` if it answers another one, was
  /// sealed under another code, or was altered, and `invalidValue` for a file of another kind.
  package init(opening file: [UInt8], for request: Bytes32, with key: InvitationKey) throws(FormatError) {
    let envelope = try Envelope(invitationFile: file, as: .invitationAnswer)
    try self.init(bytes: envelope.open(with: key.answer, binding: request.bytes))
  }
}
