package import CofferCrypto

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

/// The item to which a protected value belongs, by what stays the same when the item is renamed or moved to another
/// group: neither needs the password, so the value cannot be sealed anew.
package struct ProtectedItem: Hashable, Sendable {
  private let vault: VaultID
  private let itemClass: ItemClass
  private let reference: Bytes16

  /// Names an item by its vault, class and persistent reference. Nil if the attributes have no reference of 16 bytes.
  package init?(vault: VaultID, itemClass: ItemClass, attributes: ItemAttributes) {
    guard let reference = Bytes16(attributes[.persistentReference]?.matchBytes ?? []) else { return nil }
    self.vault = vault
    self.itemClass = itemClass
    self.reference = reference
  }

  func write(to writer: inout ByteWriter) {
    writer.fixed(vault.raw)
    writer.u32(itemClass.rawValue)
    writer.fixed(reference)
  }
}

/// An application password, as the key that it was derived to once, and the value that it has opened.
package struct ValueProtection: Sendable {
  private let password: PassphraseSlot.Key
  /// The key of the value that was opened, and what its sealed bytes authenticate; nil for a new password.
  private let opened: (key: SymmetricKey, context: [UInt8])?

  /// Derives the key of a new password of 1…1024 bytes.
  package init(password: SecretText, cost: PasswordHashCost = .interactive) throws(CryptoError) {
    self.password = try PassphraseSlot.Key(passphrase: password, cost: cost)
    opened = nil
  }

  /// Opens the key of a value. The item is nil if it has no persistent reference. Throws
  /// ``CryptoError/authenticationFailed`` for a wrong password, and for the value of another item.
  package init(of value: ProtectedValue, in item: ProtectedItem?, password: SecretText) throws(CryptoError) {
    guard let context = item.map(ProtectedValue.context) else { throw .authenticationFailed }
    self.password = try PassphraseSlot.Key(passphrase: password, of: value.slot)
    opened = (try SymmetricKey(value.slot.open(with: self.password, context: context)), context)
  }

  /// Seals a value of an item under the password and a random key.
  package func seal(_ value: [UInt8], for item: ProtectedItem) -> ProtectedValue {
    let key = SymmetricKey.random()
    let context = ProtectedValue.context(of: item)
    let slot = PassphraseSlot(sealing: key.secret, under: password, context: context)
    return ProtectedValue(slot: slot, sealed: key.seal(value, associated: context))
  }

  /// Opens the value that this protection was created of. Throws ``CryptoError/authenticationFailed`` if the value was
  /// altered or is another one.
  package func open(_ value: ProtectedValue) throws(CryptoError) -> [UInt8] {
    guard let opened else { throw .authenticationFailed }
    return try opened.key.open(value.sealed, associated: opened.context)
  }
}
