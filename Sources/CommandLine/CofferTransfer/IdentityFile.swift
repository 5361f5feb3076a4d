internal import CofferCrypto
package import CofferOpenSSL
package import CofferVault
package import CofferX509

extension PKCS12Contents.KeyMaterial {
  /// Returns the key in the form of an item. Throws `invalidArgument` for one of another type.
  package func externalKey() throws(VaultError) -> ExternalKey {
    func copy<Result>(
      _ secret: SecretText, _ body: ([UInt8]) throws(CertificateError) -> Result
    ) throws(CertificateError) -> Result {
      var bytes = unsafe secret.withBytes { unsafe Array($0) }
      defer { bytes.wipe() }
      return try body(bytes)
    }
    do throws(CertificateError) {
      switch self {
      case .rsa(let der): return try copy(der) { (bytes) throws(CertificateError) in try ExternalKey(der: bytes) }
      case .p256(let scalar):
        return try copy(scalar) { (bytes) throws(CertificateError) in try ExternalKey(scalar: bytes, on: .p256) }
      case .p384(let scalar):
        return try copy(scalar) { (bytes) throws(CertificateError) in try ExternalKey(scalar: bytes, on: .p384) }
      case .p521(let scalar):
        return try copy(scalar) { (bytes) throws(CertificateError) in try ExternalKey(scalar: bytes, on: .p521) }
      case .other: break
      }
    } catch {
      throw VaultError(.invalidArgument, error.description, recoverySuggestion: Self.advice)
    }
    throw VaultError(
      .invalidArgument, "a key of the PKCS #12 file is neither RSA nor on P-256, P-384 or P-521; nothing was stored",
      recoverySuggestion: Self.advice)
  }

  private static let advice = "keep the file itself as a value with: coffer set SERVICE --from-file FILE"
}

extension OpenSSLError {
  /// The error in words. `what` could not be read or written.
  package func report(of what: String) -> VaultError {
    switch self {
    case .unavailable(let reason):
      VaultError(
        .io, "OpenSSL 3 cannot be loaded: \(reason)", recoverySuggestion: "install it with: apt install libssl3")
    case .legacyProviderMissing:
      VaultError(
        .io, "\(what) is encrypted with RC2 or RC4, and OpenSSL's provider of old ciphers is not installed",
        recoverySuggestion: "install the provider, or write the file again with AES")
    case .failed: VaultError(.io, "OpenSSL failed with \(what)", recoverySuggestion: "try again")
    case .damaged:
      VaultError(
        .invalidArgument, "\(what) is damaged, or a key is not that of its certificate",
        recoverySuggestion: "check it with: openssl pkcs12 -info -noout -in FILE")
    case .unsupported:
      VaultError(
        .invalidArgument, "\(what) is not protected by a password, or by an algorithm that is not supported",
        recoverySuggestion: "write it again with: openssl pkcs12 -export")
    case .tooCostly:
      VaultError(
        .invalidArgument, "\(what) has too many entries, or demands too many iterations of its key derivation",
        recoverySuggestion: "write it again with: openssl pkcs12 -export")
    case .wrongPassphrase:
      VaultError(
        .authenticationFailed, "the password of \(what) is wrong, or the file was changed",
        recoverySuggestion: "try again")
    }
  }
}
