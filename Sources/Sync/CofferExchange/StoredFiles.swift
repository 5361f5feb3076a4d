internal import CofferCrypto
internal import CofferFormat
internal import CofferGit
internal import CofferStore
internal import CofferTrust
internal import CofferVault

/// Where the store has the object of each place.
extension RemoteLayout.Place {
  /// Where an object of the store is at the remote. The chunks of another epoch than the given one have no place there.
  init?(_ key: StoredObject.Key, in epoch: UInt32) {
    switch key {
    case .recordList(let hash): self = .recordList(hash)
    case .rootSlot(let hash): self = .laterRootSlot(hash)
    case .checkpoint(let epoch): self = .checkpoint(epoch)
    case .chunk(let number, epoch): self = .chunk(number)
    case .chunk: return nil
    }
  }

  var isSegment: Bool { if case .segment = self { true } else { false } }

  /// Whether the branch of the next epoch has the object, too.
  var isKept: Bool {
    switch self {
    case .genesis, .rootSlot, .laterRootSlot, .logEntry, .recordList, .checkpoint: true
    case .segment, .chunk, .closed, .opened: false
    }
  }
}

extension StoreAccess where Self: ~Copyable {
  /// Returns the file that belongs at a place, if the store has its object, sound. What the store does not have sealed is
  /// sealed with the transport key of `device`.
  func file(at place: RemoteLayout.Place, sealedBy device: DeviceFile? = nil) throws -> [UInt8]? {
    switch place {
    case .genesis: try genesis()
    case .rootSlot: try rootSlot()
    case .laterRootSlot(let hash): try soundRootSlot(hash, of: Genesis(bytes: genesis()))
    case .logEntry(let sequence): try logEntry(sequence)?.envelope
    case .recordList(let hash):
      try object(.recordList(hash)).flatMap { bytes in
        (try? RecordList(bytes: bytes))?.hash == hash ? device?.sealing(bytes, as: .recordList) : nil
      }
    case .segment(let stream, let number): try segment(stream, number)?.envelope
    case .checkpoint(let epoch): try device?.sealing(object(.checkpoint(epoch)), as: .checkpoint)
    case .chunk(let number):
      try device?.sealing(object(.chunk(number, epoch: epochBranch().epoch)), as: .snapshotChunk)
    case .opened: try setting(.epochOpening)
    case .closed: nil
    }
  }

  /// Returns the signed slot of a later root; nil if the store does not have it, or has it damaged.
  func soundRootSlot(_ hash: Bytes32, of genesis: Genesis) throws -> [UInt8]? {
    try object(.rootSlot(hash)).flatMap { (try? RootSlot(bytes: $0, of: genesis))?.hash == hash ? $0 : nil }
  }
}

extension StoreWriter {
  /// Marks the object of a place as published, with this file.
  func markPublished(_ place: RemoteLayout.Place, as file: [UInt8]) throws {
    let id = try ObjectID.ofFile(file).bytes
    switch place {
    case .logEntry(let sequence): try markLogPublished(sequence, as: id)
    case .segment(let stream, let number): try markSegmentPublished(stream, number, as: id)
    case .recordList(let hash): try markPublished(StoredObject.Key.recordList(hash), as: id)
    case .laterRootSlot(let hash): try markPublished(StoredObject.Key.rootSlot(hash), as: id)
    case .checkpoint(let epoch): try markPublished(StoredObject.Key.checkpoint(epoch), as: id)
    case .chunk(let number): try markPublished(StoredObject.Key.chunk(number, epoch: epochBranch().epoch), as: id)
    // Their files follow from their bytes.
    case .genesis, .rootSlot, .opened, .closed: break
    }
  }
}

extension DeviceFile {
  /// Seals an object under the newest transport key. Returns nil if there is none.
  func sealing(_ object: [UInt8]?, as content: Envelope.Content) -> [UInt8]? {
    guard let object, let key = transportKeys.last else { return nil }
    return Envelope(sealing: object, as: content, key: key.key, generation: key.generation).bytes
  }
}
