internal import CofferCrypto
internal import CofferFormat
internal import CofferTrust

/// The transport keys that a party opens in a downloaded log: those that are sealed to it, and the earlier ones that they
/// wrap. None of them is verified: the log has to commit to each.
struct DownloadedKeys {
  private(set) var keys: [UInt32: TransportKey] = [:]

  /// Opens the keys in a log.
  ///
  /// - Parameters:
  ///   - envelopes: The envelopes of the log. Those without boxes are ignored.
  ///   - agreement: The party's key that opens boxes.
  ///   - vault: The vault.
  init(in envelopes: [Envelope], openedBy agreement: AgreementKey, vault: VaultID) {
    let introducing = envelopes.filter { $0.content == .logEntry && !$0.boxes.isEmpty }
    for envelope in introducing where keys[envelope.generation] == nil {
      keys[envelope.generation] = TransportKey(
        generation: envelope.generation, boxes: envelope.boxes, openedBy: agreement)
    }
    for envelope in introducing.sorted(by: { $0.generation > $1.generation }) {
      guard let key = keys[envelope.generation], envelope.generation > 1, keys[envelope.generation - 1] == nil,
        let entry = try? LogEntry(bytes: envelope.open(with: key.key)),
        case .transportKey(let statement)? = try? Statement.parse(entry)
      else { continue }
      keys[envelope.generation - 1] = try? key.unwrapPrevious(statement.wrappedPrevious, in: vault)
    }
  }

  /// Adds keys that the party has in another way, as far as the log does not have them.
  mutating func add(_ others: [TransportKey]) {
    for key in others where keys[key.generation] == nil { keys[key.generation] = key }
  }
}
