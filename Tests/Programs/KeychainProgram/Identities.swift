import Security

/// Identities: imported, stored, used and evaluated.
enum Identities {
  /// Adds each identity of a PKCS #12 file.
  static func add(from file: String, passphrase: String) throws {
    let data = try Data(contentsOf: URL(fileURLWithPath: file))
    var items: CFArray?
    let status = SecPKCS12Import(data as CFData, [kSecImportExportPassphrase: passphrase] as CFDictionary, &items)
    guard status == errSecSuccess else { throw KeychainError("SecPKCS12Import", status) }
    for item in items as? [[String: Any]] ?? [] {
      var attributes: [String: Any] = [:]
      attributes[kSecValueRef as String] = item[kSecImportItemIdentity as String]
      attributes[kSecAttrLabel as String] = item[kSecImportItemLabel as String]
      let status = SecItemAdd(attributes as CFDictionary, nil)
      guard status == errSecSuccess else { throw KeychainError("SecItemAdd", status) }
    }
  }

  /// Signs with each stored identity and verifies the signature by its certificate. Returns their labels.
  static func sign() throws -> [String] {
    let query: [CFString: Any] = [
      kSecClass: kSecClassIdentity, kSecMatchLimit: kSecMatchLimitAll, kSecReturnRef: true, kSecReturnAttributes: true,
    ]
    var result: CFTypeRef?
    let status = SecItemCopyMatching(query as CFDictionary, &result)
    guard status == errSecSuccess else { throw KeychainError("SecItemCopyMatching", status) }
    return try (result as? [[String: Any]] ?? []).map { item in
      guard let identity = item[kSecValueRef as String] as? SecIdentity else {
        throw KeychainError("SecItemCopyMatching", wrongResult: item[kSecValueRef as String])
      }
      var certificate: SecCertificate?
      var privateKey: SecKey?
      SecIdentityCopyCertificate(identity, &certificate)
      SecIdentityCopyPrivateKey(identity, &privateKey)
      guard let key = privateKey, let publicKey = certificate.flatMap({ SecCertificateCopyKey($0) }) else {
        throw KeychainError("SecIdentityCopyPrivateKey", wrongResult: nil)
      }
      let algorithm: SecKeyAlgorithm =
        SecKeyIsAlgorithmSupported(key, .sign, .ecdsaSignatureMessageX962SHA256)
        ? .ecdsaSignatureMessageX962SHA256 : .rsaSignatureMessagePKCS1v15SHA256
      let message = Data("message".utf8) as CFData
      guard let signature = SecKeyCreateSignature(key, algorithm, message, nil),
        SecKeyVerifySignature(publicKey, algorithm, message, signature, nil)
      else { throw KeychainError("SecKeyCreateSignature", wrongResult: nil) }
      return item[kSecAttrLabel as String] as? String ?? "none"
    }
  }

  /// Evaluates the certificate of a server.
  static func evaluate(_ file: String, host: String) throws {
    let data = try Data(contentsOf: URL(fileURLWithPath: file))
    guard let certificate = SecCertificateCreateWithData(nil, data as CFData) else {
      throw KeychainError("SecCertificateCreateWithData", wrongResult: nil)
    }
    var trust: SecTrust?
    let status = SecTrustCreateWithCertificates(certificate, SecPolicyCreateSSL(true, host as CFString), &trust)
    guard status == errSecSuccess, let trust = trust else {
      throw KeychainError("SecTrustCreateWithCertificates", status)
    }
    var error: CFError?
    guard SecTrustEvaluateWithError(trust, &error) else {
      throw KeychainError("SecTrustEvaluateWithError", OSStatus(CFErrorGetCode(error)))
    }
  }
}
