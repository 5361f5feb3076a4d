internal import CLibcrypto

/// A hash function, with the length of its digests in bytes, and the key derivation with it.
///
/// OpenSSL computes both. Only what swift-crypto lacks needs it: SHA-224.
package enum DigestAlgorithm: Int, Sendable, CaseIterable {
  case sha1 = 20
  case sha224 = 28
  case sha256 = 32
  case sha384 = 48
  case sha512 = 64

  /// OpenSSL's name of the function.
  var name: String {
    switch self {
    case .sha1: "SHA1"
    case .sha224: "SHA224"
    case .sha256: "SHA256"
    case .sha384: "SHA384"
    case .sha512: "SHA512"
    }
  }

  package func digest(of message: [UInt8]) throws(OpenSSLError) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Int(COFFER_MAXIMUM_DIGEST))
    var count = digest.count
    let status = unsafe withBytes(message) { message in
      unsafe digest.withUnsafeMutableBufferPointer { digest in
        unsafe coffer_digest(name, message, digest.baseAddress, &count)
      }
    }
    try Libcrypto.check(status)
    guard count == rawValue else { throw .failed }
    return Array(digest.prefix(count))
  }

  /// Derives a key of `count` bytes from a shared secret (ANSI X9.63). The caller wipes both.
  package func derivedKey(
    from secret: [UInt8], sharedInfo: [UInt8], count: Int
  ) throws(OpenSSLError) -> [UInt8] {
    var key = [UInt8](repeating: 0, count: count)
    let status = unsafe withBytes(secret) { secret in
      unsafe withBytes(sharedInfo) { sharedInfo in
        unsafe key.withUnsafeMutableBufferPointer { key in
          unsafe coffer_x963_derive(name, secret, sharedInfo, key.baseAddress, key.count)
        }
      }
    }
    try Libcrypto.check(status)
    return key
  }
}
