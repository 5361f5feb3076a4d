internal import CofferCrypto

/// An item's value under an application password, inside the part that the group's keys seal.
///
/// A random key seals the value, and the password seals that key. A long value therefore takes no more time to protect
/// than a short one, a wrong password is detected before the value is opened, and a new value needs no new derivation.
///
/// Slot and value authenticate the item to which the value belongs: it opens in no other one.
package struct ProtectedValue: Sendable {
  let slot: PassphraseSlot
  let sealed: [UInt8]

  init(slot: PassphraseSlot, sealed: [UInt8]) {
    self.slot = slot
    self.sealed = sealed
  }

  /// The data that slot and value authenticate.
  static func context(of item: ProtectedItem) -> [UInt8] {
    var writer = ByteWriter()
    writer.begin(.protectedValue)
    item.write(to: &writer)
    return writer.bytes
  }

  /// The highest password-hashing cost that a reader accepts. Any writer of an item can choose its cost.
  package static let costCeiling = (passes: UInt32(8), memoryKiB: UInt32(256 * 1024))

  /// The bytes that are stored as the item's value.
  package var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.begin(.protectedValue)
    slot.write(to: &writer)
    writer.data(sealed)
    return writer.bytes
  }

  /// Returns true for bytes that start like a protected value of any version.
  package static func isKind(of bytes: [UInt8]) -> Bool { bytes.starts(with: ObjectKind.protectedValue.magic) }

  package init(bytes: [UInt8]) throws(FormatError) {
    var reader = ByteReader(bytes, object: ObjectKind.protectedValue.name)
    try reader.begin(.protectedValue)
    slot = try PassphraseSlot(from: &reader)
    guard slot.cost.passes <= Self.costCeiling.passes, slot.cost.memoryKiB <= Self.costCeiling.memoryKiB else {
      throw reader.failure(.invalidValue, "password hashing cost")
    }
    sealed = try reader.data("sealed value", cap: Limits.valueByteCount + SymmetricKey.overheadByteCount)
    try reader.finish()
  }
}
