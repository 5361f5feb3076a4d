internal import CofferCrypto
internal import CofferFormat
internal import CofferStore

/// Stream positions that other machines have seen at the remote and this machine has not found there. They are kept
/// from sync to sync, so that withheld segments are reported until the host shows them.
struct MissingSegments {
  /// The farthest position of each stream.
  private var farthest: [StreamID: SeenPosition] = [:]

  private static let positionByteCount = 16 + 16 + 8 + 32
  private static let object = "setting missing-segments"

  /// Reads the positions from the settings. A setting that is not readable counts as empty: the next segments fill it
  /// again.
  static func load(from access: borrowing some StoreAccess & ~Copyable) throws -> MissingSegments {
    var missing = MissingSegments()
    let stored = try access.setting(.missingSegments) ?? []
    guard stored.count.isMultiple(of: positionByteCount) else { return missing }
    var bytes = ByteReader(stored, object: object)
    while bytes.remaining > 0 {
      let stream = StreamID(try bytes.bytes16("stream"))
      let reader = DeviceID(try bytes.bytes16("reader"))
      let number = try bytes.u64("number")
      let hash = SegmentHash(try bytes.bytes32("hash"))
      let position = StreamPosition(stream: stream, number: number, hash: hash)
      missing.farthest[stream] = SeenPosition(position: position, reader: reader)
    }
    return missing
  }

  /// In ascending order of stream.
  var positions: [SeenPosition] { farthest.values.sorted { $0.position.stream < $1.position.stream } }

  /// Adds a position. Positions in more streams than one segment can name are ignored: only a machine that invents
  /// streams needs them.
  mutating func insert(_ seen: SeenPosition) {
    let stream = seen.position.stream
    if let known = farthest[stream] {
      guard known.position.number < seen.position.number else { return }
    } else {
      guard farthest.count < Limits.seenStreams else { return }
    }
    farthest[stream] = seen
  }

  /// Removes a position that this machine has by now.
  mutating func remove(_ seen: SeenPosition) { farthest[seen.position.stream] = nil }

  /// Writes the positions to the settings.
  func save(to writer: borrowing StoreWriter) throws {
    var bytes = ByteWriter(reserving: farthest.count * Self.positionByteCount)
    for seen in positions {
      bytes.fixed(seen.position.stream.raw)
      bytes.fixed(seen.reader.raw)
      bytes.u64(seen.position.number)
      bytes.fixed(seen.position.hash.raw)
    }
    try writer.setSetting(.missingSegments, farthest.isEmpty ? nil : bytes.bytes)
  }
}
