internal import CofferCrypto
internal import CofferFormat
internal import CofferStore
internal import CofferTrust

/// Verifies the membership log in a store entry by entry, up to the first one that is missing or damaged.
struct LogCheck {
  /// The membership by the valid entries.
  private(set) var membership: Membership
  private(set) var differences: [StoreDifference] = []
  /// The entries whose bytes or envelope can be restored.
  private(set) var repairs: [(sequence: UInt64, entry: [UInt8], envelope: [UInt8])] = []
  /// The first entry that cannot be verified. It and all later ones are fetched again.
  private(set) var cut: UInt64?
  private let device: DeviceFile

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
        guard sealed != stored.entry else { continue }
        guard let envelope = sealedAgain(stored) else {
          // The entry itself is valid. What is lost are the bytes of the file for the remote.
          membership = membership(before: sequence, entries)
          cutLog(before: entries, "the envelope of entry \(sequence) is damaged")
          return
        }
        repairs.append((sequence, stored.entry, envelope))
        differences.append(StoreDifference("log", "the envelope of entry \(sequence) is damaged", .restored))
      } else if let sealed, let entry = try? LogEntry(bytes: sealed), apply(entry) {
        repairs.append((sequence, sealed, stored.envelope))
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

  private func open(_ bytes: [UInt8]) -> [UInt8]? {
    guard let envelope = try? Envelope(bytes: bytes), envelope.content == .logEntry,
      let key = device.transportKey(envelope.generation)
    else { return nil }
    return try? envelope.open(with: key.key)
  }

  /// Seals an entry again that was never pushed. Nil for an entry that the remote has, or that delivers a key.
  private func sealedAgain(_ stored: StoredLogEntry) -> [UInt8]? {
    guard !stored.isPublished, let key = device.transportKeys.last, let entry = try? LogEntry(bytes: stored.entry),
      let statement = try? Statement.parse(entry)
    else { return nil }
    if case .transportKey = statement { return nil }
    return Envelope(sealing: stored.entry, as: .logEntry, key: key.key, generation: key.generation).bytes
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
