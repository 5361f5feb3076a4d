internal import CofferGit
internal import CofferStore
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
      var objects = PublishedObjects()
      objects.insert(.genesis, try ObjectID.ofFile(reader.genesis()))
      objects.insert(.rootSlot, try ObjectID.ofFile(reader.rootSlot()))
      for entry in try reader.logEntries(after: 0) {
        objects.insert(.logEntry(entry.sequence), entry.published.flatMap { ObjectID(bytes: $0) })
      }
      for segment in try reader.publishedSegments() {
        objects.insert(.segment(segment.stream, segment.number), ObjectID(bytes: segment.file))
      }
      return objects
    }
  }

  /// Determines the identifiers of published files that the store lacks: an older version wrote it, or a later object
  /// shows that they were pushed.
  private static func identifyFiles(of local: LocalVault) throws {
    let isComplete = try local.store.read { reader in
      let entries = try reader.logEntries(after: 0)
      return try !entries.contains { $0.published.map { ObjectID(bytes: $0) == nil } ?? false }
        && !reader.publishedSegments().contains { ObjectID(bytes: $0.file) == nil }
    }
    guard !isComplete else { return }
    try local.store.write { writer in
      for entry in try writer.logEntries(after: 0) {
        guard let file = entry.published, ObjectID(bytes: file) == nil else { continue }
        try writer.markLogPublished(entry.sequence, as: ObjectID.ofFile(entry.envelope).bytes)
      }
      for position in try writer.publishedSegments() where ObjectID(bytes: position.file) == nil {
        guard let segment = try writer.segment(position.stream, position.number) else { continue }
        try writer.markSegmentPublished(
          position.stream, position.number, as: ObjectID.ofFile(segment.envelope).bytes)
      }
    }
  }
}
