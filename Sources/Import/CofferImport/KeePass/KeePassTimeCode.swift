internal import CofferPlatform
internal import CofferSystem

/// The one-time code that KeePass 2 describes by fields of an entry, such as `TimeOtp-Secret-Base32` and
/// `TimeOtp-Period`.
enum KeePassTimeCode {
  private static let algorithms = ["HMAC-SHA-1": "SHA1", "HMAC-SHA-256": "SHA256", "HMAC-SHA-512": "SHA512"]

  /// Moves the fields into the URL of the entry's one-time code. If one of them is unknown or malformed, or the entry
  /// has such a URL already, they stay fields.
  static func take(from entry: inout ForeignEntry) {
    guard entry.oneTimeCode == nil else { return }
    var values: [String: String] = [:]
    for field in entry.fields where field.name.hasPrefix("TimeOtp-") {
      guard let text = String(validating: field.value, as: UTF8.self),
        values.updateValue(text, forKey: field.name) == nil
      else { return }
    }
    let secrets = values.keys.filter { $0.hasPrefix("TimeOtp-Secret") }
    guard let name = secrets.first, secrets.count == 1, let text = values.removeValue(forKey: name),
      let secret = base32(text, of: name)
    else { return }
    var url = entry.codeURL(secret: secret)
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      switch (name, UInt16(value), algorithms[value]) {
      case ("TimeOtp-Length", let number?, _): url += "&digits=\(number)"
      case ("TimeOtp-Period", let number?, _): url += "&period=\(number)"
      case ("TimeOtp-Algorithm", _, let algorithm?): url += "&algorithm=\(algorithm)"
      default: return
      }
    }
    entry.oneTimeCode = url
    entry.fields.removeAll { $0.name.hasPrefix("TimeOtp-") }
  }

  /// Returns the secret of a field in Base32; nil if the field is unknown or its text malformed.
  private static func base32(_ text: String, of name: String) -> String? {
    let plain = text.filter { !$0.isWhitespace }
    let bytes: [UInt8]?
    switch name {
    case "TimeOtp-Secret-Base32": return plain.isEmpty ? nil : plain
    case "TimeOtp-Secret": bytes = Array(text.utf8)
    case "TimeOtp-Secret-Hex": bytes = hexadecimal(plain)
    case "TimeOtp-Secret-Base64": bytes = Data(base64Encoded: plain).map { [UInt8]($0) }
    default: return nil
    }
    return bytes.flatMap { $0.isEmpty ? nil : base32($0) }
  }

  private static func hexadecimal(_ text: String) -> [UInt8]? {
    let digits = text.compactMap(\.hexDigitValue)
    guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }

  /// Base32 of RFC 4648, without padding.
  private static func base32(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    var text = ""
    var (bits, count) = (0, 0)
    for byte in bytes {
      bits = (bits << 8 | Int(byte)) & 0xfff
      count += 8
      while count >= 5 {
        count -= 5
        text.append(alphabet[bits >> count & 31])
      }
    }
    if count > 0 { text.append(alphabet[bits << (5 - count) & 31]) }
    return text
  }
}
