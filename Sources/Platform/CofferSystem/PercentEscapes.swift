/// The escapes of URLs: a percent sign and two hexadecimal digits for a byte.
package enum PercentEscapes {
  /// What stands for itself in each part of a URL: RFC 3986.
  package static let unreserved = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~".utf8)

  /// Returns a text with an escape in place of each byte but the plain ones: by default those that RFC 3986 calls unreserved.
  package static func encode(_ text: String, except plain: Set<UInt8> = unreserved) -> String {
    text.utf8.map { byte in
      guard !plain.contains(byte) else { return String(Unicode.Scalar(byte)) }
      let digits = String(byte, radix: 16, uppercase: true)
      return "%" + (byte < 16 ? "0" : "") + digits
    }.joined()
  }

  /// Returns the bytes of a text with escapes, or nil if an escape is malformed.
  package static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2)
      guard digits.count == 2, digits.first != UInt8(ascii: "+"), digits.first != UInt8(ascii: "-"),
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return bytes
  }
}
