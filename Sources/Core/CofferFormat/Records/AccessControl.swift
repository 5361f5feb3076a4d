/// The conditions for returning an item's value, as stored in the attribute `accc`.
package struct AccessControl: Hashable, Sendable {
  private static let version: UInt8 = 1
  private static let maximumProtectionByteCount = 8
  private static let applicationPassword: UInt64 = 1 << 31

  /// Keychain's code for the item's accessibility, such as `ak`.
  package let protection: String
  /// The bits of Apple's SecAccessControlCreateFlags.
  package let flags: UInt64

  package init(protection: String, flags: UInt64) {
    self.protection = protection
    self.flags = flags
  }

  /// True if the item's value is a ``ProtectedValue``.
  package var requiresApplicationPassword: Bool { flags & Self.applicationPassword != 0 }

  /// The canonical bytes: version 1, the protection with its length, the flags in 64 bits.
  package var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.u8(Self.version)
    writer.string(protection)
    writer.u64(flags)
    return writer.bytes
  }

  /// Reads the canonical bytes, and rejects all others.
  package init(bytes: [UInt8]) throws(FormatError) {
    var reader = ByteReader(bytes, object: "access control")
    guard try reader.u8("version") == Self.version else { throw reader.failure(.unsupportedVersion, "version") }
    protection = try reader.string("protection", cap: Self.maximumProtectionByteCount)
    flags = try reader.u64("flags")
    try reader.finish()
  }
}
