internal import CofferCrypto
internal import CofferFormat
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
internal import CofferVault

/// Decides whose stream a stream is, and withdraws what does not belong to it.
extension SegmentImport {
  /// Throws if the name of a stream commits to another machine than the one that has signed a segment of it, whether
  /// this machine has read the genuine one or not.
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

  /// Withdraws the segments that this machine has of a stream from another machine than the one to which the name of
  /// the stream commits, which has signed `segment`: this machine did not know it when it accepted the others.
  ///
  /// Throws `UnsoundObject` if the name does not say that. The records of the segment are imported all the same,
  /// because they are signed themselves.
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
    let membership = try local.publishedMembership()
    try local.store.write { _ in
      try withdraw(segment.stream, from: 0)
      try reportOnce(
        .contradiction,
        "\(url) has shown segments by \(membership.name(of: holder)) in stream \(segment.stream) before, which is that of \(membership.name(of: segment.device)): the items of both are kept"
      )
    }
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
          for record in segment.records { try writer.resend(Record(bytes: record)) }
          withdrawn.append(hash)
        }
        try writer.withdrawSegments(
          of: stream, from: number, after: checkpoint?.end(of: stream)?.position)
        try writer.set(.withdrawnSegments, to: [SegmentHash](withdrawn.suffix(Self.withdrawnSegmentCount)))
        if try writer.value(.ownStream) == stream {
          try writer.setSetting(.ownStream, nil)
        }
        try countReports(writer, after: checkpoint)
      }
    }
  }

  /// Finds out which positions own segments have reported, after some have left the store: later ones report the others
  /// again. Whoever reads a snapshot knows what its checkpoint names.
  func countReports(_ writer: borrowing StoreWriter, after checkpoint: Checkpoint?) throws {
    let own = try ownDevice(in: local.publishedMembership().vault)
    var reported = checkpoint?.streams.map(\.position) ?? []
    for head in try writer.streamHeads() where head.device == own {
      try writer.forEachSegment(of: head.position.stream) { stored in
        reported += stored.segment(openedBy: device)?.seen ?? []
      }
    }
    // What has another content now has to be reported as well.
    reported = try reported.filter { try writer.comparison(with: $0) == .held }
    try writer.setReported(reported)
  }

  /// The number of withdrawn segments that are remembered, so that a host that shows two segments in turn does not make
  /// this machine send their records each time.
  private static let withdrawnSegmentCount = 1_024
}

/// Checks what other machines state that they have seen of the streams.
extension SegmentImport {
  /// Records the positions that a segment's writer has seen, and this machine has not or has with other contents.
  func recordSeenPositions(of segment: Segment, _ writer: borrowing StoreWriter) throws {
    guard !segment.seen.isEmpty, try mayClaim(segment.device, writer) else { return }
    var missing = try MissingSegments.load(from: writer)
    var different = try MissingSegments.load(from: writer, .differentSegments)
    let known = (missing.positions, different.positions)
    let membership = try local.publishedLog(in: writer).membership
    for position in segment.seen where !membership.hasEnded(before: position) {
      switch try writer.comparison(with: position) {
      case .held: different.remove(upTo: position, by: segment.device)
      case .missing: missing.insert(SeenPosition(position: position, reader: segment.device))
      case .different: different.insert(SeenPosition(position: position, reader: segment.device))
      }
    }
    if missing.positions != known.0 { try missing.save(to: writer) }
    if different.positions != known.1 { try different.save(to: writer) }
  }

  /// Reports segments that other machines have seen and that the remote does not show, or shows with other contents, at
  /// every sync until it shows them: a host that withholds segments is noticed here.
  mutating func checkSeenPositions() throws {
    let hasPositions = try local.store.read {
      try !MissingSegments.load(from: $0).positions.isEmpty
        || !MissingSegments.load(from: $0, .differentSegments).positions.isEmpty
    }
    guard hasPositions else { return }
    let membership = try local.membership()
    let (unmet, contradictions) = try local.store.write { writer in
      var missing = try MissingSegments.load(from: writer)
      var different = try MissingSegments.load(from: writer, .differentSegments)
      let known = (missing.positions, different.positions)
      for seen in Set(known.0 + known.1) where try !mayClaim(seen.reader, writer) {
        missing.remove(seen)
        different.remove(seen)
      }
      for seen in missing.positions {
        let comparison = try writer.comparison(with: seen.position)
        // What a revoked machine pushed after its last segment comes no more.
        if comparison != .missing || membership.hasEnded(before: seen.position) { missing.remove(seen) }
        if comparison == .different { different.insert(seen) }
      }
      for seen in different.positions where try writer.comparison(with: seen.position) == .held {
        different.remove(seen)
      }
      if missing.positions != known.0 { try missing.save(to: writer) }
      if different.positions != known.1 { try different.save(to: writer) }
      return (missing.positions, different.positions)
    }
    for seen in unmet {
      reportProblem(.missing, "lacks \(seen.position.words), which \(membership.name(of: seen.reader)) has seen there")
    }
    for seen in contradictions { reportContradiction(seen.position, reader: seen.reader, in: membership) }
  }

  private func mayClaim(_ machine: DeviceID, _ writer: borrowing StoreWriter) throws -> Bool {
    try local.branches(in: writer).chain.mayClaim(machine)
  }

  /// Reports that two machines have different segments under one number, each signed by its writer.
  private mutating func reportContradiction(_ position: StreamPosition, reader: DeviceID, in membership: Membership) {
    reportProblem(
      .contradiction,
      "has another content of \(position.words) than \(membership.name(of: reader)) has seen there: a machine was copied, or the host shows different contents"
    )
  }
}

extension StreamPosition {
  fileprivate var words: String { "segment \(number) of stream \(stream)" }
}

/// Checks what other machines state that they have seen of the membership log.
extension SegmentImport {
  /// Keeps the position of the log that a segment's writer has seen, unless the log here contains it.
  func recordLogClaim(of segment: Segment, _ writer: borrowing StoreWriter) throws {
    var claims = try LogClaims.load(from: writer)
    let known = claims
    try claims.add(segment.log, by: segment.device, in: writer, branches: local.branches(in: writer))
    if claims != known { try claims.save(to: writer) }
  }

  /// Reports, at every sync, entries of the log that other machines have seen and the remote does not show, and entries
  /// that they have seen in another form: a host that shows machines different logs is noticed here.
  mutating func checkLogClaims() throws {
    guard try local.store.read({ try !LogClaims.load(from: $0).isEmpty }) else { return }
    let (claims, membership) = try local.store.write { writer in
      var claims = try LogClaims.load(from: writer)
      let known = claims
      let membership = try local.membership(in: writer)
      try claims.update(in: writer, branches: local.branches(in: writer))
      if claims != known { try claims.save(to: writer) }
      return (claims.open, membership)
    }
    for claim in claims { reportProblem(.contradiction, claim.words(in: membership)) }
  }
}
