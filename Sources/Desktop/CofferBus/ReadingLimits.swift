/// How much of a message is read. What exceeds a limit leaves the message without values, see ``BusMessage/isTruncated``.
struct ReadingLimits {
  /// How many values and bytes may still be read.
  private(set) var values: Int
  private(set) var bytes: Int
  /// Whether descriptors are read: each that is read counts among those of this process until it is closed.
  let readsDescriptors: Bool
  private(set) var isExceeded = false

  /// A value has at most 16 MiB, with its padding.
  init(values: Int = 20_000, bytes: Int = 24 << 20, readsDescriptors: Bool) {
    self.values = values
    self.bytes = bytes
    self.readsDescriptors = readsDescriptors
  }

  /// Counts a value with a number of bytes. Returns false if it must not be read.
  mutating func take(_ byteCount: Int) -> Bool {
    guard !isExceeded, values > 0, byteCount <= bytes else {
      isExceeded = true
      return false
    }
    values -= 1
    bytes -= byteCount
    return true
  }
}
