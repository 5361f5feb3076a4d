internal import CofferOpenSSL
internal import CofferX509
internal import Foundation

extension SecurityError {
  /// Creates the error of a call of OpenSSL that has read an object.
  init(_ error: OpenSSLError, reading subject: String) {
    switch error {
    case .unavailable(let reason):
      self.init(
        errSecNotAvailable,
        "OpenSSL 3 is not installed: \(reason); on Debian and Ubuntu, install the package libssl3 or libssl3t64")
    case .legacyProviderMissing:
      self.init(
        errSecNotAvailable,
        "the \(subject) is encrypted with RC2 or RC4, for which OpenSSL's legacy provider is not installed; install "
          + "the package openssl-provider-legacy, or export the \(subject) again with AES")
    case .failed: self.init(errSecInternalComponent, "OpenSSL reported an error without a cause in the \(subject)")
    case .damaged: self.init(errSecDecode, "the \(subject) is damaged or has another format")
    case .unsupported:
      self.init(
        errSecDecode,
        "the \(subject) uses an algorithm that is not supported, or has no authentication code; export it again with "
          + "AES-256 and HMAC-SHA-256")
    case .tooCostly:
      self.init(
        errSecDecode, "the \(subject) is larger, or demands more iterations of its key derivation, than allowed")
    case .wrongPassphrase:
      self.init(errSecAuthFailed, "the passphrase is wrong, or the \(subject) was changed after it was written")
    }
  }

  /// Creates the error of an operation with a key by OpenSSL. If the cause is in the input, it is `errSecParam` with
  /// this detail.
  init(_ error: OpenSSLError, orParam detail: String) {
    guard case .damaged = error else {
      self.init(error, reading: "key")
      return
    }
    self.init(errSecParam, detail)
  }

  /// Creates the error of a certificate that is not trusted, because the chain does not satisfy the policy: `failure`
  /// is the first one.
  init(
    _ failure: TrustEvaluation.Failure, chain: [SecCertificate], policy: SecPolicy, _ evaluation: CertificateEvaluation
  ) {
    let certificate =
      chain.indices.contains(failure.position) ? chain[failure.position] : evaluation.certificates[0]
    let name = "the certificate \"\(certificate.fields.subjectSummary ?? "without a name")\""
    switch failure.kind {
    case .noAnchor:
      let anchors =
        evaluation.usesSystemAnchors
        ? "is trusted; pass the root to SecTrustSetAnchorCertificates, or add it to the system with "
          + "update-ca-certificates (the package ca-certificates has the usual roots)"
        : "is one of the given anchors; pass the root to SecTrustSetAnchorCertificates"
      self.init(errSecNotTrusted, "the chain ends with \(name), and neither it nor its issuer \(anchors)")
    case .expired:
      self.init(
        errSecCertificateExpired,
        "\(name) was valid until \(Self.text(certificate.fields.notAfter)); replace it by a new one")
    case .notYetValid:
      self.init(
        errSecCertificateNotValidYet,
        "\(name) is valid from \(Self.text(certificate.fields.notBefore)); check the clock of this machine")
    case .hostMismatch:
      var host = ""
      if case .tlsServer(let name?) = policy.use { host = " \(name)" }
      let names = certificate.fields.dnsNames
      self.init(
        errSecHostNameMismatch,
        "\(name) is not for the host\(host), but for \(names.isEmpty ? "none" : names.joined(separator: ", ")); "
          + "connect by a name that it has, or let it be issued with this one as an alternative name")
    case .badSignature:
      self.init(
        errSecInvalidSignature, "the signature of \(name) is invalid; get the certificates from their owner again")
    case .wrongPurpose:
      let purpose = policy.use == .tlsClient ? "a TLS client" : "a TLS server"
      self.init(
        errSecInvalidExtendedKeyUsage,
        "\(name) is not for the use as \(purpose); let it be issued with this extended key usage")
    case .noAuthority:
      self.init(
        errSecNoBasicConstraintsCA,
        "\(name) has issued a certificate, but its basic constraints or its key usage do not permit that")
    case .pathTooLong:
      self.init(errSecPathLengthConstraintExceeded, "the chain from \(name) has more certificates than it allows")
    case .unknownExtension:
      self.init(errSecUnknownCriticalExtensionFlag, "\(name) has a critical extension that OpenSSL does not know")
    case .weakKey: self.init(errSecUnsupportedKeySize, "the key of \(name) is too short")
    case .weakDigest:
      self.init(errSecInvalidDigestAlgorithm, "\(name) is signed with a hash function that is broken, such as SHA-1")
    case .nameNotAllowed:
      self.init(errSecCertificateNameNotAllowed, "the issuer of \(name) may not issue certificates with its names")
    case .other: self.init(errSecNotTrusted, "\(name) was refused: \(failure.text)")
    }
  }

  private static func text(_ date: Date) -> String { date.formatted(.iso8601) }
}
