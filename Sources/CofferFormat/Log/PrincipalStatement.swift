package import CofferCrypto

/// An app on a device, with its own keys.
package struct PrincipalStatement: Hashable, Sendable {
  /// The log entry that registered the app.
  package let app: EntryHash
  package let device: DeviceID
  package let keys: PartyPublicKeys

  package init(app: EntryHash, device: DeviceID, keys: PartyPublicKeys) {
    self.app = app
    self.device = device
    self.keys = keys
  }

  func write(to writer: inout ByteWriter) {
    writer.fixed(app.raw)
    writer.fixed(device.raw)
    writer.publicKeys(keys)
  }

  init(from reader: inout ByteReader) throws(FormatError) {
    app = EntryHash(try reader.bytes32("app"))
    device = DeviceID(try reader.bytes16("device"))
    keys = try reader.publicKeys("keys")
  }
}
