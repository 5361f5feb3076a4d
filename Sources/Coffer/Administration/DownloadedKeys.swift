internal import CofferCrypto
internal import CofferFormat
internal import CofferTrust

/// The transport keys that a party can open in a downloaded log: those that are sealed to it, and the earlier ones that
/// they wrap. None of them is verified: whoever can push could have sealed one, so that several are candidates for one
/// generation, and the log has to commit to each.
struct DownloadedKeys {
  /// The maximum number of candidates for a generation. Those of entries that come first in the log are kept.
  private static let cap = 8

  private var candidates: [UInt32: [TransportKey]] = [:]

  /// Opens the keys in a log.
  ///
  /// - Parameters:
  ///   - envelopes: The envelopes of the log, in its order. Those without boxes are ignored.
  ///   - agreement: The party's key that opens boxes.
  ///   - known: Keys that the party has in another way.
  ///   - vault: The vault.
  init(in envelopes: [Envelope], openedBy agreement: AgreementKey, and known: [TransportKey] = [], vault: VaultID) {
    let introducing = envelopes.filter { $0.content == .logEntry && !$0.boxes.isEmpty }
    for envelope in introducing {
      let key = TransportKey(generation: envelope.generation, boxes: envelope.boxes, openedBy: agreement)
      if let key { add(key) }
    }
    for key in known { add(key) }
    // Stable, so that of one generation the first in the log comes first.
    let descending = introducing.enumerated().sorted {
      ($1.element.generation, $0.offset) < ($0.element.generation, $1.offset)
    }
    for (_, envelope) in descending where envelope.generation > 1 {
      guard let opened = open(envelope),
        case .transportKey(let statement)? = (try? LogEntry(bytes: opened.content)).flatMap({ try? Statement.parse($0) }
        ),
        let previous = try? opened.key.unwrapPrevious(statement.wrappedPrevious, in: vault)
      else { continue }
      add(previous)
    }
  }

  /// Opens an envelope.
  ///
  /// - Parameter envelope: The envelope.
  /// - Returns: What it contains, and the candidate that opens it; nil if none does.
  func open(_ envelope: Envelope) -> (content: [UInt8], key: TransportKey)? {
    for key in candidates[envelope.generation] ?? [] {
      if let content = try? envelope.open(with: key.key) { return (content, key) }
    }
    return nil
  }

  private mutating func add(_ key: TransportKey) {
    var keys = candidates[key.generation] ?? []
    guard keys.count < Self.cap, !keys.contains(where: { $0.commitment == key.commitment }) else { return }
    keys.append(key)
    candidates[key.generation] = keys
  }
}
