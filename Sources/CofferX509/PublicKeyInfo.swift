internal import SwiftASN1

/// A SubjectPublicKeyInfo (RFC 5280, 4.1.2.7).
struct PublicKeyInfo {
  let der: [UInt8]
  let bits: [UInt8]
  let kind: X509Certificate.KeyKind

  private static let rsa: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 1, 1]
  private static let ellipticCurve: ASN1ObjectIdentifier = [1, 2, 840, 10_045, 2, 1]
  private static let curves: [ASN1ObjectIdentifier: Int] = [
    [1, 2, 840, 10_045, 3, 1, 7]: 256, [1, 3, 132, 0, 34]: 384, [1, 3, 132, 0, 35]: 521,
  ]

  init(_ node: ASN1Node) throws(CertificateError) {
    let field = "public key"
    let parts = try DERFields.children(of: node, .sequence, field)
    guard parts.count == 2 else { throw CertificateError(.malformed, field) }
    let algorithm = try DERFields.children(of: parts[0], .sequence, field)
    guard let name = algorithm.first else { throw CertificateError(.malformed, field) }
    der = Array(node.encodedBytes)
    bits = try DERFields.bits(parts[1], field)
    switch try DERFields.objectIdentifier(name, field) {
    case Self.rsa: kind = .rsa(bits: try Self.modulusBits(bits))
    case Self.ellipticCurve:
      kind = Self.curveBits(algorithm.dropFirst().first).map { .ellipticCurve(bits: $0) } ?? .other
    default: kind = .other
    }
  }

  /// Nil for a curve that is not named, or is none of NIST's three.
  private static func curveBits(_ parameters: ASN1Node?) -> Int? {
    guard let parameters, let curve = try? ASN1ObjectIdentifier(derEncoded: parameters) else { return nil }
    return curves[curve]
  }

  private static func modulusBits(_ key: [UInt8]) throws(CertificateError) -> Int {
    let numbers = try DERFields.children(of: DERFields.parse(key, "public key"), .sequence, "public key")
    guard numbers.count == 2 else { throw CertificateError(.malformed, "public key") }
    let modulus = try DERFields.primitive(numbers[0], .integer, "public key").drop { $0 == 0 }
    guard let first = modulus.first else { throw CertificateError(.malformed, "public key") }
    return modulus.count * 8 - first.leadingZeroBitCount
  }
}
