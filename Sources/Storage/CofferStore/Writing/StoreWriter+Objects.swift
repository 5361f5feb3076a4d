internal import CofferFormat

extension StoreWriter {
  /// Stores a verified object, in place of another one with its key. `published` is the identifier of its file on the
  /// remote; with nil, what was known of it stays.
  package func insert(_ object: some StorableObject, published: [UInt8]?) throws(StoreError) {
    noteChange(of: object.key)
    try connection.changing(.object, where: Self.isNamed, object.key.values) { () throws(StoreError) in
      try connection.run(
        """
        INSERT INTO object (kind, name, published, bytes) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (kind, name) DO UPDATE SET bytes = excluded.bytes,
          published = coalesce(excluded.published, published)
        """, object.key.values + [.optionalBlob(published), .blob(object.bytes)])
    }
  }

  /// Marks an object as published, under the identifier of its file on the remote.
  package func markPublished(_ key: StoredObject.Key, as file: [UInt8]) throws(StoreError) {
    try connection.run("UPDATE object SET published = ?3 WHERE \(Self.isNamed)", key.values + [.blob(file)])
  }

  package func delete(_ key: StoredObject.Key) throws(StoreError) {
    noteChange(of: key)
    try connection.delete(from: .object, where: Self.isNamed, key.values)
  }

  /// Deletes the chunks that the checkpoint of an epoch does not name: those of other epochs, and those of another snapshot
  /// that could not be followed.
  package func deleteChunks(exceptOf epoch: UInt32) throws(StoreError) {
    let count = try object(.checkpoint(epoch)).flatMap { try? Checkpoint(bytes: $0) }?.chunks.count ?? 0
    for object in try objects(.chunk) {
      if case .chunk(let number, epoch) = object.key, number < count { continue }
      try delete(object.key)
    }
  }

  /// A list of records decides what a revocation in the log refuses.
  private func noteChange(of key: StoredObject.Key) {
    if key.kind == .recordList { connection.logChanges.increment() }
  }

  private static let isNamed = "kind = ?1 AND name = ?2"
}
