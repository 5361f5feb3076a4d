internal import CSodium

/// Random bytes from the system's generator.
package enum Random {
  /// Returns `count` unpredictable bytes.
  package static func bytes(count: Int) -> [UInt8] {
    Sodium.require()
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      if let start = buffer.baseAddress { unsafe randombytes_buf(start, count) }
      filled = count
    }
  }

  /// Returns an unpredictable number from 0 to `bound` - 1, each with the same probability. `bound` is at least 1.
  package static func number(below bound: Int) -> Int {
    Sodium.require()
    guard let bound = UInt32(exactly: bound), bound > 0 else { preconditionFailure("no number is below \(bound)") }
    return Int(randombytes_uniform(bound))
  }

  /// Returns the elements in an unpredictable order.
  package static func shuffled<Element>(_ elements: some Sequence<Element>) -> [Element] {
    var generator = Generator()
    return elements.shuffled(using: &generator)
  }

  /// The same generator, for the functions of the standard library.
  private struct Generator: RandomNumberGenerator {
    mutating func next() -> UInt64 { Random.bytes(count: 8).reduce(0) { $0 << 8 | UInt64($1) } }
  }
}
