internal import CofferCrypto
internal import CofferFormat
internal import CofferStore

/// What other machines say they have read at the remote and this one has not found there: kept from sync to sync, so that what a
/// host withholds is named until it shows it.
struct MissingSegments {
  /// Who has read how far in a stream.
  struct Claim: Hashable {
    let position: StreamPosition
    let reader: DeviceID
  }

  /// The farthest claim of each stream.
  private var farthest: [StreamID: Claim] = [:]

  private static let claimByteCount = 16 + 16 + 8 + 32
  private static let object = "setting missing-segments"

  /// Reads what the settings keep. What somebody made unreadable there is forgotten: the next claim fills it anew.
  init(_ access: borrowing some StoreAccess & ~Copyable) throws {
    let stored = try access.setting(.missingSegments) ?? []
    guard stored.count.isMultiple(of: Self.claimByteCount) else { return }
    var bytes = ByteReader(stored, object: Self.object)
    while bytes.remaining > 0 {
      let stream = StreamID(try bytes.bytes16("stream"))
      let reader = DeviceID(try bytes.bytes16("reader"))
      let number = try bytes.u64("number")
      let hash = SegmentHash(try bytes.bytes32("hash"))
      farthest[stream] = Claim(position: StreamPosition(stream: stream, number: number, hash: hash), reader: reader)
    }
  }

  /// In ascending order of stream.
  var claims: [Claim] { farthest.values.sorted { $0.position.stream < $1.position.stream } }

  /// Keeps a claim. Beyond as many streams as one segment can name, a machine that invents them is not followed.
  mutating func insert(_ claim: Claim) {
    let stream = claim.position.stream
    if let known = farthest[stream] {
      guard known.position.number < claim.position.number else { return }
    } else {
      guard farthest.count < Limits.seenStreams else { return }
    }
    farthest[stream] = claim
  }

  /// Forgets a claim that what is held has answered.
  mutating func remove(_ claim: Claim) { farthest[claim.position.stream] = nil }

  /// Writes what is kept.
  func store(_ writer: borrowing StoreWriter) throws {
    var bytes = ByteWriter(reserving: farthest.count * Self.claimByteCount)
    for claim in claims {
      bytes.fixed(claim.position.stream.raw)
      bytes.fixed(claim.reader.raw)
      bytes.u64(claim.position.number)
      bytes.fixed(claim.position.hash.raw)
    }
    try writer.setSetting(.missingSegments, farthest.isEmpty ? nil : bytes.bytes)
  }
}
