// Bytes are read and written as whole words: each record contains about thirty identifiers, and the generic byte
// algorithms of the standard library took half of the time of a look-up.

/// Returns the big-endian word at `index`. Safe: the callers have checked the size.
func word(_ index: Int, of bytes: UnsafeRawBufferPointer) -> UInt64 {
  unsafe UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
}

extension [UInt8] {
  /// Returns up to four big-endian words from `position` on. The remaining ones of the four are zero.
  func words(at position: Int, count: Int) -> (UInt64, UInt64, UInt64, UInt64) {
    precondition(position >= 0 && position <= self.count - count * 8, "the array is too short for the words")
    return unsafe withUnsafeBytes { buffer in
      func word(_ index: Int) -> UInt64 {
        guard index < count else { return 0 }
        return unsafe UInt64(bigEndian: buffer.loadUnaligned(fromByteOffset: position + index * 8, as: UInt64.self))
      }
      return (word(0), word(1), word(2), word(3))
    }
  }

  mutating func append(bigEndian word: UInt64) {
    unsafe Swift.withUnsafeBytes(of: word.bigEndian) { unsafe append(contentsOf: $0) }
  }
}
