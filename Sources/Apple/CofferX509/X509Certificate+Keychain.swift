package import CofferPlatform

/// The properties that the Keychain derives from a certificate, as in Apple's Security framework.
extension X509Certificate {
  /// `kSecAttrCertificateType`: CSSM's number for the type, which is the version.
  package var certificateType: Int { version }

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

  /// Returns true if `date` is between the two dates of validity, inclusive.
  package func isValid(on date: Date) -> Bool { notBefore <= date && date <= notAfter }

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
    SubjectSummary.text(of: subjectName) ?? emailAddresses.first ?? dnsNames.first
  }
}
