internal import CSodium

/// Base64 with padding (RFC 4648, section 4), in constant time for a length: the bytes can be secret.
package enum Base64 {
  /// Encodes bytes. The caller wipes the result if they are secret.
  package static func encode(_ bytes: [UInt8]) -> [UInt8] {
    // With a zero at the end.
    let capacity = sodium_base64_encoded_len(bytes.count, variant)
    var text = [UInt8](repeating: 0, count: capacity)
    unsafe text.withUnsafeMutableBytes { text in
      guard let start = unsafe text.assumingMemoryBound(to: CChar.self).baseAddress else { return }
      _ = unsafe sodium_bin2base64(start, text.count, bytes, bytes.count, variant)
    }
    text.removeLast()
    return text
  }

  /// Decodes text. Returns nil if it is not the encoding of any bytes, apart from ignored characters. The caller wipes
  /// the result if it is secret.
  package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: text.count / 4 * 3 + 3)
    var count = 0
    let result = unsafe text.withUnsafeBytes { text in
      unsafe sodium_base642bin(
        &bytes, bytes.count, text.assumingMemoryBound(to: CChar.self).baseAddress, text.count, ignored, &count, nil,
        variant)
    }
    guard result == 0 else {
      bytes.wipe()
      return nil
    }
    // In place: the storage keeps its only owner, so that the caller can wipe it.
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  /// Whether a character means nothing in a text: a space, tab or line end.
  package static func isIgnored(_ character: UInt8) -> Bool { ignored.utf8.contains(character) }

  private static let ignored = " \t\r\n"
  private static let variant = sodium_base64_VARIANT_ORIGINAL
}

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
