package import CofferCrypto
package import CofferFormat
package import CofferStore
internal import CofferTrust

/// Verifies the membership log in a store entry by entry, up to the first one that is missing or damaged.
struct LogCheck {
  /// The membership by the valid entries.
  private(set) var membership: Membership
  private(set) var differences: [StoreDifference] = []
  /// The entries whose bytes or envelope can be restored.
  private(set) var repairs: [(sequence: UInt64, entry: [UInt8], envelope: [UInt8])] = []
  /// The published entries that open, and whose envelopes are not what their signers have made. The remote may have the
  /// genuine ones.
  private(set) var altered: [UInt64] = []
  /// The first entry that cannot be verified. It and all later ones are fetched again.
  private(set) var cut: UInt64?
  private let device: DeviceFile
  /// The transport keys that entries of this machine introduce, and that its key file has only after they are
  /// published.
  private var introduced: [TransportKey] = []

  /// Whether entries at the end are missing.
  private var isTruncated = false

  /// Whether the whole log is valid.
  var isSound: Bool { cut == nil && !isTruncated }

  init(genesis: Genesis, device: DeviceFile) {
    membership = Membership(genesis: genesis)
    self.device = device
  }

  /// Verifies the entries, in ascending order, and their number if it is known.
  mutating func run(_ entries: [StoredLogEntry], expecting count: Int?) {
    run(entries)
    cutIncompleteRevocation(entries)
    let length = Int(clamping: membership.head.sequence)
    guard cut == nil, let count, count > length else { return }
    isTruncated = true
    differences.append(
      StoreDifference("log", "entries \(length + 1) to \(count) are missing", .remote, count: count - length))
  }

  private mutating func run(_ entries: [StoredLogEntry]) {
    for stored in entries {
      let sequence = stored.sequence
      guard sequence == membership.head.sequence + 1 else {
        cutLog(before: entries, "entries \(membership.head.sequence + 1) to \(sequence - 1) are missing")
        return
      }
      let sealed = open(stored.envelope)
      if let entry = try? LogEntry(bytes: stored.entry), apply(entry) {
        let isWhole = sealed?.entry.bytes == stored.entry
        if isWhole, let key = sealed?.introduced { introduced.append(key) }
        let fault = isWhole ? sealed.flatMap(alteration) : "the envelope of entry \(sequence) is damaged"
        guard let fault else { continue }
        guard !isWhole || !stored.isPublished else {
          altered.append(sequence)
          differences.append(StoreDifference("log", fault, .remote))
          continue
        }
        guard let envelope = sealedAgain(stored) else {
          // The entry itself is valid. What is lost are the bytes of the file for the remote.
          membership = membership(before: sequence, entries)
          cutLog(before: entries, fault)
          return
        }
        repairs.append((sequence, stored.entry, envelope))
        differences.append(StoreDifference("log", fault, .restored))
      } else if let sealed, apply(sealed.entry) {
        if let key = sealed.introduced { introduced.append(key) }
        repairs.append((sequence, sealed.entry.bytes, stored.envelope))
        differences.append(StoreDifference("log", "entry \(sequence) is damaged", .restored))
      } else {
        cutLog(before: entries, "entry \(sequence) is damaged")
        return
      }
    }
  }

  private mutating func apply(_ entry: LogEntry) -> Bool {
    do throws(TrustError) {
      try membership.apply(entry)
      return true
    } catch {
      return false
    }
  }

  private func membership(before sequence: UInt64, _ entries: [StoredLogEntry]) -> Membership {
    var earlier = LogCheck(genesis: membership.genesis, device: device)
    earlier.run(entries.filter { $0.sequence < sequence })
    return earlier.membership
  }

  /// An entry as its envelope has it.
  private struct Sealed {
    let entry: LogEntry
    let envelope: Envelope
    /// The transport key that the envelope delivers to this machine; nil if its key file has it.
    let introduced: TransportKey?
  }

  /// Opens an envelope. Its boxes may be others than those that the entry names.
  private func open(_ bytes: [UInt8]) -> Sealed? {
    guard let envelope = try? Envelope(bytes: bytes) else { return nil }
    let known = transportKey(envelope.generation)
    let key = known ?? device.transportKey(introducedBy: envelope)
    guard let key, let entry = try? LogEntry(opening: envelope, with: key, acceptingOtherBoxes: true) else {
      return nil
    }
    return Sealed(entry: entry, envelope: envelope, introduced: known == nil ? key : nil)
  }

  /// Returns in which way the envelope of the last entry is not what the signer has made; nil if it is.
  private func alteration(of sealed: Sealed) -> String? {
    let entry = sealed.entry
    if (try? entry.names(boxesOf: sealed.envelope)) != true {
      return "the boxes of entry \(entry.sequence) were altered"
    }
    guard sealed.envelope.generation != membership.transportGeneration else { return nil }
    return "entry \(entry.sequence) is sealed under another transport key than the newest"
  }

  private func transportKey(_ generation: UInt32) -> TransportKey? {
    device.transportKey(generation) ?? introduced.first { $0.generation == generation }
  }

  /// Seals the last entry again if it was never pushed. Nil for an entry that the remote has, or that delivers a key.
  private func sealedAgain(_ stored: StoredLogEntry) -> [UInt8]? {
    guard !stored.isPublished, let key = transportKey(membership.transportGeneration),
      let entry = try? LogEntry(bytes: stored.entry), (try? entry.transportKeyStatement) == .some(nil)
    else { return nil }
    return Envelope(sealing: stored.entry, as: .logEntry, key: key.key, generation: key.generation).bytes
  }

  /// Cuts the log before a revocation of this machine that was not sent and has lost a part of its entries: nobody else
  /// has them.
  private mutating func cutIncompleteRevocation(_ entries: [StoredLogEntry]) {
    guard let revocation = membership.incompleteBatch,
      entries.contains(where: { $0.sequence == revocation.sequence && !$0.isPublished })
    else { return }
    membership = membership(before: revocation.sequence, entries)
    if let damaged = cut {
      cut = revocation.sequence
      let text = "entries \(revocation.sequence) to \(damaged - 1) of this machine were not sent and are incomplete"
      differences.append(StoreDifference("log", text, .lost, count: Int(clamping: damaged - revocation.sequence)))
    } else {
      cutLog(before: entries, "entries that belong to the revocation in entry \(revocation.sequence) are missing")
    }
  }

  private mutating func cutLog(before entries: [StoredLogEntry], _ text: String) {
    let first = membership.head.sequence + 1
    cut = first
    let later = entries.filter { $0.sequence >= first }
    let published = later.count(where: \.isPublished)
    differences.append(StoreDifference("log", text, .remote, count: max(published, 1)))
    let unpublished = later.count - published
    if unpublished > 0 {
      differences.append(
        StoreDifference(
          "log", "\(unpublished) entries of this machine were not sent and cannot be verified", .lost,
          count: unpublished))
    }
  }
}

extension LocalVault {
  /// Verifies the whole membership log in the store as `coffer check` does, with the sealed forms of its entries.
  package func hasSoundLog() throws(VaultError) -> Bool {
    var check = LogCheck(genesis: try membership().genesis, device: try deviceFile())
    check.run(try translatingErrors { try store.read { try $0.logEntries(after: 0) } }, expecting: nil)
    return check.differences.isEmpty
  }
}

extension LocalVault {
  /// Compares the next slice of the store's contents with the hashes of its rows, from where the last slice ended.
  /// After 64 calls or, in a store with more than 32,000 versions, one for each 512, each row was compared.
  package func isSliceSound(_ position: inout ContentPosition) throws(VaultError) -> Bool {
    try store.isSliceSound(&position, deviceFile())
  }
}

extension Store {
  /// Compares the next slice, as ``LocalVault/isSliceSound(_:)``, without reading the membership log.
  package func isSliceSound(
    _ position: inout ContentPosition, _ device: DeviceFile
  ) throws(VaultError) -> Bool {
    var next = position
    let isSound = try translatingErrors {
      try read { reader in
        let vault = try Genesis(bytes: reader.genesis()).vault
        return try reader.isSliceSound(
          &next,
          isSegment: { envelope, hash in
            device.holds(envelope, .segment) { bytes in
              (try? Segment(bytes: bytes)).map { $0.vault == vault && $0.hash.raw.bytes == hash } ?? false
            }
          },
          isEntry: { envelope, entry in device.holds(envelope, .logEntry) { $0 == entry } })
      }
    }
    position = next
    return isSound
  }
}

extension DeviceFile {
  /// Whether an envelope of a kind has the right content. True for one under a transport key that this machine does not
  /// have: the next sync may bring it.
  fileprivate func holds(_ bytes: [UInt8], _ kind: Envelope.Content, _ isRight: ([UInt8]) -> Bool) -> Bool {
    guard let envelope = try? Envelope(bytes: bytes), envelope.content == kind else { return false }
    guard let key = transportKey(envelope.generation) else { return true }
    return (try? envelope.open(with: key.key)).map(isRight) ?? false
  }
}

/// The summary of the store's rows, by which a change that another program made is noticed.
extension LocalVault {
  package func compareSummary() throws(VaultError) -> SummaryComparison {
    let key = try deviceFile().summaryKey
    return try translatingErrors { try store.read { try $0.compareSummary(key) } }
  }

  /// Writes the summary of the rows that the store has now. Only for a store that this program has just created: a
  /// change that another program has made before is never noticed.
  package func writeSummary() throws(VaultError) {
    let key = try deviceFile().summaryKey
    try translatingErrors { try store.write { try $0.replaceSummary(key) } }
  }

  /// Whether another program has changed rows of the store since the last check, as far as the summary tells.
  package func isStoreChanged() throws(VaultError) -> Bool {
    if case .different = try compareSummary() { true } else { false }
  }

  /// Returns the function that reads the key of the summary. It is called at the first write, so that a program that
  /// only reads never opens the device file.
  static func summaryKeySource(_ folder: VaultFolder, genesis: EntryHash) -> @Sendable () -> SymmetricKey? {
    {
      do throws(VaultError) {
        let file = try folder.deviceFile.read(DeviceFile.self)
        return file.genesis == genesis ? file.summaryKey : nil
      } catch {
        return nil
      }
    }
  }
}

extension DeviceFile {
  /// The key that seals the summary of this machine's store, and hashes its rows. It opens no item, so it may outlive a
  /// lock.
  package var summaryKey: SymmetricKey { Hash.key(from: localSecret, domain: .summaryKey) }
}
