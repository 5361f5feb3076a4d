internal import Coffer
internal import CofferCrypto
internal import CofferFormat
internal import CofferGit
internal import CofferStore
internal import CofferTrust
internal import Logging

/// Takes in what the remote holds: nothing counts before it is verified, and nothing that this machine holds is given up.
struct Intake {
  private let local: LocalVault
  private let repository: Repository
  private let url: RemoteURL
  private let logger: Logger
  /// This machine's keys, with the transport keys that the remote brought.
  private(set) var device: DeviceFile
  private(set) var report: SyncReport
  /// True where this machine has synced with this remote before, so that what is missing there was lost.
  private(set) var knowsRemote = false
  /// False where the remote holds something new that could not be taken.
  private(set) var isComplete = true

  private var segments: [StreamID: [UInt64: ObjectID]] = [:]
  private var logEntries: [UInt64: ObjectID] = [:]

  init(
    local: LocalVault, repository: Repository, url: RemoteURL, device: DeviceFile, logger: Logger, report: SyncReport
  ) {
    self.local = local
    self.repository = repository
    self.url = url
    self.device = device
    self.logger = logger
    self.report = report
  }

  /// Takes in everything at `tip` that this machine does not have.
  ///
  /// - Returns: What the remote should hold and does not.
  mutating func take(_ tip: ObjectID?) throws -> Set<RemoteLayout.Place> {
    let remembered = try local.store.read { try $0.setting(.remoteTip) }.flatMap { ObjectID(bytes: $0) }
    knowsRemote = remembered != nil
    guard let tip else {
      if remembered != nil { report.problems.append("\(url) has lost the vault's branch; everything is pushed again") }
      return try everything()
    }
    let hasGenesis = try RemoteState.check(
      tip, is: local.membership().genesis, in: repository, url: url, isKnown: knowsRemote)
    if remembered == tip { return [] }

    let continues = try remembered.map { try isContinuation(tip, of: $0) } ?? false
    if remembered != nil && !continues {
      report.problems.append(
        "\(url) was set back or rewritten: its history does not contain what this machine has seen there")
    }
    let changes = try repository.changes(from: continues ? remembered : nil, to: tip)
    logger.debug("comparing", metadata: ["changes": "\(changes.count)", "all": "\(!continues)"])
    var missing = try sort(changes)
    if !continues {
      let present = Set(changes.compactMap { $0.kind == .deleted ? nil : RemoteLayout.Place($0.path) })
      let lost = try everything(publishedOnly: true).subtracting(present)
      if !lost.isEmpty, remembered != nil {
        report.problems.append("\(url) has lost \(lost.count) objects that it held; they are pushed again")
      }
      missing.formUnion(lost)
    }
    if !hasGenesis, missing.insert(.genesis).inserted { problem("no genesis any more") }
    missing.formUnion(try takeLog())
    missing.formUnion(try takeSegments())
    try revalidatePending()
    return missing
  }

  private func isContinuation(_ tip: ObjectID, of remembered: ObjectID) throws -> Bool {
    do throws(GitError) {
      return try repository.isAncestor(remembered, of: tip)
    } catch {
      // The cache was made anew, and what the remote sent does not contain it.
      if error.code == .notFound { return false }
      throw error
    }
  }

  /// Every object of the vault that this machine holds.
  private func everything(publishedOnly: Bool = false) throws -> Set<RemoteLayout.Place> {
    try local.store.read { reader in
      var places: Set<RemoteLayout.Place> = [.genesis, .rootSlot]
      for entry in try reader.logEntries(after: 0) where entry.isPublished || !publishedOnly {
        places.insert(.logEntry(entry.sequence))
      }
      for head in try reader.streamHeads() {
        try reader.forEachSegment(of: head.position.stream) { segment in
          if segment.isPublished || !publishedOnly {
            places.insert(.segment(segment.position.stream, segment.position.number))
          }
        }
      }
      return places
    }
  }

  /// Puts each changed path where it belongs, and names those that belong nowhere. Returns what is gone.
  private mutating func sort(_ changes: [TreeChange]) throws -> Set<RemoteLayout.Place> {
    var gone: Set<RemoteLayout.Place> = []
    for change in changes {
      guard let place = RemoteLayout.Place(change.path) else {
        if change.kind != .deleted { problem("an unknown file \(printable(change.path)), which is ignored") }
        continue
      }
      guard change.kind != .deleted, change.mode == .regular, let blob = change.new else {
        problem("\(printable(change.path)) was \(change.kind == .deleted ? "deleted" : "replaced by something else")")
        gone.insert(place)
        continue
      }
      switch place {
      case .genesis: break  // compared byte for byte at the start
      case .rootSlot: if try !takeRootSlot(blob) { gone.insert(place) }
      case .logEntry(let sequence): logEntries[sequence] = blob
      case .segment(let stream, let number): segments[stream, default: [:]][number] = blob
      }
    }
    return gone
  }

  /// Adopts a newer root slot. Returns false where the remote's is altered or older and ours has to go back.
  private mutating func takeRootSlot(_ blob: ObjectID) throws -> Bool {
    let bytes = try repository.blob(blob, maximumByteCount: 4096)
    let own = try local.store.read { try $0.rootSlot() }
    if bytes == own { return true }
    let genesis = try local.membership().genesis
    do {
      let theirs = try RootSlot(bytes: bytes, of: genesis)
      guard theirs.revision > (try RootSlot(bytes: own, of: genesis)).revision else {
        problem("an older root slot")
        return false
      }
      try local.store.write { try $0.setRootSlot(bytes) }
      return true
    } catch let error as FormatError {
      problem("a root slot that is not root's: \(error)")
      return false
    }
  }

  private mutating func problem(_ what: String) {
    report.problems.append("\(url) holds \(what)")
    logger.warning("the remote is not as it should be", metadata: ["what": "\(what)"])
  }

  private func printable(_ path: String) -> String {
    String(
      String.UnicodeScalarView(path.unicodeScalars.prefix(120).filter { $0.properties.generalCategory != .control }))
  }
}

extension Intake {
  // MARK: The membership log

  /// Takes in new entries of the log. Returns entries that the remote has in an altered form.
  private mutating func takeLog() throws -> Set<RemoteLayout.Place> {
    var altered: Set<RemoteLayout.Place> = []
    for sequence in logEntries.keys.sorted() {
      guard let blob = logEntries[sequence] else { continue }
      let place = RemoteLayout.Place.logEntry(sequence)
      let bytes = try repository.blob(blob, maximumByteCount: Limits.objectByteCount)
      let own = try local.store.read { try $0.logEntries(after: sequence - 1).first }
      if let own, own.sequence == sequence, own.envelope == bytes {
        if !own.isPublished { try local.store.write { try $0.markLogPublished(through: sequence) } }
        continue
      }
      let envelope: Envelope
      let entry: LogEntry
      do {
        (envelope, entry) = try openEntry(bytes)
        guard entry.sequence == sequence else {
          throw TrustError(.malformed, at: sequence, "it is another entry")
        }
      } catch {
        problem("a log entry \(sequence) that does not hold: \(VaultError(translating: error).message)")
        if own?.isPublished == true { altered.insert(place) } else { isComplete = false }
        if own?.isPublished == true { continue } else { break }
      }
      if let own, own.sequence == sequence {
        let mine = try LogEntry(bytes: own.entry)
        if mine.hash == entry.hash { continue }
        guard !own.isPublished else { try refuseFork(mine: mine, theirs: entry) }
        report.membershipDiscarded += try local.store.write { try $0.discardUnpublishedLog() }
      }
      do {
        try append(entry, envelope)
      } catch let error as TrustError {
        problem("a log entry \(sequence) that does not hold: \(error.detail)")
        isComplete = false
        break
      }
    }
    return altered
  }

  private mutating func openEntry(_ bytes: [UInt8]) throws -> (Envelope, LogEntry) {
    let envelope = try Envelope(bytes: bytes)
    guard envelope.content == .logEntry else {
      throw FormatError(.otherKind, object: "log entry", field: "content")
    }
    if let known = device.transportKeys.first(where: { $0.generation == envelope.generation }) {
      return (envelope, try LogEntry(bytes: envelope.open(with: known.key)))
    }
    guard
      let fresh = TransportKey(
        generation: envelope.generation, boxes: envelope.boxes, openedBy: device.keys.agreement)
    else { throw FormatError(.doesNotOpen, object: "envelope", field: "boxes") }
    let entry = try LogEntry(bytes: envelope.open(with: fresh.key))
    guard case .transportKey(let statement)? = try Statement.parse(entry), statement.commitment == fresh.commitment
    else {
      throw FormatError(.invalidValue, object: "envelope", field: "boxes")
    }
    device = DeviceFile(
      genesis: device.genesis, keys: device.keys, localSecret: device.localSecret,
      transportKeys: device.transportKeys + [fresh])
    return (envelope, entry)
  }

  private mutating func append(_ entry: LogEntry, _ envelope: Envelope) throws {
    try local.store.write { writer in
      var membership = try local.membership(in: writer)
      try membership.apply(entry)
      try writer.appendLogEntry(
        sequence: entry.sequence, entry: entry.bytes, envelope: envelope.bytes, isPublished: true)
    }
    report.membershipReceived += 1
    if case .transportKey? = try Statement.parse(entry) {
      var bytes = device.secretBytes()
      try local.folder.deviceFile.write(wiping: &bytes)
    }
  }

  private func refuseFork(mine: LogEntry, theirs: LogEntry) throws -> Never {
    var before = Membership(genesis: try local.membership().genesis)
    let entries = try local.store.read { try $0.logEntries(after: 0) }
    for stored in entries where stored.sequence < mine.sequence { try before.apply(try LogEntry(bytes: stored.entry)) }
    do {
      try before.apply(theirs)
    } catch {
      throw VaultError(
        .integrity,
        "\(url) holds another log entry \(mine.sequence) than the one this machine has seen, and it does not hold: \(VaultError(translating: error).message)",
        mend: "the repository was altered; nothing was taken in. Set another remote, or restore this one")
    }
    throw VaultError(
      .integrity,
      "the membership log has forked at entry \(mine.sequence): two admins signed different entries, and \(url) shows the other one",
      mend: "nothing was taken in; compare `coffer status` on your machines and clone again where the wrong branch is")
  }
}

extension Intake {
  // MARK: Segments

  /// Takes in new segments, stream by stream. Returns those that the remote has in an altered form.
  private mutating func takeSegments() throws -> Set<RemoteLayout.Place> {
    var altered: Set<RemoteLayout.Place> = []
    var seen: [StreamPosition] = []
    let own = try local.store.read { try $0.setting(.ownStream) }.flatMap { StreamID(stored: $0) }
    for stream in segments.keys.sorted() {
      let numbers = segments[stream] ?? [:]
      for number in numbers.keys.sorted() {
        guard let blob = numbers[number] else { continue }
        let place = RemoteLayout.Place.segment(stream, number)
        let bytes = try repository.blob(blob, maximumByteCount: Limits.objectByteCount)
        let mine = try local.store.read { try $0.segment(stream, number) }
        if let mine, mine.envelope == bytes {
          if !mine.isPublished { try local.store.write { try $0.markSegmentPublished(stream, through: number) } }
          continue
        }
        do {
          let (envelope, segment) = try openSegment(bytes, stream: stream, number: number)
          if let mine {
            guard stream == own, !mine.isPublished else {
              throw VaultError(.integrity, "it is not the one that this machine has seen")
            }
            // A copy of this machine was faster: its segments stand, ours go into a stream of their own.
            try withdraw(stream)
          } else if stream == own {
            try local.store.write { try $0.setSetting(.ownStream, nil) }
          }
          try take(segment, envelope)
          seen += segment.seen
        } catch {
          problem(
            "a segment \(number) of stream \(stream) that does not hold: \(VaultError(translating: error).message)")
          if mine != nil {
            altered.insert(place)
            continue
          }
          isComplete = false
          break
        }
      }
    }
    try checkSeen(seen)
    return altered
  }

  /// Takes back what this machine had sealed for a stream that a copy of it has continued.
  private func withdraw(_ stream: StreamID) throws {
    try local.store.write { writer in
      for stored in try writer.unpublishedSegments() where stored.position.stream == stream {
        let envelope = try Envelope(bytes: stored.envelope)
        guard let key = device.transportKeys.first(where: { $0.generation == envelope.generation }) else { continue }
        let segment = try Segment(bytes: envelope.open(with: key.key))
        try writer.addToOutbox(segment.records.map { try Record(bytes: $0).hash })
      }
      try writer.withdrawUnpublishedSegments(of: stream)
      try writer.setSetting(.ownStream, nil)
    }
  }

  private func openSegment(_ bytes: [UInt8], stream: StreamID, number: UInt64) throws -> (Envelope, Segment) {
    let envelope = try Envelope(bytes: bytes)
    guard envelope.content == .segment else { throw FormatError(.otherKind, object: "segment", field: "content") }
    guard let key = device.transportKeys.first(where: { $0.generation == envelope.generation }) else {
      throw VaultError(.integrity, "it is sealed under an unknown transport key")
    }
    let segment = try Segment(bytes: envelope.open(with: key.key))
    let membership = try local.membership()
    guard segment.vault == membership.vault else { throw FormatError(.otherVault, object: "segment", field: "vault") }
    guard segment.stream == stream, segment.number == number else {
      throw VaultError(.integrity, "it belongs to another place")
    }
    guard let author = membership.devices[segment.device] else {
      throw VaultError(.integrity, "the machine that wrote it is not enrolled")
    }
    guard segment.isSigned(by: author.keys.verifying) else {
      throw FormatError(.badSignature, object: "segment", field: "signature")
    }
    return (envelope, segment)
  }

  private mutating func take(_ segment: Segment, _ envelope: Envelope) throws {
    let membership = try local.membership()
    let outcome = try local.store.write { writer -> (Int, [String]) in
      let head = try writer.streamHeads().first { $0.position.stream == segment.stream }
      guard segment.number == (head.map { $0.position.number + 1 } ?? 0),
        segment.previous == (head?.position.hash ?? Segment.beforeFirst)
      else { throw VaultError(.integrity, "it does not follow the segment before it") }
      guard head == nil || head?.device == segment.device else {
        throw VaultError(.integrity, "its stream is another machine's")
      }
      var received = 0
      var refused: [String] = []
      for bytes in segment.records {
        do {
          let record = try Record(bytes: bytes)
          guard record.header.group == segment.group, !record.header.isDeviceLocal else {
            throw FormatError(.invalidValue, object: "record", field: "group")
          }
          switch membership.standing(of: record) {
          case .valid:
            if try writer.insert(record, standing: .valid, intoOutbox: false) { received += 1 }
          case .unknownAuthor:
            if try writer.insert(record, standing: .pending, intoOutbox: false) { received += 1 }
          case .refused(let reason): refused.append(reason)
          }
        } catch let error as FormatError {
          refused.append(error.description)
        }
      }
      try writer.insertSegment(
        StoredSegment(
          position: segment.position, device: segment.device, envelope: envelope.bytes, isPublished: true),
        isOwn: false)
      return (received, refused)
    }
    report.recordsReceived += outcome.0
    // What this machine has not written, it has not: a copy of it did, or it did before an older backup was put back.
    if segment.device == DeviceID(vault: membership.vault, keys: device.keys.publicKeys) {
      report.isClonedDevice = true
    }
    let machine = membership.devices[segment.device]?.name ?? "an unknown machine"
    for reason in outcome.1 { report.problems.append("a record from \(machine) is refused: \(reason)") }
  }

  /// What other machines say they have read has to be there: a host that withholds it is found out here.
  private mutating func checkSeen(_ seen: [StreamPosition]) throws {
    guard !seen.isEmpty else { return }
    let heads = try local.store.read { try $0.streamHeads() }
    let known = Dictionary(heads.map { ($0.position.stream, $0.position) }) { first, _ in first }
    for position in seen {
      guard let head = known[position.stream], head.number >= position.number else {
        problem(
          "less than another machine has read there: segment \(position.number) of stream \(position.stream) is missing"
        )
        isComplete = false
        continue
      }
    }
  }

  /// Judges records again whose authors were unknown, now that the log may name them.
  private func revalidatePending() throws {
    guard report.membershipReceived > 0 else { return }
    try local.store.write { writer in
      let membership = try local.membership(in: writer)
      for row in try writer.pendingRecords() {
        let record = try row.record()
        switch membership.standing(of: record) {
        case .valid: try writer.setStanding(record.hash, .valid)
        case .unknownAuthor: break
        case .refused: try writer.remove(record.hash)
        }
      }
    }
  }
}

extension StreamID {
  /// A stream as the settings keep it: its 16 bytes.
  init?(stored bytes: [UInt8]) {
    guard let raw = Bytes16(bytes) else { return nil }
    self.init(raw)
  }
}
