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

  private mutating func insert(_ place: RemoteLayout.Place, _ file: ObjectID?) {
    guard let file else { return }
    contents[place] = file
    tree.insert(place.path, file)
  }

  /// Reads the published objects, and determines identifiers that the store does not have yet.
  static func read(from local: LocalVault) throws -> PublishedObjects {
    try identifyFiles(of: local)
    return try local.store.read { reader in
      // A list that is damaged here is imported again.
      let missing = Set(try local.branches(in: reader).chain.missingRecordLists.map(\.hash))
      var objects = PublishedObjects()
      objects.insert(.genesis, try ObjectID.ofFile(reader.genesis()))
      objects.insert(.rootSlot, try ObjectID.ofFile(reader.rootSlot()))
      for entry in try reader.publishedLogEntries() {
        objects.insert(.logEntry(entry.sequence), ObjectID(bytes: entry.file))
      }
      for list in try reader.recordLists() {
        if let file = list.published, !missing.contains(list.hash) {
          objects.insert(.recordList(list.hash), ObjectID(bytes: file))
        }
      }
      // One that is damaged here is imported again.
      let genesis = try local.membership(in: reader).genesis
      for slot in try reader.laterRootSlots() where slot.isSound(of: genesis) {
        if let file = slot.published { objects.insert(.laterRootSlot(slot.hash), ObjectID(bytes: file)) }
      }
      for checkpoint in try reader.checkpoints() {
        if let file = checkpoint.published { objects.insert(.checkpoint(checkpoint.epoch), ObjectID(bytes: file)) }
      }
      for chunk in try reader.chunks(of: reader.epochBranch().epoch) {
        if let file = chunk.published { objects.insert(.chunk(chunk.number), ObjectID(bytes: file)) }
      }
      if let opening = try reader.setting(.epochOpening) { objects.insert(.opened, try ObjectID.ofFile(opening)) }
      for segment in try reader.publishedSegments() {
        objects.insert(.segment(segment.stream, segment.number), ObjectID(bytes: segment.file))
      }
      return objects
    }
  }

  /// Determines the identifiers of published files that the store lacks: a later object shows that they were pushed, or they
  /// are of a download.
  private static func identifyFiles(of local: LocalVault) throws {
    let (entries, segments) = try local.store.read { reader in
      (
        try reader.publishedLogEntries().filter { ObjectID(bytes: $0.file) == nil },
        try reader.publishedSegments().filter { ObjectID(bytes: $0.file) == nil }
      )
    }
    guard !entries.isEmpty || !segments.isEmpty else { return }
    try local.store.write { writer in
      for position in entries {
        guard let entry = try writer.logEntry(position.sequence) else { continue }
        try writer.markLogPublished(entry.sequence, as: ObjectID.ofFile(entry.envelope).bytes)
      }
      for position in segments {
        guard let segment = try writer.segment(position.stream, position.number) else { continue }
        try writer.markSegmentPublished(position.stream, position.number, as: ObjectID.ofFile(segment.envelope).bytes)
      }
    }
  }
}
