internal import CGit2

/// The identifier of a git object: the 20 bytes of its SHA-1 hash.
package struct ObjectID: Hashable, Sendable, CustomStringConvertible {
  // Three integers need no allocation, and the compiler derives hashing and comparison.
  private let high: UInt64
  private let middle: UInt64
  private let low: UInt32

  /// Creates an identifier from its bytes, or returns nil if their number is not 20.
  package init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 20 else { return nil }
    // An array, so that the loops below are compiled for one type: other modules call this for each published file.
    let bytes = Array(bytes)
    high = bytes[0..<8].reduce(0) { $0 << 8 | UInt64($1) }
    middle = bytes[8..<16].reduce(0) { $0 << 8 | UInt64($1) }
    low = bytes[16..<20].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// The 20 bytes.
  package var bytes: [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: high >> (56 - 8 * $0)) }
      + (0..<8).map { UInt8(truncatingIfNeeded: middle >> (56 - 8 * $0)) }
      + (0..<4).map { UInt8(truncatingIfNeeded: low >> (24 - 8 * $0)) }
  }

  /// 40 lower-case hexadecimal digits.
  package var description: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}

/// Returns the value of a hexadecimal digit; nil for another byte.
func hexadecimalValue(_ digit: UInt8) -> UInt8? {
  switch digit {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
  default: nil
  }
}

extension ObjectID {
  init(_ raw: git_oid) {
    let i = raw.id
    high = Self.word(i.0, i.1, i.2, i.3) << 32 | Self.word(i.4, i.5, i.6, i.7)
    middle = Self.word(i.8, i.9, i.10, i.11) << 32 | Self.word(i.12, i.13, i.14, i.15)
    low = UInt32(Self.word(i.16, i.17, i.18, i.19))
  }

  /// The identifier as libgit2's type.
  var raw: git_oid {
    var result = git_oid()
    unsafe withUnsafeMutableBytes(of: &result) { unsafe $0.copyBytes(from: bytes) }
    return result
  }

  /// Reads 40 hexadecimal digits; nil for anything else.
  init?(hexadecimal digits: ArraySlice<UInt8>) {
    let values = digits.compactMap(hexadecimalValue)
    guard digits.count == 40, values.count == 40 else { return nil }
    self.init(bytes: stride(from: 0, to: 40, by: 2).map { values[$0] << 4 | values[$0 + 1] })
  }

  /// Whether all bytes are zero, by which git's protocol denotes the absence of an object.
  var isZero: Bool { high == 0 && middle == 0 && low == 0 }

  private static func word(_ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8) -> UInt64 {
    UInt64(a) << 24 | UInt64(b) << 16 | UInt64(c) << 8 | UInt64(d)
  }
}

extension ObjectID {
  /// Returns the identifier of a file's content.
  package static func ofFile(_ content: [UInt8]) throws(GitError) -> ObjectID {
    try hash(content, as: GIT_OBJECT_BLOB)
  }

  static func hash(_ content: [UInt8], as kind: git_object_t) throws(GitError) -> ObjectID {
    try LibGit2.start()
    var id = git_oid()
    let result = unsafe content.withUnsafeBytes { unsafe git_odb_hash(&id, $0.baseAddress, $0.count, kind) }
    try check(result, context: "the identifier of an object")
    return ObjectID(id)
  }
}
