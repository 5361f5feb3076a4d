internal import Crypto
package import Foundation
internal import SwiftASN1

/// The fields of an X.509 certificate (RFC 5280) by which a keychain finds it. Nothing is verified: a certificate is stored and
/// found, not trusted.
package struct X509Certificate: Hashable, Sendable {
  /// The largest certificate that is read, in bytes.
  package static let maximumByteCount = 256 << 10

  /// What the public key is for.
  package enum KeyKind: Hashable, Sendable {
    /// With the modulus' size in bits.
    case rsa(bits: Int)
    /// On a curve of NIST, with its size in bits: 256, 384 or 521.
    case ellipticCurve(bits: Int)
    /// Of another algorithm or curve.
    case other
  }

  /// The certificate as it was read.
  package let der: [UInt8]
  /// 1, 2 or 3.
  package let version: Int
  /// The content of the serial number's INTEGER, as it stands there.
  package let serialNumber: [UInt8]
  package let issuer: DistinguishedName
  package let subject: DistinguishedName
  package let notBefore: Date
  package let notAfter: Date
  /// The DER of the SubjectPublicKeyInfo.
  package let subjectPublicKeyInfo: [UInt8]
  /// The public key in Apple's external form: PKCS #1 for RSA, the point for a curve.
  package let publicKey: [UInt8]
  package let keyKind: KeyKind
  /// The extension's value; nil where there is none.
  package let subjectKeyIdentifier: [UInt8]?
  /// The addresses of the subject and of its alternative names, each once.
  package let emailAddresses: [String]
  package let dnsNames: [String]

  /// Reads DER, all of it.
  package init(der: [UInt8]) throws(CertificateError) {
    guard der.count <= Self.maximumByteCount else { throw CertificateError(.tooLarge, "certificate") }
    self.der = der
    var fields = try DERFields(certificate: der)
    version = try fields.version()
    serialNumber = try fields.integer("serial number")
    _ = try fields.next("signature algorithm")
    issuer = try DistinguishedName(fields.next("issuer"), "issuer")
    (notBefore, notAfter) = try fields.validity()
    subject = try DistinguishedName(fields.next("subject"), "subject")
    let key = try PublicKeyInfo(fields.next("public key"))
    subjectPublicKeyInfo = key.der
    publicKey = key.bits
    keyKind = key.kind
    let extensions = try CertificateExtensions(fields.rest)
    subjectKeyIdentifier = extensions.subjectKeyIdentifier
    dnsNames = extensions.dnsNames
    var seen: Set<String> = []
    emailAddresses = (extensions.emailAddresses + subject.values(of: .emailAddress)).filter { seen.insert($0).inserted }
  }

  /// SHA-1 of the public key, which Keychain pairs keys and certificates by (`kSecAttrPublicKeyHash`,
  /// `kSecAttrApplicationLabel`).
  package var publicKeyHash: [UInt8] { Array(Insecure.SHA1.hash(data: publicKey)) }

  /// What people call the certificate: its common name, or else its organisational unit, organisation, first address or DNS
  /// name, as `SecCertificateCopySubjectSummary` chooses.
  package var subjectSummary: String {
    for attribute in [NameAttribute.commonName, .organisationalUnit, .organisation] {
      if let value = subject.values(of: attribute).last, !value.isEmpty { return value }
    }
    return emailAddresses.first ?? dnsNames.first ?? ""
  }

  /// The subject's common name; nil where it has none.
  package var commonName: String? { subject.values(of: .commonName).last }

  /// True where `date` lies in the certificate's validity, both ends counted in.
  package func isValid(on date: Date) -> Bool { notBefore <= date && date <= notAfter }
}
