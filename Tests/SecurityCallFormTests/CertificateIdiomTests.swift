// swift-format-ignore-file: NeverForceUnwrap
// Existing code forces casts and optionals, and is copied here unchanged.

import Security
import Testing

/// Certificates and identities, as programs that use TLS store them.
@Suite(.keychain) struct CertificateIdiomTests {
  private func certificate(_ der: String) throws -> SecCertificate {
    let data = try #require(Data(base64Encoded: der, options: .ignoreUnknownCharacters))
    return try #require(SecCertificateCreateWithData(nil, data as CFData))
  }

  private func add(_ certificate: SecCertificate, label: String? = nil) -> OSStatus {
    var attributes: [String: Any] = [
      kSecClass as String: kSecClassCertificate, kSecValueRef as String: certificate,
    ]
    attributes[kSecAttrLabel as String] = label
    return SecItemAdd(attributes as CFDictionary, nil)
  }

  private func find(_ more: [CFString: Any]) -> SecCertificate? {
    let query: [CFString: Any] = [
      kSecClass: kSecClassCertificate, kSecReturnRef: kCFBooleanTrue!, kSecMatchLimit: kSecMatchLimitOne,
    ]
    var item: CFTypeRef?
    guard SecItemCopyMatching(query.merging(more) { $1 } as CFDictionary, &item) == errSecSuccess else { return nil }
    return (item as! SecCertificate)
  }

  @Test func `A certificate is stored by its reference and found by its given label`() throws {
    let certificate = try certificate(server)
    #expect(add(certificate, label: "My Certificate") == errSecSuccess)
    #expect(add(certificate, label: "Another label") == errSecDuplicateItem)
    let found = try #require(find([kSecAttrLabel: "My Certificate"]))
    #expect(SecCertificateCopyData(found) as Data == SecCertificateCopyData(certificate) as Data)
    #expect(find([kSecAttrLabel: "Another label"]) == nil)
  }

  @Test func `A certificate without a label is labelled with its subject`() throws {
    let certificate = try certificate(server)
    #expect(SecItemAdd([kSecValueRef: certificate] as CFDictionary, nil) == errSecSuccess)
    let summary = try #require(SecCertificateCopySubjectSummary(certificate))
    #expect(find([kSecAttrLabel: summary]) == certificate)
    #expect(find([kSecAttrLabel: "server.example.com"]) == certificate)
  }

  @Test func `A certificate is stored by its data`() throws {
    let certificate = try certificate(server)
    let attributes: [CFString: Any] = [
      kSecClass: kSecClassCertificate, kSecValueData: SecCertificateCopyData(certificate) as Data,
    ]
    #expect(SecItemAdd(attributes as CFDictionary, nil) == errSecSuccess)
    #expect(find([:]) == certificate)
  }

  @Test func `A certificate is found by issuer and serial number`() throws {
    let authority = try certificate(root)
    let certificate = try certificate(server)
    #expect(add(certificate) == errSecSuccess)
    #expect(add(authority) == errSecSuccess)
    let issuer = try #require(SecCertificateCopyNormalizedIssuerSequence(certificate))
    let number = try #require(SecCertificateCopySerialNumberData(certificate, nil))
    #expect(find([kSecAttrIssuer: issuer, kSecAttrSerialNumber: number]) == certificate)
    #expect(find([kSecAttrIssuer: issuer, kSecAttrSerialNumber: Data([1])]) == authority)
    #expect(find([kSecAttrIssuer: issuer, kSecAttrSerialNumber: Data([9])]) == nil)
  }

  @Test func `Names returned for a certificate find it`() throws {
    for der in [server, root] { #expect(add(try certificate(der)) == errSecSuccess) }
    let query: [CFString: Any] = [
      kSecClass: kSecClassCertificate, kSecAttrLabel: "Example Root", kSecReturnAttributes: true,
    ]
    var item: CFTypeRef?
    #expect(SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess)
    let found = try #require(item as? [String: Any])
    let subject = try #require(found[kSecAttrSubject as String] as? Data)
    let hash = try #require(found[kSecAttrPublicKeyHash as String] as? Data)
    #expect(found[kSecAttrIssuer as String] as? Data == subject)
    #expect(find([kSecAttrSubject: subject]) == (try certificate(root)))
    #expect(find([kSecAttrPublicKeyHash: hash]) == (try certificate(root)))
    #expect(find([kSecAttrIssuer: subject, kSecAttrSerialNumber: Data([2])]) == (try certificate(server)))
  }

  @Test func `All certificates come as an array of references`() throws {
    for der in [server, root, device] { #expect(add(try certificate(der)) == errSecSuccess) }
    let query: [CFString: Any] = [
      kSecClass: kSecClassCertificate, kSecMatchLimit: kSecMatchLimitAll, kSecReturnRef: true,
    ]
    var items: CFTypeRef?
    #expect(SecItemCopyMatching(query as CFDictionary, &items) == errSecSuccess)
    let certificates = try #require(items as? [SecCertificate])
    let names = certificates.compactMap { SecCertificateCopySubjectSummary($0) as String? }
    #expect(names.sorted() == ["Example Root", "device.example.com", "server.example.com"])
  }

  @Test func `Data, attributes and reference of a certificate are returned together`() throws {
    let certificate = try certificate(server)
    #expect(add(certificate) == errSecSuccess)
    let query: [CFString: Any] = [
      kSecClass: kSecClassCertificate, kSecReturnAttributes: true, kSecReturnData: true, kSecReturnRef: true,
    ]
    var item: CFTypeRef?
    #expect(SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess)
    let found = try #require(item as? [CFString: Any])
    #expect(found[kSecValueRef] as? SecCertificate == certificate)
    #expect(found[kSecValueData] as? Data == SecCertificateCopyData(certificate) as Data)
    // The name without the tag and length of its sequence.
    let issuer = try #require(SecCertificateCopyNormalizedIssuerSequence(certificate) as Data?)
    #expect(found[kSecAttrIssuer] as? Data == issuer.dropFirst(2))
    #expect(found[kSecAttrLabel] as? String == "server.example.com")
  }

  @Test func `A pinned certificate is compared by its data and deleted by its reference`() throws {
    let pinned = try certificate(server)
    #expect(add(pinned, label: "pinned") == errSecSuccess)
    let presented = try certificate(server), forged = try certificate(device)
    let stored = try #require(find([kSecAttrLabel: "pinned"]))
    #expect(SecCertificateCopyData(stored) as Data == SecCertificateCopyData(presented) as Data)
    #expect(SecCertificateCopyData(stored) as Data != SecCertificateCopyData(forged) as Data)
    #expect(SecItemDelete([kSecValueRef: presented] as CFDictionary) == errSecSuccess)
    #expect(find([:]) == nil)
  }

  @Test func `A private key and its certificate are an identity`() throws {
    let certificate = try certificate(device)
    var error: Unmanaged<CFError>?
    let keyAttributes: [CFString: Any] = [
      kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
    ]
    let keyData = try #require(Data(base64Encoded: deviceKey, options: .ignoreUnknownCharacters))
    guard let key = SecKeyCreateWithData(keyData as CFData, keyAttributes as CFDictionary, &error) else {
      throw error!.takeRetainedValue() as Error
    }
    let query: [String: Any] = [kSecClass as String: kSecClassIdentity, kSecReturnRef as String: true]
    #expect(add(certificate, label: "the device") == errSecSuccess)
    #expect(SecItemCopyMatching(query as CFDictionary, nil) == errSecItemNotFound)
    #expect(SecItemAdd([kSecClass: kSecClassKey, kSecValueRef: key] as CFDictionary, nil) == errSecSuccess)
    #expect(add(try self.certificate(server)) == errSecSuccess)

    var item: CFTypeRef?
    try #require(SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess)
    #expect(CFGetTypeID(item) == SecIdentityGetTypeID())
    let identity = item as! SecIdentity
    var ownCertificate: SecCertificate?
    #expect(SecIdentityCopyCertificate(identity, &ownCertificate) == errSecSuccess)
    #expect(ownCertificate == certificate)
    var ownKey: SecKey?
    #expect(SecIdentityCopyPrivateKey(identity, &ownKey) == errSecSuccess)
    #expect(ownKey == key)

    let byLabel = query.merging([kSecAttrLabel as String: "the device"]) { $1 }
    try #require(SecItemCopyMatching(byLabel as CFDictionary, &item) == errSecSuccess)
    #expect((item as! SecIdentity) == identity)
  }

  @Test func `Adding an identity adds a key and a certificate`() throws {
    let identity = try storedIdentity()
    for stored in [kSecClassKey, kSecClassCertificate] {
      #expect(SecItemDelete([kSecClass: stored] as CFDictionary) == errSecSuccess)
    }
    let attributes: [CFString: Any] = [kSecValueRef: identity, kSecAttrLabel: "imported"]
    #expect(SecItemAdd(attributes as CFDictionary, nil) == errSecSuccess)
    for stored in [kSecClassKey, kSecClassCertificate, kSecClassIdentity] {
      #expect(SecItemCopyMatching([kSecClass: stored] as CFDictionary, nil) == errSecSuccess, "\(stored)")
    }
  }

  @Test func `Certificates are chosen by the issuers that a server accepts`() throws {
    for der in [server, root, device] { #expect(add(try certificate(der)) == errSecSuccess) }
    let accepted = try #require(SecCertificateCopyNormalizedSubjectSequence(try certificate(root)) as Data?)
    let query: [CFString: Any] = [
      kSecClass: kSecClassCertificate, kSecMatchIssuers: [accepted] as CFArray, kSecMatchLimit: kSecMatchLimitAll,
      kSecReturnRef: true,
    ]
    var items: CFTypeRef?
    #expect(SecItemCopyMatching(query as CFDictionary, &items) == errSecSuccess)
    let names = (items as? [SecCertificate])?.compactMap { SecCertificateCopySubjectSummary($0) as String? }
    #expect(names?.sorted() == ["Example Root", "server.example.com"])
  }

  private func storedIdentity() throws -> SecIdentity {
    let keyAttributes: [CFString: Any] = [
      kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
    ]
    let keyData = try #require(Data(base64Encoded: deviceKey, options: .ignoreUnknownCharacters))
    let key = try #require(SecKeyCreateWithData(keyData as CFData, keyAttributes as CFDictionary, nil))
    #expect(SecItemAdd([kSecValueRef: key] as CFDictionary, nil) == errSecSuccess)
    #expect(add(try certificate(device)) == errSecSuccess)
    var item: CFTypeRef?
    #expect(SecItemCopyMatching([kSecClass: kSecClassIdentity, kSecReturnRef: true] as CFDictionary, &item) == noErr)
    return try #require(item as? SecIdentity)
  }
}

// Made with OpenSSL for these tests alone: an authority, a server's certificate signed by it, and a certificate that a
// device's key signed itself, with this key in X9.63 form.

private let root = """
  MIIBsTCCAVagAwIBAgIBATAKBggqhkjOPQQDAjA2MQswCQYDVQQGEwJERTEQMA4GA1UECgwHRXhhbXBsZTEVMBMGA1UEAwwMRXhh
  bXBsZSBSb290MCAXDTI2MTEyMTA3NDMzMVoYDzIxMjYxMDI4MDc0MzMxWjA2MQswCQYDVQQGEwJERTEQMA4GA1UECgwHRXhhbXBs
  ZTEVMBMGA1UEAwwMRXhhbXBsZSBSb290MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE1yFfcZa4sF6/nds3VEpOAf+QPoh/QQGi
  TgObHZy7YaF1b0aYW3xZE3Gnqcg4JMvjrC400HSWj0eVEdblgs1N+6NTMFEwHQYDVR0OBBYEFDhxZXBW8r/qRLKXXTp8I9IGz2T0
  MB8GA1UdIwQYMBaAFDhxZXBW8r/qRLKXXTp8I9IGz2T0MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhANSkKTEW
  2yXEF5fz3zslhJJCw/N3XpKuz06sZNUz6yZmAiEAtqRh8FsS1U/8s4O91S8ymYZAMIdQQoDak53cK+Fphn4=
  """

private let server = """
  MIIBXTCCAQICAQIwCgYIKoZIzj0EAwIwNjELMAkGA1UEBhMCREUxEDAOBgNVBAoMB0V4YW1wbGUxFTATBgNVBAMMDEV4YW1wbGUg
  Um9vdDAgFw0yNjExMjEwNzQzMzFaGA8yMTI2MTAyODA3NDMzMVowPDELMAkGA1UEBhMCREUxEDAOBgNVBAoMB0V4YW1wbGUxGzAZ
  BgNVBAMMEnNlcnZlci5leGFtcGxlLmNvbTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABPjgACBiP8lGsiESBqYlXrVZ8Sb7/NFT
  kqxyYGsqmQAznw5uMCpJzm2sVIyKEqo6+vvgASSG9SYsl+EKoGVCu6MwCgYIKoZIzj0EAwIDSQAwRgIhANxTLKS+ht6uwdbYJYU9
  O4hlqjfMhM0MndDGXvZ19igCAiEAjqskpuRyZeoyQ87CzvWcaMIC7M4YBqrNGT1Ss7buZbg=
  """

private let device = """
  MIIBvDCCAWOgAwIBAgICEjQwCgYIKoZIzj0EAwIwPDELMAkGA1UEBhMCREUxEDAOBgNVBAoMB0V4YW1wbGUxGzAZBgNVBAMMEmRl
  dmljZS5leGFtcGxlLmNvbTAgFw0yNjExMjEwNzQzMzFaGA8yMTI2MTAyODA3NDMzMVowPDELMAkGA1UEBhMCREUxEDAOBgNVBAoM
  B0V4YW1wbGUxGzAZBgNVBAMMEmRldmljZS5leGFtcGxlLmNvbTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABL1VDLoe/csUSvA8
  5NJf3Hksak2UXvuT+nLrXIRX5yOVhJE+uSVEyLKESRsGUAsL3aV9PU5KVknEWqT5AISfaXyjUzBRMB0GA1UdDgQWBBSFdjEQLBCz
  EDXorjGoNOdAW4P21DAfBgNVHSMEGDAWgBSFdjEQLBCzEDXorjGoNOdAW4P21DAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMC
  A0cAMEQCIEOAgbkcfVJq334RP46flgyPi++dVmjBi+bKYlWMmXKSAiAOWjdxSHm+OxJ7SbU+eq2I9u4yYy9wz/7l1B1ZDBsaig==
  """

private let deviceKey = """
  BL1VDLoe/csUSvA85NJf3Hksak2UXvuT+nLrXIRX5yOVhJE+uSVEyLKESRsGUAsL3aV9PU5KVknEWqT5AISfaXxcqkhBhC0yJpK9
  lgyFjNjlhixDtjTU6ZSsOSPyOowkOg==
  """
