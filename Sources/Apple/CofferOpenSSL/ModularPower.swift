internal import CLibcrypto
package import CofferCrypto

/// Powers modulo a number, with secret exponents, for a Diffie-Hellman exchange.
package enum ModularPower {
  /// Returns a base to the power of a secret exponent modulo an odd number, big-endian and as long as the modulus. The time
  /// does not depend on the exponent. Throws `unavailable` if OpenSSL cannot be loaded, `damaged` if the base has more bytes
  /// than the modulus.
  package static func compute(
    _ base: [UInt8], _ exponent: SecretBytes, modulo modulus: [UInt8]
  ) throws(OpenSSLError) -> SecretText {
    try SecretText(capacity: modulus.count) { (buffer) throws(OpenSSLError) in
      try unsafe buffer.append { (output) throws(OpenSSLError) in
        let status = unsafe exponent.withBytes { exponent in
          unsafe base.withUnsafeBufferPointer { base in
            unsafe modulus.withUnsafeBufferPointer { modulus in
              unsafe coffer_modular_power(
                coffer_bytes(start: base.baseAddress, count: base.count),
                coffer_bytes(start: exponent.bindMemory(to: UInt8.self).baseAddress, count: exponent.count),
                coffer_bytes(start: modulus.baseAddress, count: modulus.count),
                output.bindMemory(to: UInt8.self).baseAddress)
            }
          }
        }
        try Libcrypto.check(status)
        return modulus.count
      }
    }
  }
}
