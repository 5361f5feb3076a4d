package import CofferFormat
package import CofferX509
public import Foundation

/// A certificate: Keychain's class `kSecClassCertificate`. Its value is the certificate in DER.
///
/// Type, issuer and serial number, which are read from the certificate, are its primary key within an access group, with
/// ``KeychainItem/isSynchronizable``. Nothing is verified: that a certificate is stored says nothing about its truth.
public struct Certificate: KeychainItem {
  /// The class by Keychain's four characters.
  public static let classCode = "cert"
  /// What the properties are kept in.
  public var fields: ItemFields
  /// The certificate in DER; nil where this came from a list, which opens no values: ``Vault/value(for:in:)`` has it then.
  public private(set) var der: Data?

  /// An item with the attributes that were stored.
  public init(fields: ItemFields) { self.fields = fields }

  /// Reads a certificate (X.509, at most 64 KiB of DER) and takes its attributes from it.
  ///
  /// - Parameter label: What people see; the certificate's common name, or what comes nearest, where nil.
  /// - Throws: ``VaultError``: `invalidArgument` for bytes that are no certificate.
  public init(der: Data, label: String? = nil) throws(VaultError) {
    let certificate = try X509Certificate(argument: der, mend: "give one X.509 certificate in DER")
    fields = ItemFields(ItemAttributes(certificate: certificate))
    self.der = der
    self.label = label ?? certificate.subjectSummary ?? ""
  }

  /// The version of X.509: 1, 2 or 3.
  public var type: Int { fields[ItemAttribute<Self, Int>.certificateType] ?? 0 }

  /// The issuer's name, normalised.
  public var issuer: Data { fields[ItemAttribute<Self, Data>.issuer] ?? Data() }

  /// The subject's name, normalised.
  public var subject: Data { fields[ItemAttribute<Self, Data>.subject] ?? Data() }

  /// The serial number's bytes.
  public var serialNumber: Data { fields[ItemAttribute<Self, Data>.serialNumber] ?? Data() }

  /// SHA-1 of the public key: the ``Key/applicationLabel`` of the private key that belongs to the certificate.
  public var publicKeyHash: Data { fields[ItemAttribute<Self, Data>.publicKeyHash] ?? Data() }

  /// The extension of that name; nil where the certificate has none.
  public var subjectKeyIdentifier: Data? { fields[ItemAttribute<Self, Data>.subjectKeyIdentifier] }

  /// From when on the certificate is valid.
  public var notBefore: Date? { fields.attributes.date(.notBefore)?.date }

  /// Until when the certificate is valid.
  public var notAfter: Date? { fields.attributes.date(.notAfter)?.date }
}

extension X509Certificate {
  /// Reads a certificate that the caller gave.
  init(argument der: Data, mend: String) throws(VaultError) {
    do throws(CertificateError) {
      try self.init(der: [UInt8](der))
    } catch {
      throw VaultError(.invalidArgument, error.description, mend: mend)
    }
  }
}

extension ItemAttributes {
  /// What Keychain keeps of a certificate, and what Coffer needs to search without opening values.
  package init(certificate: X509Certificate) {
    self.init([
      .certificateType: .number(Int64(certificate.version)), .certificateEncoding: .number(Self.encodingDER),
      .issuer: .data(certificate.normalizedIssuer), .subject: .data(certificate.normalizedSubject),
      .serialNumber: .data(certificate.serialNumber), .publicKeyHash: .data(certificate.publicKeyHash),
      .notBefore: .date(Timestamp(certificate.notBefore)), .notAfter: .date(Timestamp(certificate.notAfter)),
      .subjectTexts: .string(certificate.subjectName.texts.joined(separator: "\n")),
      .emailAddresses: .string(certificate.emailAddresses.joined(separator: "\n")),
      .label: .string(certificate.subjectSummary ?? ""),
    ])
    if let identifier = certificate.subjectKeyIdentifier { self[.subjectKeyID] = .data(identifier) }
  }

  /// Apple's number for DER (`CSSM_CERT_ENCODING_DER`).
  private static let encodingDER: Int64 = 3
}

extension ItemAttribute where Item == Certificate, Value == Int {
  /// The version of X.509; `kSecAttrCertificateType`.
  public static var certificateType: Self { Self(number: .certificateType) }
}

extension ItemAttribute where Item == Certificate, Value == Data {
  /// The issuer's name, normalised; `kSecAttrIssuer`.
  public static var issuer: Self { Self(data: .issuer) }
  /// The subject's name, normalised; `kSecAttrSubject`.
  public static var subject: Self { Self(data: .subject) }
  /// The serial number's bytes; `kSecAttrSerialNumber`.
  public static var serialNumber: Self { Self(data: .serialNumber) }
  /// SHA-1 of the public key; `kSecAttrPublicKeyHash`.
  public static var publicKeyHash: Self { Self(data: .publicKeyHash) }
  /// The extension of that name; `kSecAttrSubjectKeyID`.
  public static var subjectKeyIdentifier: Self { Self(data: .subjectKeyID) }
}

extension ItemQuery where Item == Certificate {
  /// Certificates one of whose subject's texts compares to `text`: `kSecMatchSubjectContains` and its siblings.
  public func subject(_ text: String, _ comparison: Comparison = .contains) -> Self {
    condition { attributes in
      (attributes[.subjectTexts]?.text ?? "").split(separator: "\n").contains { comparison.holds(String($0), text) }
    }
  }

  /// Certificates that are valid at a time: `kSecMatchValidOnDate`.
  public func valid(on date: Date) -> Self {
    let time = Timestamp(date)
    return condition { attributes in
      guard let from = attributes.date(.notBefore), let to = attributes.date(.notAfter) else { return false }
      return from <= time && time <= to
    }
  }

  /// Certificates with this address, whatever its case: `kSecMatchEmailAddressIfPresent`, without those that have none.
  public func emailAddress(_ address: String) -> Self {
    condition { attributes in
      (attributes[.emailAddresses]?.text ?? "").split(separator: "\n").contains {
        Comparison.insensitive.holds(String($0), address)
      }
    }
  }
}
