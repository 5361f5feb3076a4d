package import CofferCrypto

/// An identifier of 16 bytes. Each kind is a type of its own, so that one cannot stand where another belongs.
package protocol Identifier: Hashable, Comparable, Sendable, CustomStringConvertible {
  var raw: Bytes16 { get }
  init(_ raw: Bytes16)
}

extension Identifier {
  /// Lower-case hexadecimal.
  package var description: String { raw.hex }

  package static func < (left: Self, right: Self) -> Bool { left.raw < right.raw }
}

/// A vault: 16 random bytes in its genesis.
package struct VaultID: Identifier {
  package let raw: Bytes16
  package init(_ raw: Bytes16) { self.raw = raw }

  /// A fresh one.
  package static func random() -> VaultID { VaultID(Bytes16(Random.bytes(count: 16)) ?? .zero) }
}

/// An enrolled machine: a hash of its public keys.
package struct DeviceID: Identifier {
  package let raw: Bytes16
  package init(_ raw: Bytes16) { self.raw = raw }

  package init(vault: VaultID, keys: PartyPublicKeys) {
    raw = Hash.identifier(vault.raw.bytes + keys.verifying.raw.bytes + keys.box.raw.bytes, domain: .device)
  }
}

/// Whoever may write records: a principal (an app on a device) or a device's admin. A hash of the public keys.
package struct AuthorID: Identifier {
  package let raw: Bytes16
  package init(_ raw: Bytes16) { self.raw = raw }

  package init(vault: VaultID, keys: PartyPublicKeys) {
    raw = Hash.identifier(vault.raw.bytes + keys.verifying.raw.bytes + keys.box.raw.bytes, domain: .author)
  }

  /// Stands for root where boxes are addressed.
  package static let root = AuthorID(.zero)
}

/// An access group: a hash of the vault and the group's name.
package struct GroupID: Identifier {
  package let raw: Bytes16
  package init(_ raw: Bytes16) { self.raw = raw }

  package init(vault: VaultID, name: String) {
    raw = Hash.identifier(vault.raw.bytes + Array(name.utf8), domain: .group)
  }
}

/// An item: a keyed hash of its class and primary key, so that two machines that create the same item offline create one.
package struct ItemID: Identifier {
  package let raw: Bytes16
  package init(_ raw: Bytes16) { self.raw = raw }
}

/// An exact-match attribute and its value, blinded by the group's identity key.
package struct Token: Identifier {
  package let raw: Bytes16
  package init(_ raw: Bytes16) { self.raw = raw }
}

/// A chain of segments that one device writes: 16 random bytes.
package struct StreamID: Identifier {
  package let raw: Bytes16
  package init(_ raw: Bytes16) { self.raw = raw }

  /// A fresh one.
  package static func random() -> StreamID { StreamID(Bytes16(Random.bytes(count: 16)) ?? .zero) }
}

/// The hash of a record's signed part: its identity.
package struct RecordHash: Hashable, Comparable, Sendable {
  package let raw: Bytes32
  package init(_ raw: Bytes32) { self.raw = raw }

  package static func < (left: RecordHash, right: RecordHash) -> Bool { left.raw < right.raw }
}

/// The hash of a log entry's signed part; the genesis' hash stands before the first entry.
package struct EntryHash: Hashable, Sendable {
  package let raw: Bytes32
  package init(_ raw: Bytes32) { self.raw = raw }
}

/// The hash of a segment's signed part.
package struct SegmentHash: Hashable, Sendable {
  package let raw: Bytes32
  package init(_ raw: Bytes32) { self.raw = raw }
}

/// A place in the membership log.
package struct LogPosition: Hashable, Sendable {
  /// 0 for the genesis, 1 for the first entry.
  package let sequence: UInt64
  /// The hash of the entry there.
  package let hash: EntryHash

  package init(sequence: UInt64, hash: EntryHash) {
    self.sequence = sequence
    self.hash = hash
  }
}

/// Microseconds since 1970-01-01 00:00 UTC, by the writer's clock. It never decides more than a tie.
package struct Timestamp: Hashable, Comparable, Sendable {
  package let microseconds: Int64
  package init(microseconds: Int64) { self.microseconds = microseconds }

  package static func < (left: Timestamp, right: Timestamp) -> Bool { left.microseconds < right.microseconds }
}
