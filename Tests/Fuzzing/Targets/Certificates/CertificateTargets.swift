import CofferFuzzing
import Foundation

@testable import CofferX509

/// The readers of DER.
enum CertificateTargets {
  static let all = [certificate, name, rsaKey]

  private static let certificate = FuzzTarget(
    "certificate",
    check: { bytes in
      guard let certificate = try? X509Certificate(der: bytes) else { return }
      try require(certificate.der == bytes, "the bytes changed")
      try require((1...3).contains(certificate.version), "a version that does not exist")
      try require(certificate.publicKeyHash.count == 20, "no hash of the public key")
      for name in [certificate.subjectName, certificate.issuerName] { try checkName(name) }
      _ = (certificate.subjectSummary, certificate.commonName, certificate.emailAddresses, certificate.dnsNames)
      _ = certificate.keyKind
    })

  private static let name = FuzzTarget(
    "distinguished-name", maximumByteCount: 512,
    check: { bytes in
      guard let name = try? DistinguishedName(der: bytes) else { return }
      try require(name.der == bytes, "the bytes changed")
      try checkName(name)
    })

  private static let rsaKey = FuzzTarget(
    "rsa-key", maximumByteCount: 256, seeds: { [[0x30, 6, 2, 1, 5, 2, 1, 3], [0x30, 7, 2, 2, 0, 129, 2, 1, 3]] },
    check: { bytes in
      guard let key = try? RSAKey(publicKey: bytes) else { return }
      try require((1...bytes.count * 8).contains(key.sizeInBits), "a modulus of \(key.sizeInBits) bits")
    })

  private static func checkName(_ name: DistinguishedName) throws {
    try require(try DistinguishedName(der: name.der) == name, "a name is not read again")
    let normalized = try DistinguishedName(der: name.normalizedSequence)
    try require(
      normalized.normalizedContent == name.normalizedContent, "the normalised form has another normalised form")
    try require(normalized.attributes.map(\.type) == name.attributes.map(\.type), "the normalised form lost a type")
    _ = name.summary
  }
}
