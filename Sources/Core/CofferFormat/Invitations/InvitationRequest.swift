package import CofferCrypto

/// What a new machine states of itself to be enrolled by invitation. It is sealed under the code, so that only who has that
/// can ask, and nobody can alter what was asked.
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
