package import CofferCrypto

/// The hash of an object's signed part. Each kind of object has its own type, so that they cannot be mixed up.
package protocol ObjectHash: Hashable, Comparable, Coded {
  var raw: Bytes32 { get }
  init(_ raw: Bytes32)
}

extension ObjectHash {
  package static func < (left: Self, right: Self) -> Bool { left.raw < right.raw }

  package func write(to writer: inout ByteWriter) { writer.fixed(raw) }

  package init(from reader: inout ByteReader) throws(FormatError) { self.init(try reader.bytes32("hash")) }
}
