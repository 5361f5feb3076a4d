/// What must be satisfied before an item's value is handed out, as the attribute `accc` holds it.
package struct AccessControl: Hashable, Sendable {
  private static let version: UInt8 = 1
  private static let maximumProtectionByteCount = 8
  private static let applicationPassword: UInt64 = 1 << 31

  /// Keychain's name for when the item can be read, `ak` for instance.
  package let protection: String
  /// Apple's bits of SecAccessControlCreateFlags.
  package let flags: UInt64

  package init(protection: String, flags: UInt64) {
    self.protection = protection
    self.flags = flags
  }

  /// True where the item's value is a ``ProtectedValue``.
  package var requiresApplicationPassword: Bool { flags & Self.applicationPassword != 0 }

  /// The canonical bytes: version 1, the protection behind its length, the flags in 64 bits.
  package var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.u8(Self.version)
    writer.string(protection)
    writer.u64(flags)
    return writer.bytes
  }

  /// Reads what ``bytes`` gave, and nothing else.
  package init(bytes: [UInt8]) throws(FormatError) {
    var reader = ByteReader(bytes, object: "access control")
    guard try reader.u8("version") == Self.version else { throw reader.failure(.unsupportedVersion, "version") }
    protection = try reader.string("protection", cap: Self.maximumProtectionByteCount)
    flags = try reader.u64("flags")
    try reader.finish()
  }
}

extension ItemAttributes {
  /// True where the item's value is under a password of its app's, or may be: an access control that cannot be read counts as one.
  package var areUnderPassword: Bool {
    guard let stored = self[.accessControl] else { return false }
    return (try? AccessControl(bytes: stored.matchBytes))?.requiresApplicationPassword ?? true
  }
}
