package import CofferCrypto

/// Makes a member an admin.
package struct AppointmentStatement: Hashable, Sendable {
  /// The machine.
  package let device: DeviceID
  /// The keys that sign its changes of membership.
  package let adminKeys: PartyPublicKeys
  /// The secret halves.
  package let delivery: DeliveredKeys

  package init(device: DeviceID, adminKeys: PartyPublicKeys, delivery: DeliveredKeys) {
    self.device = device
    self.adminKeys = adminKeys
    self.delivery = delivery
  }

  func write(to writer: inout ByteWriter) {
    writer.fixed(device.raw)
    writer.publicKeys(adminKeys)
    writer.fixed(delivery.box)
  }

  init(from reader: inout ByteReader) throws(FormatError) {
    device = DeviceID(try reader.bytes16("device"))
    adminKeys = try reader.publicKeys("admin keys")
    delivery = try reader.deliveredKeys()
  }
}
