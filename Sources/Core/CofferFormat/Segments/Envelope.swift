package import CofferCrypto

/// A sealed log entry, segment, record list, object of an epoch, or request or answer of an invitation, in the form
/// that the git host sees: a key generation and padded ciphertext.
package struct Envelope: Sendable {
  /// The kind of object inside. It is authenticated, so that a log entry cannot be presented as a segment.
  package enum Content: UInt8, Sendable {
    case logEntry = 1
    case segment = 2
    case checkpoint = 3
    case snapshotChunk = 4
    case recordList = 5
    case invitationRequest = 6
    case invitationAnswer = 7
    case closing = 8
  }

  package let content: Content
  /// The transport key's generation.
  package let generation: UInt32
  /// The boxes for root and for each device with a transport key that this log entry introduces, if it is not the
  /// first; none for anything else. Each seals 32 bytes. The entry inside names their hash.
  package let boxes: [[UInt8]]
  /// The file's bytes.
  package let bytes: [UInt8]
  private let associated: [UInt8]
  private let sealed: [UInt8]

  private static let boxByteCount = 32 + BoxKey.overheadByteCount

  /// The hash of ``boxes``, as a list in the encoding of the envelope.
  package var boxesHash: Bytes32 { Self.hash(of: boxes) }

  static func hash(of boxes: [[UInt8]]) -> Bytes32 {
    var writer = ByteWriter(reserving: 4 + boxes.count * boxByteCount)
    writer.list(boxes) { $0.fixed($1) }
    return Hash.digest(writer.bytes, domain: .boxes)
  }

  /// Pads and seals an object. `generation` is the number of the key, 0 for one that has none. Only a new transport key
  /// has boxes. The envelope does not open without `binding`, which is not in it.
  package init(
    sealing object: [UInt8], as content: Content, key: SymmetricKey, generation: UInt32, boxes: [[UInt8]] = [],
    binding: [UInt8] = []
  ) {
    self.content = content
    self.generation = generation
    self.boxes = boxes
    var writer = ByteWriter(reserving: object.count + 1024)
    writer.begin(.envelope)
    writer.u8(content.rawValue)
    writer.u32(generation)
    writer.list(boxes) { $0.fixed($1) }
    associated = writer.bytes
    let byteCount = Self.byteCount(of: object.count, after: associated.count)
    let total = Padding.paddedByteCount(byteCount)
    var plain = ByteWriter(reserving: total)
    plain.data(object)
    plain.fixed([UInt8](repeating: 0, count: total - byteCount))
    sealed = key.seal(plain.bytes, associated: associated + binding)
    writer.data(sealed)
    bytes = writer.bytes
  }

  /// The size of a file without padding. The sealed bytes and the object are each preceded by their length.
  private static func byteCount(of objectByteCount: Int, after associatedByteCount: Int) -> Int {
    associatedByteCount + 4 + 4 + SymmetricKey.overheadByteCount + objectByteCount
  }

  /// The contents of the files of a vault. Those of an invitation are no part of it.
  package static let vaultContents: Set<Content> = [
    .logEntry, .segment, .checkpoint, .snapshotChunk, .recordList, .closing,
  ]

  /// Reads an envelope without opening it. Throws `invalidValue` for a kind that is not accepted, and for boxes of
  /// anything but a log entry.
  package init(bytes: [UInt8], accepting contents: Set<Content> = vaultContents) throws(FormatError) {
    guard bytes.count <= Limits.objectByteCount else {
      throw FormatError(.tooLarge, object: ObjectKind.envelope.name, field: "file")
    }
    var reader = ByteReader(bytes, object: ObjectKind.envelope.name)
    try reader.begin(.envelope)
    guard let content = Content(rawValue: try reader.u8("content")), contents.contains(content) else {
      throw reader.failure(.invalidValue, "content")
    }
    self.content = content
    generation = try reader.u32("generation")
    boxes = try reader.list("boxes", cap: Limits.boxes) { (reader) throws(FormatError) in
      try reader.fixed(Self.boxByteCount, "box")
    }
    // Others have no statement that could name their hash.
    guard boxes.isEmpty || content == .logEntry else { throw reader.failure(.invalidValue, "boxes") }
    associated = reader.consumed
    sealed = try reader.data("sealed", cap: Limits.objectByteCount)
    try reader.finish()
    self.bytes = bytes
  }

  /// Whether a key opens the envelope. What is inside may still not be canonical.
  func isSealed(under key: SymmetricKey) -> Bool { (try? key.open(sealed, associated: associated)) != nil }

  /// Opens the object inside. Throws `doesNotOpen` for another key or binding; `invalidValue` for another size than the
  /// padded one of this object: whoever has the key could otherwise make each file as large as the limit.
  package func open(with key: SymmetricKey, binding: [UInt8] = []) throws(FormatError) -> [UInt8] {
    let plain: [UInt8]
    do throws(CryptoError) {
      plain = try key.open(sealed, associated: associated + binding)
    } catch {
      throw FormatError(.doesNotOpen, object: ObjectKind.envelope.name, field: "sealed")
    }
    var reader = ByteReader(plain, object: ObjectKind.envelope.name)
    let object = try reader.data("object", cap: Limits.objectByteCount)
    guard Padding.paddedByteCount(Self.byteCount(of: object.count, after: associated.count)) == bytes.count,
      try reader.fixed(reader.remaining, "padding").allSatisfy({ $0 == 0 })
    else { throw reader.failure(.invalidValue, "padding") }
    return object
  }
}

/// The sizes to which files on the remote are padded, so that a file's size reveals little about its contents.
///
/// The minimum is 1 KiB, followed by powers of two up to 4 KiB and Padmé above (Nikitin et al., "Reducing Metadata
/// Leakage from Encrypted Files and Communication with PURBs", PoPETs 2019): at most 12 % larger, revealing O(log log
/// n) bits.
package enum Padding {
  /// Returns the padded size of a file of `byteCount` bytes.
  package static func paddedByteCount(_ byteCount: Int) -> Int {
    if byteCount <= 1024 { return 1024 }
    if byteCount <= 2048 { return 2048 }
    if byteCount <= 4096 { return 4096 }
    let exponent = Int.bitWidth - 1 - byteCount.leadingZeroBitCount
    let exponentBits = Int.bitWidth - exponent.leadingZeroBitCount
    let mask = (1 << (exponent - exponentBits)) - 1
    return (byteCount + mask) & ~mask
  }
}
