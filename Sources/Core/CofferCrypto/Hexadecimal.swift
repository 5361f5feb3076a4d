/// Returns the bytes as lower-case hexadecimal.
package func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
  let digits = Array("0123456789abcdef".utf8)
  var text: [UInt8] = []
  for byte in bytes {
    text.append(digits[Int(byte >> 4)])
    text.append(digits[Int(byte & 15)])
  }
  return String(decoding: text, as: UTF8.self)
}

/// Returns the bytes that lower-case hexadecimal stands for; nil for any other text.
package func bytes(hexadecimal text: some StringProtocol) -> [UInt8]? {
  var digits: [UInt8] = []
  for digit in text.utf8 {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digits.append(digit - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digits.append(digit - UInt8(ascii: "a") + 10)
    default: return nil
    }
  }
  guard digits.count.isMultiple(of: 2) else { return nil }
  return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
