package import CofferCrypto

/// An enrolled machine, as an admin or as a member.
package struct DeviceStatement: Hashable, Sendable {
  /// The machine's keys for sync.
  package let keys: PartyPublicKeys
  /// The keys that sign membership changes; nil for a member.
  package let adminKeys: PartyPublicKeys?
  /// The key to which admins seal what they deliver to the machine; nil in statements of version 0.1.0.
  package let deliveryKey: BoxKey?
  /// The owner's name for the machine: 1…128 bytes of UTF-8 without control characters.
  package let name: String

  package init(keys: PartyPublicKeys, adminKeys: PartyPublicKeys?, deliveryKey: BoxKey? = nil, name: String) {
    self.keys = keys
    self.adminKeys = adminKeys
    self.deliveryKey = deliveryKey
    self.name = name
  }

  func write(to writer: inout ByteWriter) {
    writer.publicKeys(keys)
    writer.optional(adminKeys) { $0.publicKeys($1) }
    if let deliveryKey { writer.fixed(deliveryKey.raw) }
    writer.string(name)
  }

  init(from reader: inout ByteReader, hasDeliveryKey: Bool) throws(FormatError) {
    keys = try reader.publicKeys("keys")
    adminKeys = try reader.optional("admin keys") { (reader) throws(FormatError) in
      try reader.publicKeys("admin keys")
    }
    deliveryKey = hasDeliveryKey ? BoxKey(try reader.bytes32("delivery key")) : nil
    name = try reader.string("name", cap: Limits.deviceNameByteCount)
    guard Self.isValid(name: name) else { throw reader.failure(.invalidValue, "name") }
  }

  /// Returns true for a name of 1…128 bytes without control characters, which a reader accepts.
  package static func isValid(name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= Limits.deviceNameByteCount
      && !name.unicodeScalars.contains { $0.properties.generalCategory == .control || $0.properties.isBidiControl }
  }

  /// Returns true for a name that a new machine may have: a valid one of a single line. Version 0.1.0 also wrote names
  /// with line and paragraph separators, so readers accept those.
  package static func isValid(newName name: String) -> Bool {
    isValid(name: name)
      && !name.unicodeScalars.contains {
        [.lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory)
      }
  }
}
