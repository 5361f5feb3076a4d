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
  /// The version: 1, 2 or 3. Also `kSecAttrCertificateType`, CSSM's number for the type.
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

/// The properties that the Keychain derives from a certificate, as in Apple's Security framework.
extension X509Certificate {
  /// The issuer as DER, with tag and length.
  package var issuer: [UInt8] { issuerName.der }
  /// The subject as DER, with tag and length.
  package var subject: [UInt8] { subjectName.der }

  /// `kSecAttrIssuer`. See `DistinguishedName.normalizedContent`.
  package var normalizedIssuer: [UInt8] { issuerName.normalizedContent }
  /// `kSecAttrSubject`. See `DistinguishedName.normalizedContent`.
  package var normalizedSubject: [UInt8] { subjectName.normalizedContent }
  /// The normalised issuer with tag and length, as `SecCertificateCopyNormalizedIssuerSequence` returns it.
  package var normalizedIssuerSequence: [UInt8] { issuerName.normalizedSequence }
  /// The normalised subject with tag and length, as `SecCertificateCopyNormalizedSubjectSequence` returns it.
  package var normalizedSubjectSequence: [UInt8] { subjectName.normalizedSequence }

  /// `kSecAttrPublicKeyHash`: the SHA-1 hash of the public key's bits.
  package var publicKeyHash: [UInt8] { subjectPublicKeyInfo.hash }

  package var keyKind: KeyKind { subjectPublicKeyInfo.kind }

  /// The last common name of the subject, as `SecCertificateCopyCommonName` returns it; nil if there is none.
  package var commonName: String? { subjectName.texts(of: KnownIdentifiers.commonName).last }

  /// The e-mail addresses of the subjectAltName extension, then those of the subject, as
  /// `SecCertificateCopyEmailAddresses` returns them. A value that is not text is ignored; Apple returns no address at
  /// all in this case.
  package var emailAddresses: [String] {
    alternativeNames.emailAddresses + subjectName.texts(of: KnownIdentifiers.emailAddress)
  }

  /// The host names of the subjectAltName extension. If it has none, the common names that look like host names.
  package var dnsNames: [String] {
    guard alternativeNames.dnsNames.isEmpty else { return alternativeNames.dnsNames }
    return subjectName.texts(of: KnownIdentifiers.commonName).filter(SubjectAlternativeNames.isHostName)
  }

  /// The Keychain's label for the certificate, as `SecCertificateCopySubjectSummary` returns it.
  ///
  /// The common name is preferred, then the organizational unit, the organization, and all other attributes of the
  /// subject. Several values are listed in reverse order, separated by commas; a common name is followed by the
  /// subject's descriptions in parentheses. If the subject has no text, the first e-mail address or host name is used;
  /// nil if there is neither. A value that is empty or not text counts as missing, while Apple shows its bytes.
  package var subjectSummary: String? {
    subjectName.summary ?? emailAddresses.first ?? dnsNames.first
  }
}

extension X509Certificate {
  /// The largest number of certificates in a text that is read.
  package static let maximumPEMCount = 32

  /// Reads the certificates of a text in PEM (RFC 7468), in order: a certificate, or a chain. Text around them is
  /// ignored. Throws `malformed` if the text contains anything else in PEM, such as a private key, or no certificate,
  /// and `tooLarge` for too many of them.
  package static func certificates(pem: String) throws(CertificateError) -> [X509Certificate] {
    let documents: [PEMDocument]
    do {
      documents = try PEMDocument.parseMultiple(pemString: pem)
    } catch {
      throw CertificateError(.malformed, "the text is not PEM")
    }
    guard !documents.isEmpty else {
      throw CertificateError(.malformed, "the text contains no certificate in PEM")
    }
    guard documents.count <= maximumPEMCount else {
      throw CertificateError(.tooLarge, "the text contains more than \(maximumPEMCount) certificates")
    }
    guard documents.allSatisfy({ $0.discriminator == "CERTIFICATE" }) else {
      throw CertificateError(.malformed, "the text contains something else than certificates, such as a key")
    }
    var certificates: [X509Certificate] = []
    for document in documents { certificates.append(try X509Certificate(der: document.derBytes)) }
    return certificates
  }

  /// The certificate in PEM, with a line end.
  package var pem: String { PEMDocument(type: "CERTIFICATE", derBytes: der).pemString + "\n" }
}

/// The reason why bytes were rejected as a certificate, name or key.
///
/// It contains nothing from the bytes themselves, so it may be shown and logged even if they are a private key.
package struct CertificateError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of error.
  package enum Code: String, CaseIterable, Hashable, Sendable {
    /// The bytes are not DER, or not DER of the expected structure.
    case malformed
    /// The bytes exceed the size limit.
    case tooLarge
    /// The bytes are well formed but have an unknown version.
    case unsupported
  }

  package let code: Code
  /// The affected part and the problem, in one line.
  package let description: String

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
