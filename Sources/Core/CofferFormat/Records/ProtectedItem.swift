internal import CofferCrypto

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
