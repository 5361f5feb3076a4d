internal import CofferCrypto
internal import CofferFormat
internal import CofferGit
internal import CofferTrust
internal import CofferVault

/// Finds what machines of the vault have made among the files of a history. An attacker with push access can add any
/// number of others, and limits that counted them would hide these.
extension Importer {
  /// Lists the commits of a branch after which something was changed or removed that a machine of the vault had made,
  /// the earliest first, at most 256. Nothing else counts.
  func commitsBeforeLosses(in tip: ObjectID) throws -> [ObjectID] {
    let chain = try local.settledMembership()
    return try repository.commitsBeforeChanges(in: tip) { file in
      try RemoteLayout.Place(file.path).map { try isGenuine(file.content, at: $0, in: chain) } ?? false
    }
  }

  /// Whether somebody who has a key of the vault has made a file for a place.
  func isGenuine(_ content: ObjectID, at place: RemoteLayout.Place, in chain: Membership) throws -> Bool {
    try UnsoundObject.ignoring {
      switch place {
      case .genesis:
        return try repository.blob(content, maximumByteCount: 4_096) == chain.genesis.bytes
      case .rootSlot:
        let bytes = try repository.blob(content, maximumByteCount: RootSlot.byteLimit)
        return (try? RootSlot.first(bytes: bytes, of: chain.genesis)) != nil
      case .laterRootSlot(let hash):
        guard let statement = chain.successions.first(where: { $0.statement.slot == hash })?.statement else {
          return false
        }
        let bytes = try repository.blob(content, maximumByteCount: RootSlot.byteLimit)
        return RootSlot(bytes: bytes, of: chain.genesis, namedBy: statement) != nil
      case .recordList(let hash):
        return try open(content, as: .recordList).flatMap { try? RecordList(bytes: $0) }?.hash == hash
      case .logEntry: return try open(content, as: .logEntry) != nil
      case .segment: return try open(content, as: .segment) != nil
      case .checkpoint: return try open(content, as: .checkpoint) != nil
      case .chunk: return try open(content, as: .snapshotChunk) != nil
      case .closed, .opened: return try open(content, as: .closing) != nil
      }
    } ?? false
  }

  /// Opens a file with the transport key of its generation; nil if this machine has none, or if the file does not open.
  private func open(_ content: ObjectID, as kind: Envelope.Content) throws -> [UInt8]? {
    let limit =
      switch kind {
      case .logEntry, .recordList: Limits.logEnvelopeByteCount
      case .closing: Self.closingByteCount
      default: Limits.objectByteCount
      }
    let envelope = try Envelope(bytes: repository.blob(content, maximumByteCount: limit))
    guard envelope.content == kind else { return nil }
    // An entry of the log can bring its key with it.
    let key =
      device.transportKey(envelope.generation)
      ?? TransportKey(generation: envelope.generation, boxes: envelope.boxes, openedBy: device.keys.agreement)
    return key.flatMap { try? envelope.open(with: $0.key) }
  }
}
