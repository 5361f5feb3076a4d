internal import Coffer
internal import CofferCrypto
internal import CofferFormat
internal import CofferGit
internal import CofferStore
internal import CofferTrust

/// The membership log.
extension Intake {
  /// Takes in new entries of the log. Returns entries that the remote has in an altered form.
  mutating func takeLog() throws -> Set<RemoteLayout.Place> {
    var altered: Set<RemoteLayout.Place> = []
    for sequence in logEntries.keys.sorted() {
      guard let blob = logEntries[sequence] else { continue }
      let own = try local.store.read { try $0.logEntries(after: sequence - 1).first }
        .flatMap { $0.sequence == sequence ? $0 : nil }
      do {
        let bytes = try repository.blob(blob, maximumByteCount: Limits.logEnvelopeByteCount)
        if let own, own.envelope == bytes {
          if !own.isPublished { try local.store.write { try $0.markLogPublished(through: sequence) } }
          continue
        }
        let candidate = try open(bytes, at: sequence)
        if let own, own.isPublished {
          try checkForFork(candidate, against: own)
          throw UnsoundObject("it is not the one that this machine has seen")
        }
        try adopt(candidate)
      } catch {
        guard let fault = UnsoundObject(error) else { throw error }
        problem("a log entry \(sequence) that does not hold: \(fault.reason)")
        guard own?.isPublished == true else {
          isComplete = false
          break
        }
        altered.insert(.logEntry(sequence))
      }
    }
    return altered
  }

  /// An entry from the remote, opened and not believed yet.
  private struct Candidate {
    let envelope: Envelope
    let entry: LogEntry
    /// The transport key that it introduces.
    let freshKey: TransportKey?
  }

  private func open(_ bytes: [UInt8], at sequence: UInt64) throws -> Candidate {
    let envelope = try Envelope(bytes: bytes)
    guard envelope.content == .logEntry else {
      throw FormatError(.otherKind, object: "log entry", field: "content")
    }
    let known = device.transportKeys.first { $0.generation == envelope.generation }
    let fresh =
      known == nil
      ? TransportKey(generation: envelope.generation, boxes: envelope.boxes, openedBy: device.keys.agreement) : nil
    guard let key = known ?? fresh else { throw FormatError(.doesNotOpen, object: "envelope", field: "boxes") }
    let entry = try LogEntry(bytes: envelope.open(with: key.key))
    guard entry.sequence == sequence else { throw TrustError(.malformed, at: sequence, "it is another entry") }
    if case .transportKey(let statement)? = try Statement.parse(entry) {
      guard statement.generation == envelope.generation, statement.commitment == key.commitment else {
        throw FormatError(.invalidValue, object: "envelope", field: "generation")
      }
    } else if fresh != nil {
      throw FormatError(.invalidValue, object: "envelope", field: "boxes")
    }
    return Candidate(envelope: envelope, entry: entry, freshKey: fresh)
  }

  /// Believes an entry after everything before it, in place of what this machine had not published.
  private mutating func adopt(_ candidate: Candidate) throws {
    // Before anything is given up or used for it: a host could seal a key of its own to this machine.
    var membership = try membership(before: candidate.entry.sequence)
    try membership.apply(candidate.entry)
    if let fresh = candidate.freshKey {
      let extended = DeviceFile(
        genesis: device.genesis, keys: device.keys, localSecret: device.localSecret,
        transportKeys: device.transportKeys + [fresh])
      var bytes = extended.secretBytes()
      // Before the entry: without the key, nothing behind the entry could be read.
      try local.folder.deviceFile.write(wiping: &bytes)
      device = extended
    }
    report.membershipDiscarded += try local.store.write { writer in
      let discarded = try writer.discardUnpublishedLog()
      try writer.appendLogEntry(
        sequence: candidate.entry.sequence, entry: candidate.entry.bytes, envelope: candidate.envelope.bytes,
        isPublished: true)
      return discarded
    }
    report.membershipReceived += 1
  }

  /// Throws where two valid entries claim one place of the log: nobody but its owner can say which one counts.
  private func checkForFork(_ candidate: Candidate, against own: StoredLogEntry) throws(VaultError) {
    let ownHash = try translatingErrors { try LogEntry(bytes: own.entry).hash }
    guard candidate.entry.hash != ownHash, try membership(before: own.sequence).accepts(candidate.entry) else { return }
    throw VaultError(
      .integrity,
      "the membership log has forked at entry \(own.sequence): two admins signed different entries, and \(url) shows the other one",
      mend:
        "nothing was taken in; compare `coffer status` on your machines and clone again where the wrong branch is")
  }

  /// The membership as it was before an entry.
  private func membership(before sequence: UInt64) throws(VaultError) -> Membership {
    let current = try local.membership()
    if current.head.sequence == sequence - 1 { return current }
    return try translatingErrors {
      var membership = Membership(genesis: current.genesis)
      let entries = try local.store.read { try $0.logEntries(after: 0) }
      for stored in entries where stored.sequence < sequence { try membership.apply(try LogEntry(bytes: stored.entry)) }
      return membership
    }
  }
}

extension Membership {
  /// True where `entry` would be taken in.
  fileprivate func accepts(_ entry: LogEntry) -> Bool {
    var copy = self
    do throws(TrustError) {
      try copy.apply(entry)
      return true
    } catch {
      return false
    }
  }
}
