package import CofferPlatform
internal import SwiftASN1

/// The fields of an X.509 certificate by which the Keychain stores and finds it.
///
/// The certificate is read but not validated: signature, chain, purpose and critical extensions are not checked, and
/// its names prove nothing.
package struct X509Certificate: Sendable {
  /// The size limit of a certificate, in bytes. Most have 1 to 4 KiB; 64 KiB also allow for the longest post-quantum
  /// signatures of 49 KiB.
  package static let maximumByteCount = 64 * 1024

  /// The size limit of a serial number, in bytes: that of Apple's Security framework. RFC 5280 allows 20.
  package static let maximumSerialNumberByteCount = 37

  /// The DER of the certificate as read.
  package let der: [UInt8]
  /// The version: 1, 2 or 3.
  package let version: Int
  /// `kSecAttrSerialNumber`: the content bytes of the INTEGER as in the certificate. They are in two's complement, so a
  /// leading 0 is possible. In violation of RFC 5280, the number may be negative or zero.
  package let serialNumber: [UInt8]
  package let issuerName: DistinguishedName
  /// The subject. May be empty.
  package let subjectName: DistinguishedName
  /// The start of the validity, inclusive.
  package let notBefore: Date
  /// The end of the validity, inclusive.
  package let notAfter: Date
  package let subjectPublicKeyInfo: SubjectPublicKeyInfo
  /// `kSecAttrSubjectKeyID`: the extension's value, which the issuer chose. nil if missing or empty.
  package let subjectKeyIdentifier: [UInt8]?
  let alternativeNames: SubjectAlternativeNames
  /// The value of each extension by the content bytes of its identifier.
  let extensions: [[UInt8]: [UInt8]]

  /// Reads a certificate. Throws `tooLarge` beyond `maximumByteCount`, `unsupported` for a version after 3, and
  /// `malformed` if the bytes are not exactly one certificate, or if an extension that is read here is invalid or
  /// occurs twice.
  ///
  /// The encoding must be DER, with two unambiguous exceptions that occur in practice: the order within a SET, and a
  /// default value that is encoded explicitly in an extension.
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
    // The unique identifiers of version 2, which are not used.
    _ = fields.optional(ASN1Identifier(tagWithNumber: 1, tagClass: .contextSpecific))
    _ = fields.optional(ASN1Identifier(tagWithNumber: 2, tagClass: .contextSpecific))
    let extensions = try CertificateExtensions(&fields)
    try fields.end()
    subjectKeyIdentifier = extensions.subjectKeyIdentifier
    alternativeNames = extensions.alternativeNames
    self.extensions = extensions.values
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
    // Version 1 is the default, which DER omits.
    case [0]: throw CertificateError(.malformed, "the default version is encoded explicitly")
    default: throw CertificateError(.unsupported, "the version is not 1, 2 or 3")
    }
  }
}

extension X509Certificate: Hashable {
  // All other properties are derived from the bytes.
  package static func == (left: Self, right: Self) -> Bool { left.der == right.der }
  package func hash(into hasher: inout Hasher) { hasher.combine(der) }
}
