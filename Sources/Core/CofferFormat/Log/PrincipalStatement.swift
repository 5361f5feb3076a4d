package import CofferCrypto

/// An app on a device, with its own keys. The device has made them itself, or the signer has made and delivered them.
package struct PrincipalStatement: Hashable, Sendable {
  /// The log entry that registered the app.
  package let app: EntryHash
  package let device: DeviceID
  package let keys: PartyPublicKeys
  /// The secret keys, sealed to the device's delivery key; nil if the device has made them itself.
  package let delivery: DeliveredKeys?

  package init(app: EntryHash, device: DeviceID, keys: PartyPublicKeys, delivery: DeliveredKeys? = nil) {
    self.app = app
    self.device = device
    self.keys = keys
    self.delivery = delivery
  }

  func write(to writer: inout ByteWriter) {
    writer.fixed(app.raw)
    writer.fixed(device.raw)
    writer.publicKeys(keys)
    writer.optional(delivery) { $0.fixed($1.box) }
  }

  init(from reader: inout ByteReader) throws(FormatError) {
    app = EntryHash(try reader.bytes32("app"))
    device = DeviceID(try reader.bytes16("device"))
    keys = try reader.publicKeys("keys")
    delivery = try reader.optional("delivery") { (reader) throws(FormatError) in try reader.deliveredKeys() }
  }
}
