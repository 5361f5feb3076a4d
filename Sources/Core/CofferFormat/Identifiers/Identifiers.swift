package import CofferCrypto

/// An identifier of 16 bytes. Each kind of identifier has its own type, so that they cannot be mixed up.
package protocol Identifier: Hashable, Comparable, Coded, CustomStringConvertible {
  var raw: Bytes16 { get }
  init(_ raw: Bytes16)
}

extension Identifier {
  /// Lower-case hexadecimal.
  package var description: String { raw.hex }

  package static func < (left: Self, right: Self) -> Bool { left.raw < right.raw }

  package func write(to writer: inout ByteWriter) { writer.fixed(raw) }

  package init(from reader: inout ByteReader) throws(FormatError) { self.init(try reader.bytes16("identifier")) }
}

/// The identifier of a vault: 16 random bytes in its genesis.
package struct VaultID: Identifier {
  package let raw: Bytes16
  package init(_ raw: Bytes16) { self.raw = raw }

  /// Generates a random identifier.
  package static func random() -> VaultID { VaultID(Bytes16(Random.bytes(count: 16)) ?? .zero) }
}

/// The identifier of an enrolled machine: a hash of its public keys.
package struct DeviceID: Identifier {
  package let raw: Bytes16
  package init(_ raw: Bytes16) { self.raw = raw }

  package init(vault: VaultID, keys: PartyPublicKeys) {
    raw = Hash.identifier(vault.raw.bytes + keys.verifying.raw.bytes + keys.box.raw.bytes, domain: .device)
  }
}

/// The identifier of an author of records, which is a principal (an app on a device) or a device's admin: a hash of its
/// public keys.
package struct AuthorID: Identifier {
  package let raw: Bytes16
  package init(_ raw: Bytes16) { self.raw = raw }

  package init(vault: VaultID, keys: PartyPublicKeys) {
    raw = Hash.identifier(vault.raw.bytes + keys.verifying.raw.bytes + keys.box.raw.bytes, domain: .author)
  }

  /// The recipient of boxes that are addressed to root.
  package static let root = AuthorID(.zero)
}

/// The identifier of an access group: a hash of the vault and the group's name.
package struct GroupID: Identifier {
  package let raw: Bytes16
  package init(_ raw: Bytes16) { self.raw = raw }

  /// Sixteen zero bytes, which stand for no group.
  package static let none = GroupID(.zero)

  package init(vault: VaultID, name: String) {
    raw = Hash.identifier(vault.raw.bytes + Array(name.utf8), domain: .group)
  }
}

/// The identifier of an item: a keyed hash of its class and primary key. Two machines that create the same item offline
/// therefore use the same identifier.
package struct ItemID: Identifier {
  package let raw: Bytes16
  package init(_ raw: Bytes16) { self.raw = raw }
}

/// A blind index entry: a hash of an exact-match attribute and its value, keyed with the group's identity key.
package struct Token: Identifier {
  package let raw: Bytes16
  package init(_ raw: Bytes16) { self.raw = raw }
}

/// The identifier of a stream, the chain of segments that one device writes: 16 bytes. ``StreamNaming`` makes those of
/// new streams.
package struct StreamID: Identifier {
  package let raw: Bytes16
  package init(_ raw: Bytes16) { self.raw = raw }

  /// Generates a random identifier.
  package static func random() -> StreamID { StreamID(Bytes16(Random.bytes(count: 16)) ?? .zero) }
}

/// The identifier of an invitation: a keyed hash, which names its branch in the repository and its use in the log, and
/// does not reveal the code.
package struct InvitationID: Identifier {
  package let raw: Bytes16
  package init(_ raw: Bytes16) { self.raw = raw }
}

/// The hash of an object's signed part. Each kind of object has its own type, so that they cannot be mixed up.
package protocol ObjectHash: Hashable, Comparable, Coded {
  var raw: Bytes32 { get }
  init(_ raw: Bytes32)
}

extension ObjectHash {
  package static func < (left: Self, right: Self) -> Bool { left.raw < right.raw }

  package func write(to writer: inout ByteWriter) { writer.fixed(raw) }

  package init(from reader: inout ByteReader) throws(FormatError) { self.init(try reader.bytes32("hash")) }
}

/// The hash of a log entry's signed part. The first entry follows the genesis' hash.
package struct EntryHash: ObjectHash {
  package let raw: Bytes32
  package init(_ raw: Bytes32) { self.raw = raw }
}

/// The hash of a record's signed part, which identifies the record.
package struct RecordHash: ObjectHash {
  package let raw: Bytes32
  package init(_ raw: Bytes32) { self.raw = raw }
}

/// The hash of a segment's signed part.
package struct SegmentHash: ObjectHash {
  package let raw: Bytes32
  package init(_ raw: Bytes32) { self.raw = raw }
}
