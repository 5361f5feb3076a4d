internal import CofferCrypto
internal import CofferFormat
internal import CofferGit
internal import CofferStore
internal import CofferTrust
internal import CofferVault

/// Imports the membership log.
extension Importer {
  /// Imports new entries of the log. Returns the entries that the remote has in an altered form.
  mutating func importLog() throws -> Set<RemoteLayout.Place> {
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
        try accept(candidate)
      } catch {
        guard let fault = UnsoundObject(error) else { throw error }
        reportProblem("has a log entry \(sequence) that is not valid: \(fault.reason)")
        guard own?.isPublished == true else {
          isComplete = false
          break
        }
        altered.insert(.logEntry(sequence))
      }
    }
    return altered
  }

  /// An entry from the remote, opened but not verified yet.
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

  /// Verifies an entry against the log before it and appends it, in place of this machine's unpublished entries.
  private mutating func accept(_ candidate: Candidate) throws {
    // Verify before anything is discarded or the key is used: a host could seal a key of its own to this machine.
    var membership = try membership(before: candidate.entry.sequence)
    try membership.apply(candidate.entry)
    if let fresh = candidate.freshKey {
      let extended = DeviceFile(
        genesis: device.genesis, keys: device.keys, localSecret: device.localSecret,
        transportKeys: device.transportKeys + [fresh])
      var bytes = extended.secretBytes()
      // Write the key before the entry: without the key, no later object could be opened.
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

  /// Throws if two valid entries have the same sequence number: only the vault's owner can decide between them.
  private func checkForFork(_ candidate: Candidate, against own: StoredLogEntry) throws(VaultError) {
    let ownHash = try translatingErrors { try LogEntry(bytes: own.entry).hash }
    guard candidate.entry.hash != ownHash, try membership(before: own.sequence).accepts(candidate.entry) else { return }
    throw VaultError(
      .integrity,
      "the membership log has forked at entry \(own.sequence): two admins signed different entries, and \(url) shows the other one",
      recoverySuggestion:
        "nothing was imported; compare `coffer status` on your machines and clone the vault again on those that have the wrong branch"
    )
  }

  /// Returns the membership as it was before an entry.
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
  /// Whether `entry` is a valid next entry.
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
