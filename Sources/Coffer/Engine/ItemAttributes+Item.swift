package import CofferFormat

extension ItemAttributes {
  /// Keychain's flag of that name, which is part of the primary key.
  package var isSynchronizable: Bool { self[.synchronizable].map { !$0.isDefault } ?? false }

  /// The 16 bytes that name the item for ever; none where it was never stored.
  package var identifier: [UInt8] { self[.persistentReference]?.matchBytes ?? [] }
}
