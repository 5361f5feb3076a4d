public import Coffer
public import CofferPlatform
internal import CofferVault
package import CofferX509

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
