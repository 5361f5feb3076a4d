internal import SwiftASN1

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The fields of an X.509 certificate that a keychain files and finds it by.
///
/// It is read, not judged: no signature, chain, purpose or critical extension is checked, and what a name says is no
/// proof of anything.
package struct X509Certificate: Sendable {
  /// The longest certificate, in bytes. Ordinary ones have 1 to 4 KiB; the longest signatures of the post-quantum
  /// schemes, of 49 KiB, still fit.
  package static let maximumByteCount = 64 * 1024

  /// The longest serial number, in bytes: the limit of Apple's Security framework. RFC 5280 allows 20.
  package static let maximumSerialNumberByteCount = 37

  /// The certificate as it was given.
  package let der: [UInt8]
  /// 1, 2 or 3.
  package let version: Int
  /// The content bytes of the INTEGER, as in the certificate: two's complement, so that a leading 0 may be there, and a
  /// number that breaks RFC 5280 may be negative or zero. `kSecAttrSerialNumber`.
  package let serialNumber: [UInt8]
  /// Who issued the certificate.
  package let issuerName: DistinguishedName
  /// Whom the certificate is for. May be empty.
  package let subjectName: DistinguishedName
  /// The first moment at which the certificate is valid.
  package let notBefore: Date
  /// The last moment at which the certificate is valid.
  package let notAfter: Date
  /// The subject's public key.
  package let subjectPublicKeyInfo: SubjectPublicKeyInfo
  /// The extension's value, which the issuer chose: `kSecAttrSubjectKeyID`. nil where absent or empty.
  package let subjectKeyIdentifier: [UInt8]?
  let alternativeNames: SubjectAlternativeNames

  /// Reads a certificate.
  ///
  /// The encoding must be DER, but for what certificates in use break and nobody can mistake: the order within a SET,
  /// and a default value that is spelt out in an extension.
  ///
  /// - Throws: `tooLarge` beyond `maximumByteCount`; `unsupported` for a version after 3; `malformed` for anything else
  ///   that is not one certificate, for bytes after it, and for an extension that is read here and broken or double.
  package init(der: [UInt8]) throws(CertificateError) {
    guard der.count <= Self.maximumByteCount else {
      throw CertificateError(.tooLarge, "the certificate is longer than \(Self.maximumByteCount) bytes")
    }
    var certificate = try DERFields(of: .root(of: der[...], "the certificate"), "the certificate")
    var fields = try DERFields(of: certificate.required(), "the certificate's body")
    _ = try AlgorithmIdentifier(certificate.required(), "the signature's algorithm")
    _ = try certificate.required().wholeBytes("the signature")
    try certificate.end()

    self.der = der
    version = try Self.version(&fields)
    serialNumber = Array(try fields.required().integer("the serial number"))
    guard serialNumber.count <= Self.maximumSerialNumberByteCount else {
      throw CertificateError(.malformed, "the serial number is longer than \(Self.maximumSerialNumberByteCount) bytes")
    }
    _ = try AlgorithmIdentifier(fields.required(), "the signature's algorithm")
    issuerName = try DistinguishedName(fields.required(), "the issuer")
    var validity = try DERFields(of: fields.required(), "the validity")
    notBefore = try CertificateTime.date(validity.required(), "the start of the validity")
    notAfter = try CertificateTime.date(validity.required(), "the end of the validity")
    try validity.end()
    subjectName = try DistinguishedName(fields.required(), "the subject")
    subjectPublicKeyInfo = try SubjectPublicKeyInfo(fields.required())
    // The unique identifiers of version 2, which nobody uses.
    _ = fields.optional(ASN1Identifier(tagWithNumber: 1, tagClass: .contextSpecific))
    _ = fields.optional(ASN1Identifier(tagWithNumber: 2, tagClass: .contextSpecific))
    let extensions = try CertificateExtensions(&fields)
    try fields.end()
    subjectKeyIdentifier = extensions.subjectKeyIdentifier
    alternativeNames = extensions.alternativeNames
  }

  private static func version(_ fields: inout DERFields) throws(CertificateError) -> Int {
    let tag = ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)
    guard let tagged = fields.optional(tag) else { return 1 }
    var content = try DERFields(of: tagged, as: tag, "the version")
    let number = Array(try content.required().integer("the version"))
    try content.end()
    switch number {
    case [1]: return 2
    case [2]: return 3
    // Version 1 is the default, which DER leaves out.
    case [0]: throw CertificateError(.malformed, "the version spells out its default")
    default: throw CertificateError(.unsupported, "the version is none of 1, 2 and 3")
    }
  }
}

extension X509Certificate: Hashable {
  // Everything else follows from the bytes.
  package static func == (left: Self, right: Self) -> Bool { left.der == right.der }
  package func hash(into hasher: inout Hasher) { hasher.combine(der) }
}
