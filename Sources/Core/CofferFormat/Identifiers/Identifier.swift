package import CofferCrypto

/// An identifier of 16 bytes. Each kind of identifier has its own type, so that they cannot be mixed up.
package protocol Identifier: Hashable, Comparable, Coded, CustomStringConvertible {
  var raw: Bytes16 { get }
  init(_ raw: Bytes16)
}

extension Identifier {
  /// Lower-case hexadecimal.
  package var description: String { raw.hex }

  package static func < (left: Self, right: Self) -> Bool { left.raw < right.raw }

  package func write(to writer: inout ByteWriter) { writer.fixed(raw) }

  package init(from reader: inout ByteReader) throws(FormatError) { self.init(try reader.bytes16("identifier")) }
}
