internal import Dispatch
internal import Foundation
internal import Security
internal import Testing

@Suite struct TrustTests {
  private let issuer: CertificateIssuer
  private let root: SecCertificate
  private let intermediate: SecCertificate
  private let server: SecCertificate

  init() throws {
    issuer = try CertificateIssuer()
    root = try issuer.issue("Root", CertificateIssuer.authority)
    intermediate = try issuer.issue("Intermediate", by: "Root", CertificateIssuer.authority)
    server = try issuer.issue(
      "common.example.com", by: "Intermediate",
      ["subjectAltName=DNS:www.example.com,DNS:*.wild.example.com,IP:192.0.2.1", "extendedKeyUsage=serverAuth"])
  }

  // MARK: Anchors

  @Test func `A chain to a given anchor is trusted, and has the anchor`() throws {
    let trust = try evaluation([server, root, intermediate])
    #expect(result(trust) == .invalid)
    #expect(failure(trust) == errSecNotTrusted)
    #expect(result(trust) == .recoverableTrustFailure)
    #expect(SecTrustSetAnchorCertificates(trust, [root] as CFArray) == errSecSuccess)
    #expect(result(trust) == .invalid)
    #expect(failure(trust) == nil)
    #expect(result(trust) == .unspecified)
    #expect(SecTrustCopyCertificateChain(trust) as? [SecCertificate] == [server, intermediate, root])
    #expect(SecTrustGetCertificateCount(trust) == 3)
    #expect(SecTrustGetCertificateAtIndex(trust, 1) == intermediate)
    for outside in [-1, 3] { #expect(SecTrustGetCertificateAtIndex(trust, outside) == nil) }
    #expect(SecTrustCopyKey(trust) == SecCertificateCopyKey(server))
    #expect(SecTrustCopyPublicKey(trust) == SecCertificateCopyKey(server))
    #expect(CFGetTypeID(trust) == SecTrustGetTypeID())
  }

  @Test func `Anchors replace those of the system until they are to extend them`() throws {
    let system = try SystemCertificate()
    let trust = try evaluation(system.certificate)
    SecTrustSetVerifyDate(trust, system.date as CFDate)
    #expect(failure(trust) == nil)
    var anchors: CFArray?
    unsafe SecTrustCopyCustomAnchorCertificates(trust, &anchors)
    #expect(anchors == nil)
    for given in [[], [root]] {
      SecTrustSetAnchorCertificates(trust, given as CFArray)
      unsafe SecTrustCopyCustomAnchorCertificates(trust, &anchors)
      #expect(anchors as? [SecCertificate] == given)
      #expect(failure(trust) == errSecNotTrusted)
      #expect(SecTrustSetAnchorCertificatesOnly(trust, false) == errSecSuccess)
      #expect(failure(trust) == nil)
      SecTrustSetAnchorCertificatesOnly(trust, true)
      #expect(failure(trust) == errSecNotTrusted)
    }
    SecTrustSetAnchorCertificates(trust, nil)
    #expect(failure(trust) == nil)
  }

  @Test func `An anchor may be an intermediate or the certificate itself`() throws {
    for anchor in [intermediate, server] {
      let trust = try evaluation(server)
      SecTrustSetAnchorCertificates(trust, [anchor] as CFArray)
      #expect(failure(trust) == nil)
      #expect((SecTrustCopyCertificateChain(trust) as? [SecCertificate])?.last == anchor)
    }
  }

  @Test func `Without the intermediate a certificate is not trusted, and the error says what to do`() throws {
    let trust = try anchored(server, with: [])
    var error: CFError?
    #expect(unsafe !SecTrustEvaluateWithError(trust, &error))
    let failure = try #require(error)
    #expect(CFErrorGetCode(failure) == Int(errSecNotTrusted))
    #expect(CFErrorGetDomain(failure) as String? == NSOSStatusErrorDomain)
    for part in ["common.example.com", "SecTrustSetAnchorCertificates"] {
      #expect(failure.localizedDescription.contains(part))
    }
    #expect(SecTrustCopyCertificateChain(trust) as? [SecCertificate] == [server])
    // A later success clears the error.
    SecTrustSetAnchorCertificates(trust, [server] as CFArray)
    #expect(unsafe SecTrustEvaluateWithError(trust, &error))
    #expect(error == nil)
  }

  @Test func `A root of the same name with another key is no anchor`() throws {
    let other = try CertificateIssuer().issue("Root", CertificateIssuer.authority)
    let trust = try evaluation([server, intermediate])
    SecTrustSetAnchorCertificates(trust, [other] as CFArray)
    #expect([errSecNotTrusted, errSecInvalidSignature].contains(try #require(failure(trust))))
  }

  // MARK: Revocation

  @Test func `A policy that demands that nothing is revoked is never satisfied`() throws {
    #expect(SecPolicyCreateRevocation(0) == nil)
    #expect(kSecRevocationUseAnyAvailableMethod == kSecRevocationOCSPMethod | kSecRevocationCRLMethod)
    for flags in [
      kSecRevocationOCSPMethod, kSecRevocationUseAnyAvailableMethod | kSecRevocationPreferCRL,
      kSecRevocationUseAnyAvailableMethod | kSecRevocationRequirePositiveResponse, kSecRevocationNetworkAccessDisabled,
    ] {
      let revocation = try #require(SecPolicyCreateRevocation(flags))
      #expect(revocation == SecPolicyCreateRevocation(flags) && revocation != SecPolicyCreateBasicX509())
      let trust = try anchored(server)
      #expect(failure(trust) == nil)
      for policies in [[revocation], [revocation, SecPolicyCreateSSL(true, "www.example.com" as CFString)]] {
        #expect(SecTrustSetPolicies(trust, policies as CFArray) == errSecSuccess)
        #expect(failure(trust) == errSecIncompleteCertRevocationCheck)
        #expect(result(trust) == .recoverableTrustFailure)
        #expect(SecTrustGetCertificateCount(trust) == 3)
      }
    }
  }

  @Test func `That revocation cannot be checked hides no other failure`() throws {
    let revocation = try #require(SecPolicyCreateRevocation(kSecRevocationOCSPMethod))
    let trust = try anchored(server)
    let policies = [revocation, SecPolicyCreateSSL(true, "other.example.com" as CFString)]
    #expect(SecTrustSetPolicies(trust, policies as CFArray) == errSecSuccess)
    #expect(failure(trust) == errSecHostNameMismatch)
    #expect(failure(try evaluation([server, intermediate], revocation)) == errSecNotTrusted)
  }

  // MARK: Dates

  @Test func `The whole chain must be valid at the date`() throws {
    let trust = try anchored(server)
    let day = 86_400.0
    for (days, expected) in [(-1.0, errSecCertificateNotValidYet), (1, nil), (11, errSecCertificateExpired)] {
      #expect(SecTrustSetVerifyDate(trust, Date(timeIntervalSinceNow: days * day) as CFDate) == errSecSuccess)
      #expect(failure(trust) == expected)
    }
    #expect((SecCopyLastErrorExplanation() as String?)?.contains("was valid until") == true)
    for extreme in [Date.distantPast, .distantFuture, Date(timeIntervalSince1970: .infinity)] {
      SecTrustSetVerifyDate(trust, extreme as CFDate)
      #expect(failure(trust) != nil)
    }
  }

  // MARK: Host names

  @Test(arguments: [
    "www.example.com", "WWW.Example.com", "www.example.com.", "a.wild.example.com", "192.0.2.1", nil,
  ])
  func `A server's certificate is trusted for its names`(_ host: String?) throws {
    #expect(failure(try anchored(server, SecPolicyCreateSSL(true, host as CFString?))) == nil)
  }

  @Test(arguments: [
    "common.example.com", "example.com", "a.b.wild.example.com", "wild.example.com", "192.0.2.2", "", ".",
    "www.example.com\0.example.org", "www.example.com..", ".example.com", ".wild.example.com", ".com",
  ])
  func `It is not for other names, also not for its common name`(_ host: String) throws {
    let trust = try anchored(server, SecPolicyCreateSSL(true, host as CFString))
    #expect(failure(trust) == errSecHostNameMismatch)
    #expect((SecCopyLastErrorExplanation() as String?)?.contains("www.example.com, *.wild.example.com") == true)
  }

  @Test func `The common name of a certificate without names is no host name`() throws {
    let old = try issuer.issue("old.example.com", by: "Intermediate")
    #expect(
      failure(try anchored(old, SecPolicyCreateSSL(true, "old.example.com" as CFString))) == errSecHostNameMismatch)
    #expect(failure(try anchored(old, SecPolicyCreateSSL(true, nil))) == nil)
  }

  // MARK: Uses

  @Test func `The extended key usage must permit the use`() throws {
    let client = try issuer.issue("Client", by: "Intermediate", ["extendedKeyUsage=clientAuth"])
    let any = try issuer.issue("Any", by: "Intermediate")
    let (asServer, asClient) = (SecPolicyCreateSSL(true, nil), SecPolicyCreateSSL(false, "ignored" as CFString))
    #expect(failure(try anchored(client, asServer)) == errSecInvalidExtendedKeyUsage)
    #expect(failure(try anchored(client, asClient)) == nil)
    #expect(failure(try anchored(server, asClient)) == errSecInvalidExtendedKeyUsage)
    for certificate in [client, server, any] { #expect(failure(try anchored(certificate)) == nil) }
    for policy in [asServer, asClient] { #expect(failure(try anchored(any, policy)) == nil) }
  }

  @Test func `All policies must be satisfied`() throws {
    let trust = try evaluation([server, intermediate])
    SecTrustSetAnchorCertificates(trust, [root] as CFArray)
    let policies = ["www.example.com", "192.0.2.1", "other.example.com"].map {
      SecPolicyCreateSSL(true, $0 as CFString)
    }
    #expect(SecTrustSetPolicies(trust, Array(policies[..<2]) as CFArray) == errSecSuccess)
    #expect(failure(trust) == nil)
    #expect(SecTrustSetPolicies(trust, policies as CFArray) == errSecSuccess)
    #expect(failure(trust) == errSecHostNameMismatch)
    var copied: CFArray?
    unsafe SecTrustCopyPolicies(trust, &copied)
    #expect(copied as? [SecPolicy] == policies)
    #expect(SecTrustSetPolicies(trust, SecPolicyCreateBasicX509()) == errSecSuccess)
    #expect(failure(trust) == nil)
    #expect(CFGetTypeID(policies[0]) == SecPolicyGetTypeID())
    #expect(SecPolicyCreateSSL(true, "a" as CFString) == SecPolicyCreateSSL(true, "a" as CFString))
    #expect(SecPolicyCreateSSL(true, "a" as CFString) != SecPolicyCreateSSL(false, "a" as CFString))
  }

  // MARK: Invalid chains

  @Test func `An issuer must be an authority`() throws {
    try issuer.issue("No authority", by: "Root")
    let leaf = try issuer.issue("Leaf", by: "No authority")
    #expect(failure(try anchored(leaf, with: ["No authority"])) == errSecNoBasicConstraintsCA)

    try issuer.issue("Signs nothing", by: "Root", ["basicConstraints=CA:TRUE", "keyUsage=digitalSignature"])
    let second = try issuer.issue("Second", by: "Signs nothing")
    #expect(failure(try anchored(second, with: ["Signs nothing"])) == errSecNoBasicConstraintsCA)
  }

  @Test func `A chain may be as long as its authorities permit`() throws {
    try issuer.issue("Last", by: "Root", ["basicConstraints=CA:TRUE,pathlen:0"])
    try issuer.issue("Too many", by: "Last", CertificateIssuer.authority)
    let leaf = try issuer.issue("Leaf", by: "Too many")
    #expect(failure(try anchored(leaf, with: ["Too many", "Last"])) == errSecPathLengthConstraintExceeded)
  }

  @Test func `An authority issues names that it may issue only`() throws {
    try issuer.issue("Limited", by: "Root", ["basicConstraints=CA:TRUE", "nameConstraints=permitted;DNS:example.org"])
    let leaf = try issuer.issue("Leaf", by: "Limited", ["subjectAltName=DNS:www.example.com"])
    #expect(failure(try anchored(leaf, with: ["Limited"])) == errSecCertificateNameNotAllowed)
  }

  @Test func `An unknown critical extension is not trusted`() throws {
    let leaf = try issuer.issue("Leaf", by: "Intermediate", ["1.2.3.4=critical,ASN1:NULL"])
    #expect(failure(try anchored(leaf)) == errSecUnknownCriticalExtensionFlag)
  }

  @Test func `Broken hash functions and short keys are not trusted`() throws {
    let old = try issuer.issue("Old", by: "Intermediate", digest: "sha1")
    #expect(failure(try anchored(old)) == errSecInvalidDigestAlgorithm)
    let short = try issuer.issue(
      "Short", by: "Intermediate", key: ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024"])
    #expect(failure(try anchored(short)) == nil)
    #expect(failure(try anchored(short, SecPolicyCreateSSL(true, nil))) == errSecUnsupportedKeySize)
  }

  @Test func `A changed certificate is not trusted`() throws {
    var der = SecCertificateCopyData(server) as Data
    der[der.count - 1] ^= 1
    let changed = try #require(SecCertificateCreateWithData(nil, der as CFData))
    let trust = try anchored(changed)
    #expect(failure(trust) == errSecInvalidSignature)
    #expect(result(trust) == .fatalTrustFailure)
  }

  // MARK: Forms of the call

  @Test func `The older and the asynchronous form have the same result`() async throws {
    let (trusted, other) = (try anchored(server), try evaluation(server))
    for (trust, expected) in [(trusted, SecTrustResultType.unspecified), (other, .recoverableTrustFailure)] {
      var result = SecTrustResultType.proceed
      let status = unsafe SecTrustEvaluate(trust, &result)
      #expect(status == errSecSuccess)
      #expect(result == expected)
      let answer = await withCheckedContinuation { continuation in
        let queue = DispatchQueue(label: "trust")
        let status = SecTrustEvaluateAsyncWithError(trust, queue) { evaluated, isTrusted, error in
          dispatchPrecondition(condition: .onQueue(queue))
          continuation.resume(returning: (evaluated, isTrusted, error?.code))
        }
        #expect(status == errSecSuccess)
      }
      #expect(answer.0 === trust)
      #expect(answer.1 == (expected == .unspecified))
      #expect(answer.2 == (answer.1 ? nil : Int(errSecNotTrusted)))
    }
  }

  @Test func `Other objects are errSecParam`() throws {
    var trust: SecTrust?
    for wrong in [[] as NSArray, ["x"] as NSArray, [server, "x"] as NSArray, "x" as NSString, issuerKey()]
      as [AnyObject]
    {
      let status = unsafe SecTrustCreateWithCertificates(wrong, nil, &trust)
      #expect(status == errSecParam)
    }
    let status = unsafe SecTrustCreateWithCertificates(server, "x" as NSString, &trust)
    #expect(status == errSecParam)
    #expect(trust == nil)
    let right = try evaluation(server)
    #expect(SecTrustSetPolicies(right, server) == errSecParam)
    #expect(SecTrustSetAnchorCertificates(right, ["x"] as CFArray) == errSecParam)
  }

  private func issuerKey() -> AnyObject { SecCertificateCopyKey(server) ?? NSNull() }

  // MARK: -

  private func evaluation(_ certificates: Any, _ policy: SecPolicy? = nil) throws -> SecTrust {
    var trust: SecTrust?
    let status = unsafe SecTrustCreateWithCertificates(certificates as AnyObject, policy, &trust)
    #expect(status == errSecSuccess)
    return try #require(trust)
  }

  /// Returns the evaluation of a certificate with intermediates by their names, and the root as the anchor.
  private func anchored(
    _ certificate: SecCertificate, with intermediates: [String] = ["Intermediate"],
    _ policy: SecPolicy = SecPolicyCreateBasicX509()
  ) throws -> SecTrust {
    let others = try intermediates.map { try #require(SecCertificateCreateWithData(nil, issuer.der($0) as CFData)) }
    let trust = try evaluation([certificate] + others, policy)
    SecTrustSetAnchorCertificates(trust, [root] as CFArray)
    return trust
  }

  private func anchored(_ certificate: SecCertificate, _ policy: SecPolicy) throws -> SecTrust {
    try anchored(certificate, with: ["Intermediate"], policy)
  }

  /// Evaluates; returns the code of the error, nil if the certificate is trusted.
  private func failure(_ trust: SecTrust) -> OSStatus? {
    var error: CFError?
    let isTrusted = unsafe SecTrustEvaluateWithError(trust, &error)
    #expect(isTrusted == (error == nil))
    return error.map { OSStatus($0.code) }
  }

  private func result(_ trust: SecTrust) -> SecTrustResultType? {
    var result = SecTrustResultType.proceed
    let status = unsafe SecTrustGetTrustResult(trust, &result)
    return status == errSecSuccess ? result : nil
  }
}

/// A root of the package ca-certificates, and a date at which it is valid.
private struct SystemCertificate {
  let certificate: SecCertificate
  let date: Date

  init() throws {
    let bundle = try String(contentsOfFile: "/etc/ssl/certs/ca-certificates.crt", encoding: .utf8)
    let start = try #require(bundle.range(of: "-----BEGIN CERTIFICATE-----"))
    let end = try #require(bundle.range(of: "-----END CERTIFICATE-----"))
    let text = bundle[start.upperBound..<end.lowerBound]
    let der = try #require(Data(base64Encoded: String(text), options: .ignoreUnknownCharacters))
    certificate = try #require(SecCertificateCreateWithData(nil, der as CFData))
    date = try #require(SecCertificateCopyNotValidBeforeDate(certificate) as Date?).addingTimeInterval(86_400)
  }
}
