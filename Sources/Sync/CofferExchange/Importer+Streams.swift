internal import CofferCrypto
internal import CofferFormat
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
internal import CofferVault

/// Decides whose stream a stream is, and withdraws what does not belong to it.
extension Importer {
  /// Throws if the name of a stream commits to another machine than the one that has signed a segment of it, whether this
  /// machine has read the genuine one or not.
  func checkName(ofStream stream: StreamID, of device: DeviceID, in membership: Membership) throws {
    // A name that commits to nobody known belongs to the machine from which this one has accepted the first segment.
    guard try local.store.read({ try $0.streamHead(of: stream) })?.device != device else { return }
    let naming = StreamNaming(self.device.transportKeys, in: membership.vault)
    guard !naming.commits(stream, to: device),
      let owner = membership.devices.keys.first(where: { naming.commits(stream, to: $0) })
    else { return }
    throw UnsoundObject(
      "\(membership.name(of: device)) signed it, and its stream is that of \(membership.name(of: owner))", .invalid)
  }

  /// Withdraws the segments that this machine has of a stream from another machine than the one to which the name of the stream
  /// commits, which has signed `segment`: this machine did not know it when it accepted the others.
  ///
  /// Throws `UnsoundObject` if the name does not say that. The records of the segment are imported all the same, because they
  /// are signed themselves.
  mutating func replaceStream(
    of holder: DeviceID, for segment: Segment, _ examined: [Result<ExaminedRecord, FormatError>]?
  ) throws {
    let naming = StreamNaming(device.transportKeys, in: segment.vault)
    let isCovered = checkpoint?.end(of: segment.stream) != nil
    guard !isCovered, naming.commits(segment.stream, to: segment.device) else {
      // Only the machine whose stream this is knows for certain: others can have met the wrong one first.
      let isOwn = holder == ownDevice(in: segment.vault)
      if !isOwn { try importRecords(of: segment, examined: examined, isStored: false) { _ in } }
      throw UnsoundObject("its stream is another machine's", isOwn ? .invalid : .unverified)
    }
    try withdraw(segment.stream, from: 0)
    let membership = try local.settledMembership()
    reportProblem(
      .contradiction,
      "has shown segments by \(membership.name(of: holder)) in stream \(segment.stream) before, which is that of \(membership.name(of: segment.device)): the items of both are kept"
    )
  }

  /// Withdraws the segments of a stream from a number at which the remote has another one: a copy of the machine that
  /// writes it has used the number, or another machine. Their records are sent in this machine's own stream, once.
  func withdraw(_ stream: StreamID, from number: UInt64) throws(VaultError) {
    try translatingErrors {
      try local.store.write { writer in
        var withdrawn: [SegmentHash] = try writer.value(.withdrawnSegments) ?? []
        let known = Set(withdrawn)
        try writer.forEachSegment(of: stream) { stored in
          let hash = stored.position.hash
          guard stored.position.number >= number else { return }
          guard let segment = try open(stored.envelope) else { return }
          try keepUnadmittedRecords(of: segment, writer)
          guard !known.contains(hash) else { return }
          try writer.addToOutbox(segment.records.map { try Record(bytes: $0).hash })
          withdrawn.append(hash)
        }
        try writer.withdrawSegments(
          of: stream, from: number, after: checkpoint?.end(of: stream)?.position)
        try writer.set(.withdrawnSegments, to: [SegmentHash](withdrawn.suffix(Self.withdrawnSegmentCount)))
        if try writer.value(.ownStream) == stream {
          try writer.setSetting(.ownStream, nil)
        }
      }
    }
  }

  /// The number of withdrawn segments that are remembered, so that a host that shows two segments in turn does not make
  /// this machine send their records each time.
  private static let withdrawnSegmentCount = 1_024
}
