internal import CofferCrypto
package import CofferFormat

// What requests of apps in sandboxes contain, as JSON: bytes are text in hexadecimal.

extension Coded where Self: Codable {
  package func encode(to encoder: any Encoder) throws {
    var writer = ByteWriter()
    write(to: &writer)
    try hexadecimal(writer.bytes).encode(to: encoder)
  }

  package init(from decoder: any Decoder) throws {
    var reader = ByteReader(bytes(hexadecimal: try String(from: decoder)) ?? [], object: "text")
    try self.init(from: &reader)
    try reader.finish()
  }
}

extension VaultID: Codable {}
extension GroupID: Codable {}
extension RecordHash: Codable {}
extension ItemAddress: Codable {}
extension ItemClass: Codable {}

extension ItemAttributes: Coded, Codable {
  package func write(to writer: inout ByteWriter) { writer.fixed(bytes) }

  package init(from reader: inout ByteReader) throws(FormatError) {
    try self.init(bytes: reader.fixed(reader.remaining, "attributes"))
  }
}
