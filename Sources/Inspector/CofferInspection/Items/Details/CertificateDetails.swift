/// The fields of a certificate, and what belongs to it in the vault. Nothing is verified.
package struct CertificateDetails: Sendable {
  /// A part of a name: `CN` and its text.
  package struct NamePart: Sendable, Hashable {
    package let type: String
    package let text: String
  }

  /// A certificate above this one, by the names of issuer and subject.
  package struct Link: Sendable, Hashable {
    package let title: String
    /// The issuer in the vault.
    package let row: ItemRow
  }

  /// How a chain of issuers ends.
  package enum ChainEnd: Sendable, Hashable {
    /// At a certificate that names itself as its issuer.
    case selfIssued
    /// At an issuer that is in none of the groups that can be read.
    case missing(issuer: String)
    /// At a certificate that is in the chain already, or after ten.
    case tooLong

    /// The end in words.
    package var text: String {
      switch self {
      case .selfIssued: "ends at a certificate that names itself as its issuer"
      case .missing(let issuer): "the vault has no certificate of the issuer \(issuer)"
      case .tooLong: "the issuers name each other in a circle, or are too many"
      }
    }
  }

  package let subject: [NamePart]
  package let issuer: [NamePart]
  /// In pairs of hexadecimal digits.
  package let serialNumber: String
  package let version: Int
  package let validity: Validity
  /// The kind and size of the public key: "RSA, 2048 bits".
  package let key: String
  /// What the key may be used for, in words; empty if the certificate does not say.
  package let usages: [String]
  /// The host names, email addresses and other alternative names of the subject.
  package let alternativeNames: [String]
  /// Whether the certificate may issue others; nil if it does not say.
  package let isAuthority: Bool?
  /// SHA-256 and SHA-1 of the certificate, in pairs of hexadecimal digits.
  package let sha256: String
  package let sha1: String
  /// The certificates of the issuers, beginning with the nearest.
  package let chain: [Link]
  package let chainEnd: ChainEnd
  /// The private key of the certificate's public key, if it can be read.
  package let privateKey: ItemRow?
}
