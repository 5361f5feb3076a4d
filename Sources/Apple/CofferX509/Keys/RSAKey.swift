internal import SwiftASN1

/// A public RSA key in PKCS#1 form (RFC 8017, A.1), the form that `SecKeyCreateWithData` takes.
///
/// Structure, signs and sizes are checked. The arithmetic relation of the numbers is not: it matters only for using the
/// key.
package struct RSAKey: Sendable, Hashable {
  /// The size limit of an encoded key, in bytes.
  package static let maximumByteCount = 16 * 1024

  /// The number of bits of the modulus.
  package let sizeInBits: Int

  /// Reads an RSAPublicKey: modulus and public exponent. Throws `tooLarge` beyond `maximumByteCount`, and `malformed`
  /// if the bytes are not exactly one key, the modulus is even, or the exponent is even or 1.
  package init(publicKey der: [UInt8]) throws(CertificateError) {
    guard der.count <= Self.maximumByteCount else {
      throw CertificateError(.tooLarge, "the RSA key is longer than \(Self.maximumByteCount) bytes")
    }
    var fields = try DERFields(of: .root(of: der[...], "the RSA key"), "the RSA key")
    let modulus = try Self.positive(fields.required())
    let exponent = try Self.positive(fields.required())
    guard let first = modulus.first, let last = modulus.last, last % 2 == 1 else {
      throw CertificateError(.malformed, "the RSA modulus is even")
    }
    guard let lowest = exponent.last, lowest % 2 == 1, Array(exponent) != [1] else {
      throw CertificateError(.malformed, "the RSA public exponent is even or 1")
    }
    try fields.end()
    sizeInBits = modulus.count * 8 - first.leadingZeroBitCount
  }

  /// Returns the bytes of a positive number without a leading zero byte.
  static func positive(_ node: ASN1Node) throws(CertificateError) -> ArraySlice<UInt8> {
    let bytes = try node.integer("a number of the RSA key")
    let digits = bytes.first == 0 ? bytes.dropFirst() : bytes
    guard let sign = bytes.first, sign < 0x80, !digits.isEmpty else {
      throw CertificateError(.malformed, "a number of the RSA key is not positive")
    }
    return digits
  }
}
