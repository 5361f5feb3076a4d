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

extension ByteWriter {
  /// Writes secret bytes of a fixed size. The caller wipes the written bytes.
  package mutating func secret(_ secret: SecretBytes) {
    unsafe secret.withBytes { bytes in
      for index in bytes.indices { u8(unsafe bytes[index]) }
    }
  }
}

/// A value with one encoding.
package protocol Coded: Sendable {
  func write(to writer: inout ByteWriter)
  init(from reader: inout ByteReader) throws(FormatError)
}

extension ByteWriter {
  /// Writes a 32-bit count, then each element.
  package mutating func list(_ elements: [some Coded]) { list(elements) { $1.write(to: &$0) } }
}

extension ByteReader {
  /// Reads a count of at most `cap`, then as many elements.
  package mutating func list<Element: Coded>(_ field: String, cap: Int) throws(FormatError) -> [Element] {
    try list(field, cap: cap) { (reader) throws(FormatError) in try Element(from: &reader) }
  }

  /// Reads a list in which each element is greater than the one before it by a key.
  package mutating func ascendingList<Element: Coded>(
    _ field: String, cap: Int, by key: (Element) -> some Comparable
  ) throws(FormatError) -> [Element] {
    try ascendingList(field, cap: cap, by: key) { (reader) throws(FormatError) in try Element(from: &reader) }
  }

  /// Reads a list in which each element is greater than the one before it.
  package mutating func ascendingList<Element: Coded & Comparable>(
    _ field: String, cap: Int
  ) throws(FormatError) -> [Element] {
    try ascendingList(field, cap: cap, by: { $0 })
  }
}

extension ByteWriter {
  /// Writes the verifying key, then the box key.
  package mutating func publicKeys(_ keys: PartyPublicKeys) {
    fixed(keys.verifying.raw)
    fixed(keys.box.raw)
  }
}

extension ByteReader {
  /// Reads the verifying key, then the box key.
  package mutating func publicKeys(_ field: String) throws(FormatError) -> PartyPublicKeys {
    let verifying = VerifyingKey(try bytes32(field))
    return PartyPublicKeys(verifying: verifying, box: BoxKey(try bytes32(field)))
  }
}
