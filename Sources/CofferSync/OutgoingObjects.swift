internal import CofferCrypto
internal import CofferFormat
internal import CofferGit
internal import CofferStore
internal import CofferTrust
internal import CofferVault

/// The objects that this machine pushes. Their final bytes are in the store before the push, so that a crash never
/// leads to two different contents for one number.
struct OutgoingObjects {
  /// The new files of the repository.
  let files: [(path: String, bytes: [UInt8])]
  /// The number of files that replace objects that the remote has lost or altered.
  let repairCount: Int
  let recordCount: Int
  let membershipCount: Int
  /// The paths of objects that are new to the remote.
  private let fresh: Set<String>
  private let logEnd: UInt64
  private let segments: [StreamPosition]

  /// Seals the outbox and collects the objects to push.
  ///
  /// - Parameters:
  ///   - local: The vault.
  ///   - device: This machine's keys.
  ///   - missing: Objects that the remote should have and does not.
  /// - Returns: The objects to push.
  /// - Throws: ``VaultError``, and the errors of the store.
  static func sealOutbox(
    of local: LocalVault, device: DeviceFile, missing: Set<RemoteLayout.Place>
  ) throws -> OutgoingObjects {
    let recordCount = try sealSegments(local: local, device: device)
    let gathered = try local.store.read { reader in
      var files: [String: [UInt8]] = [:]
      for place in missing {
        switch place {
        case .genesis: files[place.path] = try reader.genesis()
        case .rootSlot: files[place.path] = try reader.rootSlot()
        case .logEntry(let sequence):
          guard let entry = try reader.logEntries(after: sequence - 1).first else { continue }
          files[place.path] = entry.envelope
        case .segment(let stream, let number):
          guard let segment = try reader.segment(stream, number) else { continue }
          files[place.path] = segment.envelope
        }
      }
      let entries = try reader.logEntries(after: 0).filter { !$0.isPublished }
      for entry in entries { files[RemoteLayout.path(ofLogEntry: entry.sequence)] = entry.envelope }
      let segments = try reader.unpublishedSegments()
      for segment in segments {
        files[RemoteLayout.path(ofSegment: segment.position.number, in: segment.position.stream)] = segment.envelope
      }
      let fresh = Set(files.keys).subtracting(missing.map(\.path))
      return (files, entries, segments, fresh)
    }
    let (files, entries, segments, fresh) = gathered
    return OutgoingObjects(
      files: files.sorted { $0.key < $1.key }.map { ($0.key, $0.value) },
      repairCount: files.count - entries.count - segments.count, recordCount: recordCount,
      membershipCount: entries.count, fresh: fresh, logEnd: entries.last?.sequence ?? 0,
      segments: segments.map(\.position))
  }

  /// Returns the first path of a new object at which the remote has another content, or nil if there is none. Pushing
  /// would replace what other machines have read, and fork the log or the stream.
  ///
  /// Contents that cannot be read count as others for a log entry, because another machine may know the entry. In this
  /// machine's own stream they do not, because nobody else writes there.
  func contradiction(at tip: ObjectID, in repository: Repository) throws -> String? {
    for (path, bytes) in files where fresh.contains(path) {
      do throws(GitError) {
        let there = try repository.blob(at: path, in: tip, maximumByteCount: Limits.objectByteCount)
        if let there, there != bytes { return path }
      } catch {
        guard error.isFaultOfObject else { throw error }
        if case .segment = RemoteLayout.Place(path) { continue }
        return path
      }
    }
    return nil
  }

  /// Marks the objects as published, after the remote has accepted them.
  func markPublished(_ writer: borrowing StoreWriter) throws {
    if logEnd > 0 { try writer.markLogPublished(through: logEnd) }
    for position in segments { try writer.markSegmentPublished(position.stream, through: position.number) }
  }

  /// Seals the outbox into segments, one or more per group. Returns the number of records in them.
  private static func sealSegments(local: LocalVault, device: DeviceFile) throws -> Int {
    guard let transportKey = device.transportKeys.last else {
      throw VaultError(
        .integrity, "this machine's key file has no transport key", recoverySuggestion: "clone the vault again")
    }
    let membership = try local.membership()
    let deviceID = DeviceID(vault: membership.vault, keys: device.keys.publicKeys)
    var sealed = 0
    while true {
      let count = try local.store.write { writer -> Int? in
        guard let group = try writer.outboxGroups().first else { return nil }
        let batch = try writer.outbox(in: group, byteLimit: Limits.segmentPayloadByteCount)
        try writer.removeFromOutbox(batch.map(\.0))
        let records = batch.map(\.1).filter { !Self.isDeviceLocal($0) }
        guard !records.isEmpty else { return 0 }
        let stream = try ownStream(writer)
        let head = try writer.streamHeads().first { $0.position.stream == stream }
        let seen = Array(try writer.unreportedStreamHeads().prefix(Limits.seenStreams))
        let segment = Segment(
          vault: membership.vault, device: deviceID, stream: stream, after: head?.position,
          log: try publishedLogHead(writer, genesis: membership.genesis), seen: seen, group: group,
          records: records, key: device.keys.signing)
        let envelope = Envelope(
          sealing: segment.bytes, as: .segment, key: transportKey.key, generation: transportKey.generation)
        try writer.insertSegment(
          StoredSegment(position: segment.position, device: deviceID, envelope: envelope.bytes, isPublished: false),
          isOwn: true)
        try writer.markReported(seen)
        return records.count
      }
      guard let count else { return sealed }
      sealed += count
    }
  }

  /// Whether a record must not leave this machine. Only somebody who can write to the store's file can add one to the
  /// outbox. False for bytes that are not a record: readers reject and report them.
  private static func isDeviceLocal(_ bytes: [UInt8]) -> Bool {
    (try? Record(bytes: bytes))?.header.isDeviceLocal ?? false
  }

  /// Returns this machine's stream, and begins one if none exists.
  private static func ownStream(_ writer: borrowing StoreWriter) throws -> StreamID {
    if let bytes = try writer.setting(.ownStream), let stream = StreamID(stored: bytes) { return stream }
    let stream = StreamID.random()
    try writer.setSetting(.ownStream, stream.raw.bytes)
    return stream
  }

  /// Returns the position of the last published log entry. Later entries may still be discarded.
  private static func publishedLogHead(_ writer: borrowing StoreWriter, genesis: Genesis) throws -> LogPosition {
    guard let last = try writer.logEntries(after: 0).last(where: \.isPublished) else {
      return LogPosition(sequence: 0, hash: genesis.hash)
    }
    return try LogEntry(bytes: last.entry).position
  }
}
