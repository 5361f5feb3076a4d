internal import SwiftASN1

/// Reads ASN.1's character strings as Apple's Security framework does: T61String, VideotexString and VisibleString as
/// Latin-1, GeneralString as UTF-8, BMPString as big-endian UTF-16; one trailing zero byte is dropped, except from
/// UTF-16. Apple takes the four-byte characters of UniversalString for UTF-8; here they are what X.680 says.
enum CharacterString {
  /// The text; nil where the value is no character string, has no characters, or bytes that its type cannot hold.
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

  /// The text of bytes that must all be ASCII.
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
