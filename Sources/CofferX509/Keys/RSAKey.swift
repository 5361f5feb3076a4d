internal import Crypto
internal import SwiftASN1

#if canImport(FoundationEssentials)
  private import FoundationEssentials
#else
  private import Foundation
#endif

/// What is public of an RSA key in PKCS#1 form (RFC 8017, A.1), the form that `SecKeyCreateWithData` takes.
///
/// Structure, signs and sizes are checked, the arithmetic between the numbers is not: that is for who uses the key.
/// Nothing of a private key is kept but its modulus and public exponent.
package struct RSAKey: Sendable, Hashable {
  /// Which half it was read from.
  package enum Half: Sendable, Hashable {
    case publicKey
    case privateKey
  }

  /// The longest encoding of a key, in bytes: room for the private key of 16,384 bits.
  package static let maximumByteCount = 16 * 1024

  /// Which half it was read from.
  package let half: Half
  /// The bits of the modulus.
  package let sizeInBits: Int
  /// The public half as PKCS#1, made from the private one where that was read.
  package let publicKey: [UInt8]

  /// The SHA-1 hash of `publicKey`: the Keychain's `kSecAttrApplicationLabel`.
  package var publicKeyHash: [UInt8] { Array(Insecure.SHA1.hash(data: publicKey)) }

  /// Reads an RSAPublicKey: modulus and public exponent.
  ///
  /// - Throws: `tooLarge` beyond `maximumByteCount`; `malformed` for anything else, an even modulus or an exponent that
  ///   is even or 1 included.
  package init(publicKey der: [UInt8]) throws(CertificateError) {
    var fields = try Self.fields(of: der)
    try self.init(.publicKey, modulusAndExponent: &fields)
    try fields.end()
  }

  /// Reads an RSAPrivateKey of two primes.
  ///
  /// - Throws: as for a public key; `unsupported` for a key of more than two primes.
  package init(privateKey der: [UInt8]) throws(CertificateError) {
    var fields = try Self.fields(of: der)
    let version = Array(try fields.required().integer("the RSA key's version"))
    guard version == [0] else {
      throw CertificateError(version == [1] ? .unsupported : .malformed, "the RSA key is not of version 0")
    }
    try self.init(.privateKey, modulusAndExponent: &fields)
    // The private exponent, two primes, their two exponents, the coefficient.
    for _ in 0..<6 { _ = try Self.positive(fields.required()) }
    try fields.end()
  }

  private init(_ half: Half, modulusAndExponent fields: inout DERFields) throws(CertificateError) {
    let modulus = try fields.required()
    let exponent = try fields.required()
    let digits = try Self.positive(modulus)
    let exponentDigits = try Self.positive(exponent)
    guard let first = digits.first, let last = digits.last, last % 2 == 1 else {
      throw CertificateError(.malformed, "the RSA modulus is even")
    }
    guard let lowest = exponentDigits.last, lowest % 2 == 1, Array(exponentDigits) != [1] else {
      throw CertificateError(.malformed, "the RSA public exponent is even or 1")
    }
    self.half = half
    sizeInBits = digits.count * 8 - first.leadingZeroBitCount
    publicKey = DERValue.encoding(tag: DERValue.sequence, modulus.encodedBytes + exponent.encodedBytes)
  }

  private static func fields(of der: [UInt8]) throws(CertificateError) -> DERFields {
    guard der.count <= maximumByteCount else {
      throw CertificateError(.tooLarge, "the RSA key is longer than \(maximumByteCount) bytes")
    }
    return try DERFields(of: .root(of: der[...], "the RSA key"), "the RSA key")
  }

  /// The digits of a number above zero, without a leading zero byte.
  private static func positive(_ node: ASN1Node) throws(CertificateError) -> ArraySlice<UInt8> {
    let bytes = try node.integer("a number of the RSA key")
    let digits = bytes.first == 0 ? bytes.dropFirst() : bytes
    guard let sign = bytes.first, sign < 0x80, !digits.isEmpty else {
      throw CertificateError(.malformed, "a number of the RSA key is not above zero")
    }
    return digits
  }
}
