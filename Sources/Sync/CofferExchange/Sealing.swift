internal import CofferCrypto
internal import CofferFormat
internal import CofferStore
internal import CofferTrust
internal import CofferVault

/// Seals segments of this machine into its stream.
struct Sealing {
  /// The membership by the published log.
  let membership: Membership
  let device: DeviceFile
  let transportKey: TransportKey

  /// Seals records, all of one group, into the next segment of this machine's stream.
  @discardableResult
  func insertSegment(
    of records: [[UInt8]], in group: GroupID, _ writer: borrowing StoreWriter
  ) throws -> Segment {
    let deviceID = DeviceID(vault: membership.vault, keys: device.keys.publicKeys)
    let stream = try ownStream(of: deviceID, writer)
    let head = try writer.streamHead(of: stream)
    let seen = Array(try writer.unreportedStreamHeads().prefix(Limits.seenStreams))
    let segment = Segment(
      vault: membership.vault, device: deviceID, stream: stream, after: head?.position,
      log: try publishedLogHead(writer), seen: seen, group: group, records: records, key: device.keys.signing)
    let envelope = Envelope(
      sealing: segment.bytes, as: .segment, key: transportKey.key, generation: transportKey.generation)
    try writer.insertSegment(
      StoredSegment(position: segment.position, device: deviceID, envelope: envelope.bytes, published: nil),
      isOwn: true)
    try writer.markReported(seen)
    return segment
  }

  /// Seals a segment without records, if this machine has sealed none since the last revocation: it tells the others that
  /// this machine does not use the old keys any more.
  func acknowledgeRevocation(_ writer: borrowing StoreWriter) throws {
    let own = DeviceID(vault: membership.vault, keys: device.keys.publicKeys)
    guard let revocation = membership.revocations.last, let group = membership.groups.keys.min(),
      try writer.publishedLogLength() >= revocation.position.sequence
    else { return }
    // Not before this machine's enrolment is published: a clone may still fail, and nobody could verify the segment then.
    guard membership.members.contains(where: { $0.id == own }) else { return }
    if let stream: StreamID = try writer.value(.ownStream), let head = try writer.streamHead(of: stream),
      try writer.names(revocation.position, in: head, openedBy: device)
    {
      return
    }
    try insertSegment(of: [], in: group, writer)
  }

  /// Returns this machine's stream, and begins one if none exists whose name commits to this machine: other machines could
  /// have begun a stream of Coffer 0.2.0 as well, and those that read that first would refuse this machine's segments.
  private func ownStream(of device: DeviceID, _ writer: borrowing StoreWriter) throws -> StreamID {
    let naming = StreamNaming(self.device.transportKeys, in: membership.vault)
    if let stream: StreamID = try writer.value(.ownStream), naming.commits(stream, to: device) { return stream }
    let stream = StreamNaming.random(of: device, in: membership.vault, under: transportKey)
    try writer.set(.ownStream, to: stream)
    return stream
  }

  /// Returns the position of the last published log entry. Later entries may still be discarded.
  private func publishedLogHead(_ writer: borrowing StoreWriter) throws -> LogPosition {
    guard let last = try writer.lastPublishedLogEntry() else {
      return LogPosition(sequence: 0, hash: membership.genesis.hash)
    }
    return try LogEntry(bytes: last.entry).position
  }
}
