internal import CofferCrypto

/// Gives an enrolled machine another name. It grants and removes nothing.
package struct DeviceNameStatement: Hashable, Sendable {
  package let device: DeviceID
  /// The new name: see ``DeviceStatement/isValid(name:)``.
  package let name: String

  package init(device: DeviceID, name: String) {
    self.device = device
    self.name = name
  }

  func write(to writer: inout ByteWriter) {
    writer.fixed(device.raw)
    writer.string(name)
  }

  /// Reads the body of an entry. Nil if it is malformed: programs that do not know the statement accept any body, so no
  /// body may make the entry invalid.
  init?(body: [UInt8]) {
    var reader = ByteReader(body, object: "name of a machine")
    do throws(FormatError) {
      device = DeviceID(try reader.bytes16("device"))
      name = try reader.string("name", cap: Limits.deviceNameByteCount)
      try reader.finish()
    } catch {
      return nil
    }
    guard DeviceStatement.isValid(name: name) else { return nil }
  }
}
