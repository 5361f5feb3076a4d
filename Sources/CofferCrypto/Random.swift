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
}
