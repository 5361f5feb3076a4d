public import Coffer
package import CofferFormat
public import CofferPlatform
internal import CofferVault
package import CofferX509

extension KeychainCertificate {
  /// Parses a certificate and reads its attributes.
  ///
  /// - Parameters:
  ///   - der: An X.509 certificate, at most 64 KiB of DER.
  ///   - label: The label that lists show to users; a summary of the subject, usually its common name, if nil.
  /// - Throws: `VaultError`: `invalidArgument` for bytes that are not a certificate.
  public init(der: Data, label: String? = nil) throws(VaultError) {
    let certificate = try X509Certificate(argument: der, recoverySuggestion: "pass one X.509 certificate in DER")
    self.init(ItemAttributes(certificate: certificate), der: der)
    if let label { self.label = label }
  }
}

extension X509Certificate {
  /// Parses a certificate that is an argument of a call.
  init(argument der: Data, recoverySuggestion: String) throws(VaultError) {
    do throws(CertificateError) {
      try self.init(der: [UInt8](der))
    } catch {
      throw VaultError(.invalidArgument, error.description, recoverySuggestion: recoverySuggestion)
    }
  }
}

extension ItemAttributes {
  /// The attributes that Keychain stores for a certificate, and those by which Coffer searches without opening values.
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

  /// Apple's constant for DER (`CSSM_CERT_ENCODING_DER`).
  private static let encodingDER: Int64 = 3
}

extension Vault {
  /// Adds a certificate and its private key, both or neither.
  ///
  /// - Parameters:
  ///   - certificate: The certificate, from ``Coffer/KeychainCertificate/init(der:label:)``.
  ///   - privateKey: The key's external representation: PKCS #1, or X9.63 with the private number. It is not checked
  ///     that the key belongs to the certificate.
  ///   - tag: The key's application tag; empty by default.
  ///   - accessGroup: The access group to write to; the app's default group if nil.
  /// - Throws: `VaultError`: the errors of `add(_:in:)`; `duplicateItem` if either item exists. Nothing has changed
  ///   then.
  public func add(
    _ certificate: KeychainCertificate, privateKey: some SecretValue, tag: Data = Data(), in accessGroup: String? = nil
  ) throws(VaultError) {
    let x509 = try X509Certificate(
      argument: certificate.der ?? Data(), recoverySuggestion: "create the certificate with KeychainCertificate(der:)")
    var key = KeychainKey(
      .private, algorithm: x509.keyKind.algorithm, sizeInBits: x509.keyKind.sizeInBits,
      applicationLabel: certificate.publicKeyHash, applicationTag: tag)
    key.label = certificate.label
    do {
      try transaction {
        try add(certificate, in: accessGroup)
        try add(privateKey, for: key, in: accessGroup)
      }
    } catch {
      throw VaultError(translating: error)
    }
  }

  /// Adds a certificate and its private key without blocking the calling thread. Parameters, result and errors: see
  /// ``add(_:privateKey:tag:in:)``.
  public func add(
    _ certificate: KeychainCertificate, privateKey: some SecretValue, tag: Data = Data(), in accessGroup: String? = nil
  ) async throws(VaultError) {
    try await onBlockingThread { () throws(VaultError) in
      try self.add(certificate, privateKey: privateKey, tag: tag, in: accessGroup)
    }
  }
}

extension KeyKind {
  /// Keychain's number of the algorithm; 0 for an algorithm without one.
  package var algorithm: KeychainKey.Algorithm {
    switch self {
    case .rsa: .rsa
    case .ec: .ellipticCurve
    case .other: KeychainKey.Algorithm(rawValue: 0)
    }
  }

  package var sizeInBits: Int {
    switch self {
    case .rsa(let bits): bits
    case .ec(let curve): curve.bits
    case .other: 0
    }
  }
}
