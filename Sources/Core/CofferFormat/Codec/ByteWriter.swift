package import CofferCrypto

/// Writes canonical bytes: big-endian integers of fixed width, and a 32-bit length before each part of variable size.
package struct ByteWriter {
  /// The bytes written so far.
  package private(set) var bytes: [UInt8] = []

  package init(reserving capacity: Int = 256) { bytes.reserveCapacity(capacity) }

  package mutating func u8(_ value: UInt8) { bytes.append(value) }

  package mutating func u16(_ value: UInt16) { integer(value) }

  package mutating func u32(_ value: UInt32) { integer(value) }

  package mutating func u64(_ value: UInt64) { integer(value) }

  /// Writes a two's complement number of eight bytes.
  package mutating func i64(_ value: Int64) { integer(UInt64(bitPattern: value)) }

  /// Writes one byte: 0 or 1.
  package mutating func bool(_ value: Bool) { bytes.append(value ? 1 : 0) }

  /// Writes bytes whose number is fixed by the format.
  package mutating func fixed(_ value: [UInt8]) { bytes += value }

  package mutating func fixed(_ value: Bytes16) { value.append(to: &bytes) }

  package mutating func fixed(_ value: Bytes32) { value.append(to: &bytes) }

  /// Writes a 32-bit length, then the bytes.
  package mutating func data(_ value: [UInt8]) {
    u32(UInt32(value.count))
    bytes += value
  }

  /// Writes a 32-bit length, then UTF-8.
  package mutating func string(_ value: String) {
    u32(UInt32(value.utf8.count))
    bytes += value.utf8
  }

  /// Writes a 32-bit count, then each element.
  package mutating func list<Element>(_ elements: [Element], _ write: (inout ByteWriter, Element) -> Void) {
    u32(UInt32(elements.count))
    for element in elements { write(&self, element) }
  }

  /// Writes 0, or 1 and the value.
  package mutating func optional<Value>(_ value: Value?, _ write: (inout ByteWriter, Value) -> Void) {
    bool(value != nil)
    if let value { write(&self, value) }
  }

  private mutating func integer(_ value: some FixedWidthInteger & UnsignedInteger) {
    unsafe withUnsafeBytes(of: value.bigEndian) { unsafe bytes.append(contentsOf: $0) }
  }
}
