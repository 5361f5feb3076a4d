package import CofferCrypto

/// Reads the bytes that ``ByteWriter`` writes, and rejects all others. Every length is checked against its limit and
/// the number of remaining bytes before memory is allocated.
package struct ByteReader {
  /// The kind of object being read, for error messages.
  package let object: String
  private let bytes: [UInt8]
  private let end: Int
  private(set) package var position: Int

  /// Creates a reader at the start of `bytes`. Errors name the object as `object`.
  package init(_ bytes: [UInt8], object: String) {
    self.bytes = bytes
    self.object = object
    position = 0
    end = bytes.count
  }

  /// The number of bytes that have not been read.
  package var remaining: Int { end - position }

  /// Returns an error about `field` of this object.
  package func failure(_ code: FormatError.Code, _ field: String) -> FormatError {
    FormatError(code, object: object, field: field)
  }

  package mutating func u8(_ field: String) throws(FormatError) -> UInt8 {
    guard remaining >= 1 else { throw failure(.truncated, field) }
    defer { position += 1 }
    return bytes[position]
  }

  package mutating func u16(_ field: String) throws(FormatError) -> UInt16 { UInt16(try integer(2, field)) }

  package mutating func u32(_ field: String) throws(FormatError) -> UInt32 { UInt32(try integer(4, field)) }

  package mutating func u64(_ field: String) throws(FormatError) -> UInt64 { try integer(8, field) }

  package mutating func i64(_ field: String) throws(FormatError) -> Int64 { Int64(bitPattern: try integer(8, field)) }

  /// Reads the number of a log entry or segment, at most ``Limits/position``.
  package mutating func place(_ field: String) throws(FormatError) -> UInt64 {
    let place = try u64(field)
    guard place <= Limits.position else { throw failure(.invalidValue, field) }
    return place
  }

  /// Reads a Boolean: exactly 0 or 1.
  package mutating func bool(_ field: String) throws(FormatError) -> Bool {
    switch try u8(field) {
    case 0: return false
    case 1: return true
    default: throw failure(.invalidValue, field)
    }
  }

  package mutating func fixed(_ count: Int, _ field: String) throws(FormatError) -> [UInt8] {
    guard remaining >= count else { throw failure(.truncated, field) }
    defer { position += count }
    return Array(bytes[position..<position + count])
  }

  package mutating func bytes16(_ field: String) throws(FormatError) -> Bytes16 {
    guard remaining >= Bytes16.count else { throw failure(.truncated, field) }
    defer { position += Bytes16.count }
    return Bytes16(in: bytes, at: position)
  }

  package mutating func bytes32(_ field: String) throws(FormatError) -> Bytes32 {
    guard remaining >= Bytes32.count else { throw failure(.truncated, field) }
    defer { position += Bytes32.count }
    return Bytes32(in: bytes, at: position)
  }

  package mutating func signature(_ field: String = "signature") throws(FormatError) -> Signature {
    guard let signature = Signature(try fixed(Signature.count, field)) else { throw failure(.truncated, field) }
    return signature
  }

  /// Reads a length of at most `cap`, then as many bytes.
  package mutating func data(_ field: String, cap: Int) throws(FormatError) -> [UInt8] {
    let count = Int(try u32(field))
    guard count <= cap else { throw failure(.tooLarge, field) }
    return try fixed(count, field)
  }

  /// Reads a length of at most `cap`, then as many bytes of well-formed UTF-8.
  package mutating func string(_ field: String, cap: Int) throws(FormatError) -> String {
    let count = Int(try u32(field))
    guard count <= cap else { throw failure(.tooLarge, field) }
    guard remaining >= count else { throw failure(.truncated, field) }
    let text = unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe String(validating: UnsafeBufferPointer(rebasing: bytes[position..<position + count]), as: UTF8.self)
    }
    guard let text else { throw failure(.invalidValue, field) }
    position += count
    return text
  }

  /// Reads a count of at most `cap`. Each element has at least `byteCount` bytes, so a false count cannot reserve much
  /// more memory than the size of the input.
  package mutating func count(_ field: String, cap: Int, byteCount: Int) throws(FormatError) -> Int {
    let count = Int(try u32(field))
    guard count <= cap else { throw failure(.tooLarge, field) }
    guard count <= remaining / byteCount else { throw failure(.truncated, field) }
    return count
  }

  /// Reads the boxes of one key, in ascending order of recipient. They stay in the bytes of this reader.
  package mutating func boxTable(_ field: String) throws(FormatError) -> BoxTable {
    let count = try count(field, cap: .max, byteCount: BoxTable.elementByteCount)
    let table = BoxTable(bytes, at: position, count: count)
    guard table.isAscending else { throw failure(.invalidValue, field) }
    position += count * BoxTable.elementByteCount
    return table
  }

  /// Reads a count of at most `cap`, then as many elements.
  package mutating func list<Element>(
    _ field: String, cap: Int, _ read: (inout ByteReader) throws(FormatError) -> Element
  ) throws(FormatError) -> [Element] {
    let count = try count(field, cap: cap, byteCount: 1)
    var elements: [Element] = []
    elements.reserveCapacity(count)
    for _ in 0..<count { elements.append(try read(&self)) }
    return elements
  }

  /// Reads a list like ``list(_:cap:_:)`` in which each element is greater than the one before it. The order is
  /// therefore unique, and no element occurs twice.
  package mutating func ascendingList<Element, Key: Comparable>(
    _ field: String, cap: Int, by key: (Element) -> Key,
    _ read: (inout ByteReader) throws(FormatError) -> Element
  ) throws(FormatError) -> [Element] {
    let elements = try list(field, cap: cap, read)
    for index in elements.indices.dropFirst() where !(key(elements[index - 1]) < key(elements[index])) {
      throw failure(.invalidValue, field)
    }
    return elements
  }

  /// Reads 0, or 1 and a value.
  package mutating func optional<Value>(
    _ field: String, _ read: (inout ByteReader) throws(FormatError) -> Value
  ) throws(FormatError) -> Value? {
    try bool(field) ? try read(&self) : nil
  }

  /// Throws unless everything has been read.
  package func finish() throws(FormatError) {
    guard remaining == 0 else { throw failure(.trailingBytes, "end") }
  }

  /// The bytes from the start up to the reading position: the part that a following signature covers.
  package var consumed: [UInt8] { Array(bytes[..<position]) }

  /// Reads `expected` and returns true if exactly these bytes come next. Otherwise returns false and reads nothing.
  mutating func skip(_ expected: [UInt8], _ field: String) throws(FormatError) -> Bool {
    guard remaining >= expected.count else { throw failure(.truncated, field) }
    for (index, byte) in expected.enumerated() where bytes[position + index] != byte { return false }
    position += expected.count
    return true
  }

  /// Returns the hash of the bytes from the start up to the reading position.
  package func digestOfConsumed(_ domain: Domain) -> Bytes32 { Hash.digest(bytes, count: position, domain: domain) }

  private mutating func integer(_ count: Int, _ field: String) throws(FormatError) -> UInt64 {
    guard remaining >= count else { throw failure(.truncated, field) }
    defer { position += count }
    var value: UInt64 = 0
    for index in position..<position + count { value = value << 8 | UInt64(bytes[index]) }
    return value
  }
}

extension ByteReader {
  /// Reads `count` secret bytes into guarded memory. The caller wipes the bytes that are read from.
  package mutating func secret(_ count: Int, _ field: String) throws(FormatError) -> SecretBytes {
    var bytes = try fixed(count, field)
    return SecretBytes(moving: &bytes)
  }

  /// Reads a key of 32 secret bytes.
  package mutating func symmetricKey(_ field: String) throws(FormatError) -> SymmetricKey {
    let secret = try secret(32, field)
    do throws(CryptoError) {
      return try SymmetricKey(secret)
    } catch {
      throw failure(.invalidValue, field)
    }
  }

  /// Reads the 64 secret bytes of a party's two key pairs.
  package mutating func partyKeys(_ field: String) throws(FormatError) -> PartyKeys {
    let secret = try secret(64, field)
    do throws(CryptoError) {
      return try PartyKeys(secret: secret)
    } catch {
      throw failure(.invalidValue, field)
    }
  }
}

/// The reason why bytes are not the expected object. It contains positions and names, never contents.
package struct FormatError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of error.
  package enum Code: String, Hashable, Sendable {
    /// The bytes end before the object does.
    case truncated
    /// Bytes follow the end of the object.
    case trailingBytes
    /// The first four bytes are those of another kind of object, or of none.
    case otherKind
    /// The format version is unknown to this program.
    case unsupportedVersion
    /// A length or count exceeds its limit.
    case tooLarge
    /// A value is not allowed by the format, or is allowed but not written in its canonical form.
    case invalidValue
    /// The object is well formed, but its author did not make the signature.
    case badSignature
    /// The object belongs to another vault.
    case otherVault
    /// A sealed part cannot be opened with the expected key.
    case doesNotOpen
  }

  package let code: Code
  /// The kind of object, such as "record".
  package let object: String
  /// The part of the object, such as "bases".
  package let field: String

  package init(_ code: Code, object: String, field: String) {
    self.code = code
    self.object = object
    self.field = field
  }

  package var description: String { code == .unsupportedVersion ? "\(problem); upgrade Coffer" : problem }

  /// What is wrong, without what to do.
  package var problem: String {
    let what =
      switch code {
      case .truncated: "ends early"
      case .trailingBytes: "has bytes after its end"
      case .otherKind: "is not an object of this kind"
      case .unsupportedVersion: "has a format version that this program does not know"
      case .tooLarge: "exceeds its size limit"
      case .invalidValue: "has a value that the format does not allow"
      case .badSignature: "has a signature that is not its author's"
      case .otherVault: "belongs to another vault"
      case .doesNotOpen: "cannot be opened: it was altered or sealed for another recipient"
      }
    return "\(object) (\(field)) \(what)"
  }
}
