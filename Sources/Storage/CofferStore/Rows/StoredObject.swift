package import CofferCrypto
package import CofferFormat

/// A signed object of the vault that the store has as it is: everything besides records, segments and entries of the
/// log, which have tables of their own.
package protocol StorableObject {
  var key: StoredObject.Key { get }
  var bytes: [UInt8] { get }
}

/// Such an object, as the store knows it.
package struct StoredObject: Hashable, Sendable {
  package let key: Key
  /// The identifier of the file on the remote: nil if the remote does not have the object, empty if it is unknown.
  package let published: [UInt8]?

  package enum Kind: String, CaseIterable, Hashable, Sendable {
    case recordList = "record_list"
    case rootSlot = "root_slot"
    case checkpoint
    case chunk
  }

  /// What distinguishes an object from all others.
  package enum Key: Hashable, Sendable {
    /// A list of records that stay valid after a revocation, by the hash that the revocation names.
    case recordList(Bytes32)
    /// The slot of a root after the first, by the hash that the succession names.
    case rootSlot(Bytes32)
    /// The checkpoint that begins an epoch.
    case checkpoint(UInt32)
    /// A chunk of the snapshot of an epoch, by its number.
    case chunk(UInt32, epoch: UInt32)

    package var kind: Kind {
      switch self {
      case .recordList: .recordList
      case .rootSlot: .rootSlot
      case .checkpoint: .checkpoint
      case .chunk: .chunk
      }
    }

    /// The bytes in the column `name`, which sort as the objects do.
    private var name: [UInt8] {
      var name = ByteWriter()
      switch self {
      case .recordList(let hash), .rootSlot(let hash): name.fixed(hash)
      case .checkpoint(let epoch): name.u32(epoch)
      case .chunk(let number, let epoch):
        name.u32(epoch)
        name.u32(number)
      }
      return name.bytes
    }

    /// The values of the columns `kind` and `name`.
    var values: [SQLValue] { [.text(kind.rawValue), .blob(name)] }

    init?(_ kind: Kind, named name: [UInt8]) {
      var reader = ByteReader(name, object: "name")
      let key: Key? =
        switch kind {
        case .recordList: (try? reader.bytes32("name")).map { .recordList($0) }
        case .rootSlot: (try? reader.bytes32("name")).map { .rootSlot($0) }
        case .checkpoint: (try? reader.u32("name")).map { .checkpoint($0) }
        case .chunk: (try? (reader.u32("epoch"), reader.u32("number"))).map { .chunk($1, epoch: $0) }
        }
      guard let key, reader.remaining == 0 else { return nil }
      self = key
    }
  }
}

extension RecordList: StorableObject {
  package var key: StoredObject.Key { .recordList(hash) }
}

extension RootSlot: StorableObject {
  package var key: StoredObject.Key { .rootSlot(hash) }
}

extension Checkpoint: StorableObject {
  package var key: StoredObject.Key { .checkpoint(epoch) }
}

extension SnapshotChunk: StorableObject {
  package var key: StoredObject.Key { .chunk(number, epoch: epoch) }
}

extension StoreAccess where Self: ~Copyable {
  /// Returns the bytes of an object; nil if the store does not have it. The caller verifies them.
  package func object(_ key: StoredObject.Key) throws(StoreError) -> [UInt8]? {
    try connection.bytes("SELECT bytes FROM object WHERE kind = ?1 AND name = ?2", key.values)
  }

  /// Returns all objects of a kind without their bytes, in ascending order.
  package func objects(_ kind: StoredObject.Kind) throws(StoreError) -> [StoredObject] {
    // A check deletes rows without a name.
    try connection.rows(
      "SELECT name, published FROM object WHERE kind = ?1 ORDER BY name", [.text(kind.rawValue)]
    ) { (row) throws(StoreError) in
      StoredObject.Key(kind, named: row.bytes(0)).map { StoredObject(key: $0, published: row.optionalBytes(1)) }
    }
  }

  /// Returns the size in bytes of the chunks of an epoch's snapshot, without their envelopes.
  package func chunkByteCount(of epoch: UInt32) throws(StoreError) -> Int {
    let first = StoredObject.Key.chunk(0, epoch: epoch)
    let last = StoredObject.Key.chunk(.max, epoch: epoch)
    return Int(
      clamping: try connection.integer(
        "SELECT ifnull(sum(length(bytes)), 0) FROM object WHERE kind = ?1 AND name BETWEEN ?2 AND ?3",
        first.values + last.values.suffix(1)) ?? 0)
  }
}

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

  /// Deletes the chunks that the checkpoint of an epoch does not name: those of other epochs, and those of another
  /// snapshot that could not be followed.
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
