package import CofferCrypto
package import CofferFormat

/// A signed object of the vault that the store has as it is: everything besides records, segments and entries of the log,
/// which have tables of their own.
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
