internal import CofferCrypto

/// Writes the fields of a packet to guarded memory, in the encoding of `ByteWriter`. What does not fit is left out, and
/// whoever reads the packet refuses it: no packet begins with another one.
extension SecretBuffer {
  mutating func u8(_ value: UInt8) { append(value) }

  mutating func u32(_ value: UInt32) {
    for shift in [24, 16, 8, 0] { append(UInt8(truncatingIfNeeded: value >> UInt32(shift))) }
  }

  /// Writes one byte: 0 or 1.
  mutating func bool(_ value: Bool) { append(value ? 1 : 0) }

  mutating func fixed(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { append(byte) }
  }

  /// Writes secret bytes, from guarded memory to guarded memory.
  mutating func secret(_ secret: SecretBytes) {
    unsafe secret.withBytes { unsafe fixed($0) }
  }

  /// Writes a 32-bit length, then the bytes.
  mutating func data(_ bytes: some Collection<UInt8>) {
    u32(UInt32(bytes.count))
    fixed(bytes)
  }

  /// Writes a 32-bit length, then UTF-8.
  mutating func string(_ text: String) { data(text.utf8) }

  /// Writes a 32-bit count, then each element.
  mutating func list<Element>(_ elements: [Element], _ write: (inout SecretBuffer, Element) -> Void) {
    u32(UInt32(elements.count))
    for element in elements { write(&self, element) }
  }

  /// Writes 0, or 1 and the value.
  mutating func optional<Value>(_ value: Value?, _ write: (inout SecretBuffer, Value) -> Void) {
    bool(value != nil)
    if let value { write(&self, value) }
  }
}
