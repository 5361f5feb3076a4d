/// Returns the bytes of hexadecimal text; a malformed vector must not be read as another one.
func bytes(_ text: String) -> [UInt8] {
  let digits = text.compactMap(\.hexDigitValue)
  precondition(digits.count == text.count && text.count.isMultiple(of: 2), "malformed hexadecimal in a test")
  return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
