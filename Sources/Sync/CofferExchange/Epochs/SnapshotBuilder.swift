internal import CofferCrypto
internal import CofferFormat
internal import CofferStore
internal import CofferTrust
internal import CofferVault

/// Makes the snapshot of the next epoch from the store.
struct SnapshotBuilder {
  let local: LocalVault
  let device: DeviceFile
  /// The epoch that begins with the snapshot.
  let epoch: UInt32

  private var chunks: [SnapshotChunk] = []
  private var entries: [SnapshotEntry] = []
  private var byteCount = 0

  /// How long superseded versions are in snapshots, at least: a machine that was absent for less brings none back.
  private static let skeletonAge: Int64 = 400 * 86_400 * 1_000_000

  init(local: LocalVault, device: DeviceFile, epoch: UInt32) {
    self.local = local
    self.device = device
    self.epoch = epoch
  }

  /// Returns the chunks, in order. The store has published everything, and the membership is by the published log.
  /// Throws `integrity` for more than a snapshot can have.
  mutating func build(_ reader: borrowing StoreReader, _ membership: Membership) throws -> [SnapshotChunk] {
    let followed = try reader.publishedLogLength()
    func isPending(_ place: UnadmittedRecord) -> Bool {
      place.log > followed && membership.authors[place.author]?.cut(in: place.group) == nil
    }
    let start = try supersededSince(reader)
    var last: Int64 = 0
    while true {
      let page = try reader.snapshotSources(
        after: last, supersededSince: start, byteLimit: Limits.snapshotChunkByteCount)
      guard let end = page.last?.row else { break }
      for source in page {
        switch source.entry {
        case .head(let stored):
          try add(.record(translatingErrors { () throws in try stored.record().bytes }), membership)
        case .superseded(let bytes): try add(.skeleton(bytes), membership)
        case .unadmitted(let stored):
          guard let record = try? stored.record(), let place = try reader.unadmittedPlace(of: record.copyHash),
            isPending(place)
          else { continue }
          try add(.pending(record.bytes, place.origin), membership)
        }
      }
      last = end
    }
    for head in try reader.streamHeads() {
      let stream = head.position.stream
      for number in try reader.unadmittedSegments(of: stream, through: head.position.number) {
        guard let segment = try reader.segment(stream, number)?.segment(openedBy: device) else { continue }
        let places = Dictionary(try reader.unadmitted(in: stream, number).map { ($0.hash, $0) }) { first, _ in first }
        for bytes in segment.records {
          guard let record = try? Record(bytes: bytes), let place = places[record.copyHash], isPending(place) else {
            continue
          }
          try add(.pending(bytes, place.origin), membership)
        }
      }
    }
    try finishChunk(membership)
    return chunks
  }

  /// Returns the time since which superseded versions are in the snapshot: those of two epochs, and of 400 days.
  private func supersededSince(_ reader: borrowing StoreReader) throws -> Timestamp {
    guard epoch - 2 >= Checkpoint.firstEpoch, let bytes = try reader.object(.checkpoint(epoch - 2)),
      let checkpoint = try? Checkpoint(bytes: bytes)
    else { return Timestamp(microseconds: .min) }
    let age = Timestamp(microseconds: Timestamp.now.microseconds - Self.skeletonAge)
    return min(checkpoint.time, age)
  }

  private mutating func add(_ entry: SnapshotEntry, _ membership: Membership) throws(VaultError) {
    if !entries.isEmpty,
      byteCount + entry.byteCount > Limits.snapshotChunkByteCount
        || entries.count == Limits.recordsPerSegment
    {
      try finishChunk(membership)
    }
    entries.append(entry)
    byteCount += entry.byteCount
  }

  private mutating func finishChunk(_ membership: Membership) throws(VaultError) {
    guard !entries.isEmpty else { return }
    guard chunks.count < Limits.snapshotChunks else {
      throw VaultError(
        .integrity, "the vault has more than \(Limits.snapshotChunks) chunks of records",
        recoverySuggestion: "delete items that nobody needs")
    }
    chunks.append(
      SnapshotChunk(vault: membership.vault, epoch: epoch, number: UInt32(chunks.count), entries: entries))
    entries = []
    byteCount = 0
  }
}

extension UnadmittedRecord {
  /// The segment, as a snapshot names it.
  fileprivate var origin: SnapshotEntry.Origin {
    SnapshotEntry.Origin(device: device, stream: stream, number: number, log: log)
  }
}
