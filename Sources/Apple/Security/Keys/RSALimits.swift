internal import CofferX509

/// The limits for RSA keys that are read or generated.
enum RSALimits {
  /// The maximum length of an encoded key, in bytes. A private key of 8192 bits has less than 5 KiB.
  static let maximumByteCount = 8192
  /// The sizes of the modulus, in bits.
  static let bitCounts = ExternalKey.rsaBitCounts

  /// Throws `errSecParam` unless the size is supported.
  static func check(bitCount: Int) throws(SecurityError) {
    guard bitCounts.contains(bitCount) else {
      throw SecurityError(errSecParam, "an RSA key must have 1024 to 8192 bits")
    }
  }
}
