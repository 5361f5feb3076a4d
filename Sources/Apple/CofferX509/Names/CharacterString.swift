internal import SwiftASN1

/// Reads ASN.1 character strings like Apple's Security framework: T61String, VideotexString and VisibleString as
/// Latin-1, GeneralString as UTF-8, BMPString as big-endian UTF-16. One trailing zero byte is dropped, except from
/// UTF-16. Unlike Apple, which reads UniversalString as UTF-8, it is read as UTF-32, as X.680 defines it.
enum CharacterString {
  /// Returns the text; nil if the value is not a character string, is empty, or contains bytes that its type does not
  /// allow.
  static func text(of node: ASN1Node) -> String? {
    guard case .primitive(let bytes) = node.content else { return nil }
    let trimmed = bytes.last == 0 ? bytes.dropLast() : bytes
    let text: String? =
      switch node.identifier {
      case .printableString, .ia5String, .numericString: ascii(trimmed)
      case .utf8String, .generalString: String(validating: trimmed, as: UTF8.self)
      case .teletexString, .videotexString, .visibleString: latin1(trimmed)
      case .bmpString: utf16(bytes)
      case .universalString: utf32(bytes)
      default: nil
      }
    guard let text, !text.isEmpty else { return nil }
    return text
  }

  /// Returns the text if all bytes are ASCII; otherwise nil.
  static func ascii(_ bytes: ArraySlice<UInt8>) -> String? {
    bytes.allSatisfy { $0 < 0x80 } ? String(decoding: bytes, as: UTF8.self) : nil
  }

  private static func latin1(_ bytes: ArraySlice<UInt8>) -> String {
    String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }

  private static func utf16(_ bytes: ArraySlice<UInt8>) -> String? {
    guard bytes.count.isMultiple(of: 2) else { return nil }
    return String(validating: units(of: bytes, byteCount: 2).map { UInt16($0) }, as: UTF16.self)
  }

  private static func utf32(_ bytes: ArraySlice<UInt8>) -> String? {
    guard bytes.count.isMultiple(of: 4) else { return nil }
    return String(validating: units(of: bytes, byteCount: 4), as: UTF32.self)
  }

  private static func units(of bytes: ArraySlice<UInt8>, byteCount: Int) -> [UInt32] {
    stride(from: bytes.startIndex, to: bytes.endIndex, by: byteCount).map { start in
      bytes[start..<(start + byteCount)].reduce(0) { $0 << 8 | UInt32($1) }
    }
  }
}
