internal import CofferCrypto
internal import CofferFormat

/// Reads the fields of a packet, which stays in guarded memory: only what is no secret is copied out of it.
///
/// The encoding is that of `ByteReader`, which reads from an array. Every length is checked against its limit and the
/// number of remaining bytes before memory is allocated.
struct PacketReader {
  /// The kind of packet, for error messages.
  private let object: String
  private let packet: SecretText
  private var position = 0

  init(_ packet: SecretText, object: String) {
    self.packet = packet
    self.object = object
  }

  private var remaining: Int { packet.count - position }

  /// Returns an error about `field` of this packet.
  func failure(_ code: FormatError.Code, _ field: String) -> FormatError {
    FormatError(code, object: object, field: field)
  }

  mutating func u8(_ field: String) throws(FormatError) -> UInt8 {
    unsafe try read(1, field) { unsafe $0[0] }
  }

  mutating func u32(_ field: String) throws(FormatError) -> UInt32 {
    unsafe try read(4, field) { bytes in unsafe bytes.reduce(0) { $0 << 8 | UInt32($1) } }
  }

  /// Reads a Boolean: exactly 0 or 1.
  mutating func bool(_ field: String) throws(FormatError) -> Bool {
    switch try u8(field) {
    case 0: return false
    case 1: return true
    default: throw failure(.invalidValue, field)
    }
  }

  mutating func bytes16(_ field: String) throws(FormatError) -> Bytes16 {
    let bytes = unsafe try read(Bytes16.count, field) { unsafe Bytes16($0) }
    guard let bytes else { throw failure(.truncated, field) }
    return bytes
  }

  mutating func signature(_ field: String) throws(FormatError) -> Signature {
    guard let signature = Signature(try fixed(Signature.count, field)) else { throw failure(.truncated, field) }
    return signature
  }

  /// Reads `count` secret bytes, from guarded memory to guarded memory.
  mutating func secret(_ count: Int, _ field: String) throws(FormatError) -> SecretBytes {
    unsafe try read(count, field) { bytes in
      unsafe SecretBytes(count: count) { unsafe $0.copyMemory(from: bytes) }
    }
  }

  /// Reads a length of at most `cap`, then as many bytes that are no secret.
  mutating func data(_ field: String, cap: Int) throws(FormatError) -> [UInt8] {
    let count = Int(try u32(field))
    guard count <= cap else { throw failure(.tooLarge, field) }
    return try fixed(count, field)
  }

  /// Reads a length of at most `cap`, then as many bytes of well-formed UTF-8 that are no secret.
  mutating func string(_ field: String, cap: Int) throws(FormatError) -> String {
    guard let text = String(validating: try data(field, cap: cap), as: UTF8.self) else {
      throw failure(.invalidValue, field)
    }
    return text
  }

  /// Reads a count of at most `cap`, then as many elements.
  mutating func list<Element>(
    _ field: String, cap: Int, _ read: (inout PacketReader) throws(FormatError) -> Element
  ) throws(FormatError) -> [Element] {
    let count = Int(try u32(field))
    guard count <= cap else { throw failure(.tooLarge, field) }
    guard count <= remaining else { throw failure(.truncated, field) }
    var elements: [Element] = []
    elements.reserveCapacity(count)
    for _ in 0..<count { elements.append(try read(&self)) }
    return elements
  }

  /// Reads 0, or 1 and a value.
  mutating func optional<Value>(
    _ field: String, _ read: (inout PacketReader) throws(FormatError) -> Value
  ) throws(FormatError) -> Value? {
    try bool(field) ? try read(&self) : nil
  }

  /// Throws unless everything has been read.
  func finish() throws(FormatError) {
    guard remaining == 0 else { throw failure(.trailingBytes, "end") }
  }

  private mutating func fixed(_ count: Int, _ field: String) throws(FormatError) -> [UInt8] {
    unsafe try read(count, field) { unsafe Array($0) }
  }

  /// Calls `body` with the next `count` bytes, which begin at the index 0.
  private mutating func read<Value>(
    _ count: Int, _ field: String, _ body: (UnsafeRawBufferPointer) -> Value
  ) throws(FormatError) -> Value {
    guard remaining >= count else { throw failure(.truncated, field) }
    let range = position..<position + count
    position += count
    return unsafe packet.withBytes { bytes in unsafe body(UnsafeRawBufferPointer(rebasing: bytes[range])) }
  }
}

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
