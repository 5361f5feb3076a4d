/// Returns the number for a code of four ASCII characters, Apple's form of attribute and class names.
package func fourCharacterCode(_ text: StaticString) -> UInt32 {
  precondition(text.utf8CodeUnitCount == 4, "a code has four characters")
  return fourCharacterCode(text.description)
}

/// Returns the number for the ASCII characters of a code. Not generic, because that would take as long as a look-up in
/// the store.
package func fourCharacterCode(_ text: String) -> UInt32 {
  var code: UInt32 = 0
  for byte in text.utf8 { code = code << 8 | UInt32(byte) }
  return code
}

/// Returns the number with these four big-endian bytes.
package func fourCharacterCode(_ bytes: some Sequence<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }

package func fourCharacters(of code: UInt32) -> [UInt8] {
  stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: code >> UInt32($0)) }
}
