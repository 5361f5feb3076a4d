internal import CofferFormat
internal import CofferGit
internal import CofferStore
internal import CofferTrust
internal import CofferVault

/// The objects that the remote should have, according to this machine's store. Each sync compares them with the remote's
/// files, so that nothing that was published depends on what a host shows at another time.
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

  /// Reads the published objects, and determines identifiers that the store does not have yet: a later object shows that
  /// these were pushed, or they are of a download.
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
