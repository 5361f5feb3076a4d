internal import CSodium

/// libsodium, initialised once per process before the first call into it.
enum Sodium {
  private static let isReady = sodium_init() >= 0

  /// Stops the program where libsodium cannot start: that means no source of randomness, and every key made
  /// afterwards would be worthless.
  static func require() {
    precondition(isReady, "libsodium could not be initialised: this system gives no random numbers")
  }
}

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
