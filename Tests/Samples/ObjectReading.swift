internal import CofferCrypto
internal import CofferFormat
internal import CofferKeys

/// Reads bytes as one kind of object and encodes the result again.
package struct ObjectReading: Sendable, CustomStringConvertible {
  package let description: String
  /// Encodes the values that were read from the bytes; throws what the reader throws.
  package let rewrite: @Sendable ([UInt8]) throws -> [UInt8]
  /// An object of this kind.
  package let sample: @Sendable (SampleObjects) throws -> [UInt8]
  /// Whether the bytes can be read and have a valid signature of their author; nil for kinds without a signature.
  package var isAuthentic: (@Sendable ([UInt8], SampleObjects) throws -> Bool)?

  package static let all: [ObjectReading] =
    [
      genesis, rootSlot, laterRootSlot, completeRootSlot, record, tombstone, segment, attributes, envelope, credential,
      deviceFile, openAdminFile,
    ]
    + [lockedAdminFile, lockedCredential, protectedValue] + [recordList] + [openDeliveryFile, lockedDeliveryFile]
    + [headlessCredential, invitationRequest, invitationAnswer, invitationRefusal]
    + [sealedInvitationRequest, sealedInvitationAnswer, invitationsFile, pendingEnrolment]
    + [checkpoint, laterCheckpoint, snapshotChunk, closing, skeleton]
    + [backupStatement, backupKey, receipt]
    + (0..<19).map(entry)

  package static let genesis = ObjectReading(
    description: "genesis",
    rewrite: { bytes in
      let genesis = try Genesis(bytes: bytes)
      var writer = ByteWriter()
      writer.begin(.genesis)
      writer.fixed(genesis.vault.raw)
      writer.i64(genesis.created.microseconds)
      for keys in [genesis.root, genesis.firstDevice, genesis.firstAdmin] { writer.publicKeys(keys) }
      return writer.bytes + bytes.suffix(Signature.count)
    },
    sample: { $0.genesis.bytes },
    isAuthentic: { bytes, _ in
      _ = try Genesis(bytes: bytes); return true
    })

  private static let sampleGenesis = Result { try SampleObjects().genesis }

  package static let rootSlot = ObjectReading(
    description: "root slot",
    rewrite: { bytes in
      let slot = try RootSlot(bytes: bytes, of: sampleGenesis.get())
      var writer = ByteWriter()
      writer.begin(.rootSlot, version: bytes[4])
      writer.fixed(slot.genesis.raw)
      writer.u32(slot.generation)
      writer.publicKeys(slot.root)
      return writer.bytes + bytes[writer.bytes.count...]
    },
    sample: { $0.rootSlot.bytes },
    isAuthentic: { bytes, fixture in
      _ = try RootSlot(bytes: bytes, of: fixture.genesis); return true
    })

  package static let laterRootSlot = ObjectReading(
    description: "root slot of a later root", rewrite: rootSlot.rewrite, sample: { try $0.laterRootSlot().bytes },
    isAuthentic: rootSlot.isAuthentic)

  package static let completeRootSlot = ObjectReading(
    description: "root slot with the first transport key", rewrite: rootSlot.rewrite,
    sample: { $0.completeRootSlot.bytes }, isAuthentic: rootSlot.isAuthentic)

  package static func entry(_ index: Int) -> ObjectReading {
    ObjectReading(
      description: "log entry \(index)",
      rewrite: { bytes in
        let entry = try LogEntry(bytes: bytes)
        var writer = ByteWriter()
        writer.begin(.logEntry)
        writer.fixed(entry.vault.raw)
        writer.u64(entry.sequence)
        writer.fixed(entry.previous.raw)
        writer.i64(entry.time.microseconds)
        switch entry.signer {
        case .root:
          writer.u8(1)
          writer.fixed(Bytes16.zero)
        case .admin(let author):
          writer.u8(2)
          writer.fixed(author.raw)
        }
        writer.u16(entry.kind)
        writer.bool(entry.isCritical)
        writer.data(try Statement.parse(entry)?.body ?? entry.body)
        writer.fixed(entry.signature.bytes)
        return writer.bytes
      },
      sample: { try $0.entries()[index].bytes },
      isAuthentic: { bytes, fixture in
        let signer = try fixture.entries()[index].signer == .root ? fixture.root : fixture.admin
        return try LogEntry(bytes: bytes).isSigned(by: signer.signing.publicKey)
      })
  }

  package static let recordList = ObjectReading(
    description: "record list",
    rewrite: { bytes in
      let list = try RecordList(bytes: bytes)
      let rewritten = RecordList.lists(of: list.records, in: list.vault)
      return rewritten.count == 1 && rewritten[0].hash == list.hash ? rewritten[0].bytes : []
    },
    sample: { $0.recordList.bytes })

  private static func rewriteRecord(_ bytes: [UInt8]) throws -> [UInt8] {
    let record = try Record(bytes: bytes)
    var header = ByteWriter()
    record.header.write(to: &header)
    let hashes = [record.sealedAttributes, record.sealedValue].flatMap { Hash.digest($0, domain: .sealedPart).bytes }
    var writer = ByteWriter()
    writer.data(header.bytes + hashes + record.signedBytes.suffix(Signature.count))
    writer.data(record.sealedAttributes)
    writer.data(record.sealedValue)
    return writer.bytes
  }

  private static let isAuthenticRecord: @Sendable ([UInt8], SampleObjects) throws -> Bool = { bytes, fixture in
    try Record(bytes: bytes).isSigned(by: fixture.principal.signing.publicKey)
  }

  package static let record = ObjectReading(
    description: "record", rewrite: rewriteRecord, sample: { $0.record().bytes }, isAuthentic: isAuthenticRecord)

  package static let tombstone = ObjectReading(
    description: "tombstone", rewrite: rewriteRecord,
    sample: { $0.tombstone(successor: ItemID($0.vault.raw)).bytes }, isAuthentic: isAuthenticRecord)

  package static let segment = ObjectReading(
    description: "segment",
    rewrite: { bytes in
      let segment = try Segment(bytes: bytes)
      var writer = ByteWriter()
      writer.begin(.segment)
      for id in [segment.vault.raw, segment.device.raw, segment.stream.raw] { writer.fixed(id) }
      writer.u64(segment.number)
      writer.fixed(segment.previous.raw)
      writer.u64(segment.log.sequence)
      writer.fixed(segment.log.hash.raw)
      writer.list(segment.seen) { writer, position in
        writer.fixed(position.stream.raw)
        writer.u64(position.number)
        writer.fixed(position.hash.raw)
      }
      writer.fixed(segment.group.raw)
      var payload = ByteWriter()
      payload.list(segment.records) { $0.data($1) }
      writer.fixed(Hash.digest(payload.bytes, domain: .payload))
      let start = writer.bytes.count
      guard bytes.count >= start + Signature.count else { return [] }
      writer.fixed(Array(bytes[start..<start + Signature.count]))
      writer.data(payload.bytes)
      return writer.bytes
    },
    sample: { $0.segment().bytes },
    isAuthentic: { bytes, fixture in try Segment(bytes: bytes).isSigned(by: fixture.device.signing.publicKey) })

  package static let attributes = ObjectReading(
    description: "attributes", rewrite: { try ItemAttributes(bytes: $0).bytes }, sample: { $0.attributes.bytes })

  /// Encodes an envelope again, with the bytes that are sealed in it.
  private static func rewriteEnvelope(_ bytes: [UInt8], accepting contents: Set<Envelope.Content>) throws -> [UInt8] {
    let envelope = try Envelope(bytes: bytes, accepting: contents)
    var writer = ByteWriter()
    writer.begin(.envelope)
    writer.u8(envelope.content.rawValue)
    writer.u32(envelope.generation)
    writer.list(envelope.boxes) { $0.fixed($1) }
    let start = writer.bytes.count + 4
    guard bytes.count >= start else { return [] }
    writer.data(Array(bytes[start...]))
    return writer.bytes
  }

  package static let envelope = ObjectReading(
    description: "envelope", rewrite: { try rewriteEnvelope($0, accepting: Envelope.vaultContents) },
    sample: { fixture in
      Envelope(
        sealing: fixture.genesis.bytes, as: .logEntry, key: fixture.transport.key, generation: 1,
        boxes: fixture.transportBoxes
      ).bytes
    },
    isAuthentic: { bytes, fixture in
      _ = try Envelope(bytes: bytes).open(with: fixture.transport.key)
      return true
    })

  package static let credential = ObjectReading(
    description: "credential", rewrite: { try Credential(secretBytes: $0).secretBytes() },
    sample: { try $0.credential().secretBytes() })

  package static let lockedCredential = ObjectReading(
    description: "credential under a passphrase", rewrite: { try Credential(secretBytes: $0).secretBytes() },
    sample: { try $0.credential(passphrase: SecretText(copying: "horse".utf8)).secretBytes() })

  package static let protectedValue = ObjectReading(
    description: "protected value", rewrite: { try ProtectedValue(bytes: $0).bytes },
    sample: {
      try ValueProtection(password: SecretText(copying: "horse".utf8), cost: .floor).seal(
        [1, 2, 3], for: $0.protectedItem()
      ).bytes
    })

  package static let deviceFile = ObjectReading(
    description: "device file", rewrite: { try DeviceFile(secretBytes: $0).secretBytes() },
    sample: { $0.deviceFile.secretBytes() })

  package static let openAdminFile = ObjectReading(
    description: "admin file without a passphrase", rewrite: { try AdminFile(secretBytes: $0).secretBytes() },
    sample: { try AdminFile(genesis: $0.genesis.hash, key: $0.admin, passphrase: nil).secretBytes() })

  package static let lockedAdminFile = ObjectReading(
    description: "admin file under a passphrase", rewrite: { try AdminFile(secretBytes: $0).secretBytes() },
    sample: {
      try AdminFile(
        genesis: $0.genesis.hash, key: $0.admin, passphrase: SecretText(copying: "horse".utf8), cost: .floor
      )
      .secretBytes()
    })

  package static let openDeliveryFile = ObjectReading(
    description: "delivery file without a passphrase", rewrite: { try DeliveryFile(secretBytes: $0).secretBytes() },
    sample: { try DeliveryFile(genesis: $0.genesis.hash, key: $0.delivery, passphrase: nil).secretBytes() })

  package static let lockedDeliveryFile = ObjectReading(
    description: "delivery file under a passphrase", rewrite: { try DeliveryFile(secretBytes: $0).secretBytes() },
    sample: {
      try DeliveryFile(
        genesis: $0.genesis.hash, key: $0.delivery, passphrase: SecretText(copying: "horse".utf8), cost: .floor
      ).secretBytes()
    })

  package static let invitationRequest = ObjectReading(
    description: "invitation request",
    rewrite: { bytes in
      let request = try InvitationRequest(bytes: bytes)
      return InvitationRequest(
        genesis: request.genesis, nonce: request.nonce, keys: request.keys, deliveryKey: request.deliveryKey,
        name: request.name
      ).bytes
    },
    sample: { $0.invitationRequest.bytes })

  package static let invitationAnswer = ObjectReading(
    description: "invitation answer", rewrite: { try InvitationAnswer(bytes: $0).bytes },
    sample: { try $0.invitationAnswer().bytes })

  package static let invitationRefusal = ObjectReading(
    description: "invitation answer that refuses", rewrite: invitationAnswer.rewrite,
    sample: { InvitationAnswer(genesis: $0.genesis.hash, outcome: .refused(.severalRequests)).bytes })

  package static let sealedInvitationRequest = ObjectReading(
    description: "sealed invitation request", rewrite: { try rewriteEnvelope($0, accepting: [.invitationRequest]) },
    sample: { $0.invitationRequest.sealed(under: try $0.invitationCode().key) },
    isAuthentic: { bytes, fixture in
      try InvitationRequest(opening: bytes, with: fixture.invitationCode().key) == fixture.invitationRequest
    })

  package static let sealedInvitationAnswer = ObjectReading(
    description: "sealed invitation answer", rewrite: { try rewriteEnvelope($0, accepting: [.invitationAnswer]) },
    sample: {
      try $0.invitationAnswer().sealed(for: $0.invitationRequest.hash, under: $0.invitationCode().key)
    },
    isAuthentic: { bytes, fixture in
      let (request, key) = (fixture.invitationRequest.hash, try fixture.invitationCode().key)
      return try InvitationAnswer(opening: bytes, for: request, with: key).genesis == fixture.genesis.hash
    })

  package static let invitationsFile = ObjectReading(
    description: "invitations file", rewrite: { try InvitationsFile(secretBytes: $0).secretBytes() },
    sample: { try $0.invitationsFile().secretBytes() })

  package static let pendingEnrolment = ObjectReading(
    description: "pending enrolment", rewrite: { try PendingEnrolment(secretBytes: $0).secretBytes() },
    sample: { try $0.pendingEnrolment().secretBytes() })

  package static let headlessCredential = ObjectReading(
    description: "headless credential", rewrite: { try HeadlessCredential(secretBytes: $0).secretBytes() },
    sample: { $0.headlessCredential.secretBytes() })
}
