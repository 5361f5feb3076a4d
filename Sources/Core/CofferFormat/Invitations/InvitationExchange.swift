package import CofferCrypto

/// What a new machine states of itself to be enrolled by invitation. It is sealed under the code, so that only who has
/// that can ask, and nobody can alter what was asked.
package struct InvitationRequest: Hashable, Sendable {
  /// The vault that the machine was shown, which the code pins.
  package let genesis: EntryHash
  /// Makes each request another one.
  package let nonce: Bytes16
  /// The machine's keys for sync.
  package let keys: PartyPublicKeys
  /// The key to which admins seal what they deliver to it.
  package let deliveryKey: BoxKey
  /// The name that the machine asks for: 1…128 bytes of UTF-8 without control characters.
  package let name: String
  /// The object's bytes.
  package let bytes: [UInt8]
  /// The hash of the object. People compare it in words, and the answer is bound to it.
  package let hash: Bytes32

  package init(genesis: EntryHash, nonce: Bytes16, keys: PartyPublicKeys, deliveryKey: BoxKey, name: String) {
    self.genesis = genesis
    self.nonce = nonce
    self.keys = keys
    self.deliveryKey = deliveryKey
    self.name = name
    var writer = ByteWriter()
    writer.begin(.invitationRequest)
    writer.fixed(genesis.raw)
    writer.fixed(nonce)
    writer.publicKeys(keys)
    writer.fixed(deliveryKey.raw)
    writer.string(name)
    bytes = writer.bytes
    hash = Hash.digest(writer.bytes, domain: .invitationRequest)
  }

  package init(bytes: [UInt8]) throws(FormatError) {
    var reader = ByteReader(bytes, object: ObjectKind.invitationRequest.name)
    try reader.begin(.invitationRequest)
    genesis = EntryHash(try reader.bytes32("genesis"))
    nonce = try reader.bytes16("nonce")
    keys = try reader.publicKeys("keys")
    deliveryKey = BoxKey(try reader.bytes32("delivery key"))
    name = try reader.string("name", cap: Limits.deviceNameByteCount)
    guard DeviceStatement.isValid(name: name) else { throw reader.failure(.invalidValue, "name") }
    try reader.finish()
    self.bytes = bytes
    hash = Hash.digest(bytes, domain: .invitationRequest)
  }

  /// Returns the file that the repository carries.
  package func sealed(under key: InvitationKey) -> [UInt8] {
    Envelope(sealing: bytes, as: .invitationRequest, key: key.request, generation: 0).bytes
  }

  /// Opens a file of the repository. Throws `doesNotOpen` if it was sealed under another code, or altered, and
  /// `invalidValue` for a file of another kind.
  package init(opening file: [UInt8], with key: InvitationKey) throws(FormatError) {
    let envelope = try Envelope(invitationFile: file, as: .invitationRequest)
    try self.init(bytes: envelope.open(with: key.request))
  }
}

extension Envelope {
  init(invitationFile file: [UInt8], as content: Content) throws(FormatError) {
    guard file.count <= Limits.invitationFileByteCount else {
      throw FormatError(.tooLarge, object: ObjectKind.envelope.name, field: "file")
    }
    try self.init(bytes: file, accepting: [content])
    guard generation == 0, boxes.isEmpty else {
      throw FormatError(.invalidValue, object: ObjectKind.envelope.name, field: "content")
    }
  }
}

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
  package struct Admission: Hashable, Fielded {
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

    package init(_ known: Admission?, _ coder: inout FieldCoder) throws(FormatError) {
      head = try LogPosition(known?.head, &coder)
      rootGeneration = try coder.u32(known?.rootGeneration, "root generation")
      transportGeneration = try coder.u32(known?.transportGeneration, "transport generation")
      try coder.require(rootGeneration > 0 && transportGeneration > 0, "generation")
      transportBox = try coder.fixed(known?.transportBox, count: 32 + BoxKey.overheadByteCount, "transport key")
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
