package import CofferCrypto

/// An enrolled machine, as an admin or as a member.
package struct DeviceStatement: Hashable, Sendable {
  /// The machine's keys for sync.
  package let keys: PartyPublicKeys
  /// The keys that sign membership changes; nil for a member.
  package let adminKeys: PartyPublicKeys?
  /// The key to which admins seal what they deliver to the machine.
  package let deliveryKey: BoxKey
  /// The owner's name for the machine: see ``isValid(name:)``.
  package let name: String

  package init(keys: PartyPublicKeys, adminKeys: PartyPublicKeys?, deliveryKey: BoxKey, name: String) {
    self.keys = keys
    self.adminKeys = adminKeys
    self.deliveryKey = deliveryKey
    self.name = name
  }

  func write(to writer: inout ByteWriter) {
    writer.publicKeys(keys)
    writer.optional(adminKeys) { $0.publicKeys($1) }
    writer.fixed(deliveryKey.raw)
    writer.string(name)
  }

  init(from reader: inout ByteReader) throws(FormatError) {
    keys = try reader.publicKeys("keys")
    adminKeys = try reader.optional("admin keys") { (reader) throws(FormatError) in
      try reader.publicKeys("admin keys")
    }
    deliveryKey = BoxKey(try reader.bytes32("delivery key"))
    name = try reader.string("name", cap: Limits.deviceNameByteCount)
    guard Self.isValid(name: name) else { throw reader.failure(.invalidValue, "name") }
  }

  /// Returns true for a name of 1…128 bytes on a single line, without control characters.
  package static func isValid(name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= Limits.deviceNameByteCount
      && !name.unicodeScalars.contains {
        [.control, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory)
          || $0.properties.isBidiControl
      }
  }
}
