internal import CofferCrypto
internal import CofferFormat
internal import CofferGit
internal import CofferStore
internal import CofferTrust
internal import CofferVault

/// The objects that the remote should have, according to this machine's store. Each sync compares them with the
/// remote's files, so that nothing that was published depends on what a host shows at another time.
struct PublishedObjects {
  /// The identifiers of their files.
  private(set) var contents: [RemoteLayout.Place: ObjectID] = [:]
  /// Their files.
  private(set) var tree = FileTree()

  private mutating func insert(_ place: RemoteLayout.Place?, _ file: [UInt8]?) {
    guard let place, let file = file.flatMap({ ObjectID(bytes: $0) }) else { return }
    contents[place] = file
    tree.insert(place.path, file)
  }

  /// Reads the published objects, and determines identifiers that the store does not have yet: a later object shows
  /// that these were pushed, or they are of a download.
  static func read(from local: LocalVault) throws -> PublishedObjects {
    if try !local.store.read({ try unidentified($0) }).isEmpty {
      try local.store.write { writer in
        for place in try unidentified(writer) {
          guard let file = try writer.file(at: place) else { continue }
          try writer.markPublished(place, as: file)
        }
      }
    }
    return try local.store.read { try list($0, local) }
  }

  private static func list(_ reader: borrowing StoreReader, _ local: LocalVault) throws -> PublishedObjects {
    let chain = try local.branches(in: reader).chain
    let missing = Set(chain.missingRecordLists.map(\.hash))
    let epoch = try reader.epochBranch().epoch
    var objects = PublishedObjects()
    objects.insert(.genesis, try ObjectID.ofFile(reader.genesis()).bytes)
    objects.insert(.rootSlot, try ObjectID.ofFile(reader.rootSlot()).bytes)
    for entry in try reader.publishedLogEntries() { objects.insert(.logEntry(entry.sequence), entry.file) }
    for kind in StoredObject.Kind.allCases {
      for object in try reader.objects(kind) {
        // What is damaged here is imported again.
        switch object.key {
        case .recordList(let hash): if missing.contains(hash) { continue }
        case .rootSlot(let hash): if try reader.soundRootSlot(hash, of: chain.genesis) == nil { continue }
        case .checkpoint, .chunk: break
        }
        objects.insert(RemoteLayout.Place(object.key, in: epoch), object.published)
      }
    }
    if let opening = try reader.setting(.epochOpening) {
      objects.insert(.opened, try ObjectID.ofFile(opening).bytes)
    }
    for segment in try reader.publishedSegments() {
      objects.insert(.segment(segment.stream, segment.number), segment.file)
    }
    return objects
  }

  /// Returns the published objects of which the identifiers of the files are not known.
  static func unidentified(_ access: borrowing some StoreAccess & ~Copyable) throws -> [RemoteLayout.Place] {
    var places: [RemoteLayout.Place] = []
    for entry in try access.publishedLogEntries() where entry.file.isEmpty { places.append(.logEntry(entry.sequence)) }
    for slot in try access.objects(.rootSlot) where slot.published == [] {
      if let place = RemoteLayout.Place(slot.key, in: 0) { places.append(place) }
    }
    for segment in try access.unidentifiedSegments() { places.append(.segment(segment.stream, segment.number)) }
    return places
  }
}

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
  /// Returns the file that belongs at a place, if the store has its object, sound. What the store does not have sealed
  /// is sealed with the transport key of `device`.
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
  /// Returns the file with one more transport key.
  func adding(_ key: TransportKey) -> DeviceFile {
    DeviceFile(genesis: genesis, keys: keys, localSecret: localSecret, transportKeys: transportKeys + [key])
  }

  /// Seals an object under the newest transport key. Returns nil if there is none.
  func sealing(_ object: [UInt8]?, as content: Envelope.Content) -> [UInt8]? {
    guard let object, let key = transportKeys.last else { return nil }
    return Envelope(sealing: object, as: content, key: key.key, generation: key.generation).bytes
  }
}
