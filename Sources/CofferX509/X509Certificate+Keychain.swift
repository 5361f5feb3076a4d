#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// What the Keychain derives from a certificate, by the rules of Apple's Security framework.
extension X509Certificate {
  /// CSSM's number for the type, `kSecAttrCertificateType`: the version.
  package var certificateType: Int { version }

  /// The issuer as DER, with tag and length.
  package var issuer: [UInt8] { issuerName.der }
  /// The subject as DER, with tag and length.
  package var subject: [UInt8] { subjectName.der }

  /// `kSecAttrIssuer`: see `DistinguishedName.normalizedContent`.
  package var normalizedIssuer: [UInt8] { issuerName.normalizedContent }
  /// `kSecAttrSubject`: see `DistinguishedName.normalizedContent`.
  package var normalizedSubject: [UInt8] { subjectName.normalizedContent }
  /// What `SecCertificateCopyNormalizedIssuerSequence` returns: the same with tag and length.
  package var normalizedIssuerSequence: [UInt8] { issuerName.normalizedSequence }
  /// What `SecCertificateCopyNormalizedSubjectSequence` returns: the same with tag and length.
  package var normalizedSubjectSequence: [UInt8] { subjectName.normalizedSequence }

  /// `kSecAttrPublicKeyHash`: SHA-1 of the public key's bits.
  package var publicKeyHash: [UInt8] { subjectPublicKeyInfo.hash }

  /// The kind and size of the public key.
  package var keyKind: KeyKind { subjectPublicKeyInfo.kind }

  /// Whether the moment lies between the two dates, both included.
  package func isValid(on date: Date) -> Bool { notBefore <= date && date <= notAfter }

  /// The last common name of the subject, as `SecCertificateCopyCommonName` returns it; nil where there is none.
  package var commonName: String? { subjectName.texts(of: KnownIdentifiers.commonName).last }

  /// The addresses of the subjectAltName extension, then those of the subject, as `SecCertificateCopyEmailAddresses`
  /// returns them. A value that is no text is left out, where Apple returns none at all.
  package var emailAddresses: [String] {
    alternativeNames.emailAddresses + subjectName.texts(of: KnownIdentifiers.emailAddress)
  }

  /// The host names of the subjectAltName extension; without any, the common names that look like host names.
  package var dnsNames: [String] {
    guard alternativeNames.dnsNames.isEmpty else { return alternativeNames.dnsNames }
    return subjectName.texts(of: KnownIdentifiers.commonName).filter(SubjectAlternativeNames.isHostName)
  }

  /// The Keychain's label for the certificate, as `SecCertificateCopySubjectSummary` returns it.
  ///
  /// The common name; without one the organizational unit, the organization, or else every other attribute of the
  /// subject. Several of them stand last first, separated by commas, and the subject's descriptions follow a common
  /// name in parentheses. A subject without any text is summed up by the first e-mail address or host name; nil where
  /// there is neither. A value that is empty or no text counts as absent; Apple would show its bytes.
  package var subjectSummary: String? {
    SubjectSummary.text(of: subjectName) ?? emailAddresses.first ?? dnsNames.first
  }
}
