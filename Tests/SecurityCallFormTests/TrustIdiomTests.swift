// swift-format-ignore-file: NeverForceUnwrap
// Existing code forces casts and optionals, and is copied here unchanged.

import CofferTestSupport
import Security
import Testing

/// Imports and evaluations as articles and libraries write them.
@Suite struct TrustIdiomTests {
  private static func vector(_ name: String) throws -> Data {
    let file = DocumentationPage.root.appending(path: "Tests/SecurityTests/Vectors/PKCS12/\(name).p12")
    return try Data(contentsOf: file)
  }

  /// As in articles about client certificates.
  struct IdentityAndTrust {
    var identityRef: SecIdentity
    var trust: SecTrust
    var certArray: AnyObject
  }

  private func extractIdentity(certData: NSData, certPassword: String) -> IdentityAndTrust? {
    var identityAndTrust: IdentityAndTrust?
    var securityError: OSStatus = errSecSuccess
    var items: CFArray?
    let certOptions: Dictionary = [kSecImportExportPassphrase as String: certPassword]
    securityError = SecPKCS12Import(certData, certOptions as CFDictionary, &items)
    if securityError == errSecSuccess {
      let certItems: CFArray = items!
      let certItemsArray: Array = certItems as Array
      let dict: AnyObject? = certItemsArray.first
      if let certEntry: Dictionary = dict as? [String: AnyObject] {
        let identityPointer: AnyObject? = certEntry["identity"]
        let secIdentityRef: SecIdentity = identityPointer as! SecIdentity
        let trustPointer: AnyObject? = certEntry["trust"]
        let trustRef: SecTrust = trustPointer as! SecTrust
        let chainPointer: AnyObject? = certEntry["chain"]
        identityAndTrust = IdentityAndTrust(
          identityRef: secIdentityRef, trust: trustRef, certArray: chainPointer!)
      }
    }
    return identityAndTrust
  }

  @Test func `An identity is extracted as articles about client certificates show it`() throws {
    let data = try Self.vector("keychain-access") as NSData
    let found = try #require(extractIdentity(certData: data, certPassword: "sesame"))
    #expect((found.certArray as? [SecCertificate])?.count == 1)
    #expect(SecTrustGetCertificateCount(found.trust) == 1)
    #expect(extractIdentity(certData: data, certPassword: "wrong") == nil)
  }

  @Test func `The items of an import are read with Core Foundation's functions`() throws {
    var rawItems: CFArray?
    let options = NSDictionary(object: "sesame", forKey: kSecImportExportPassphrase as NSString)
    guard SecPKCS12Import(try Self.vector("java") as CFData, options, &rawItems) == errSecSuccess else {
      Issue.record("not imported")
      return
    }
    #expect(CFArrayGetCount(rawItems) == 2)
    let items = rawItems! as! [[String: Any]]
    let identity = items[0][kSecImportItemIdentity as String] as! SecIdentity?
    #expect(identity != nil)
    let first = unsafeBitCast(CFArrayGetValueAtIndex(rawItems, 0), to: CFDictionary.self)
    #expect((first as NSDictionary)[kSecImportItemLabel as String] as? String == "elliptic")
  }

  /// As network libraries pin certificates.
  private func evaluate(_ trust: SecTrust, forHost host: String, pinned: [SecCertificate]) throws {
    let policy = SecPolicyCreateSSL(true, host as CFString)
    var status = SecTrustSetPolicies(trust, policy)
    guard status == errSecSuccess else {
      throw NSError(domain: NSOSStatusErrorDomain, code: Int(status), userInfo: nil)
    }
    status = SecTrustSetAnchorCertificates(trust, pinned as CFArray)
    guard status == errSecSuccess else {
      throw NSError(domain: NSOSStatusErrorDomain, code: Int(status), userInfo: nil)
    }
    SecTrustSetAnchorCertificatesOnly(trust, true)
    SecTrustSetVerifyDate(trust, Date(timeIntervalSince1970: 1_800_000_000) as NSDate)
    var error: CFError?
    let evaluationSucceeded = SecTrustEvaluateWithError(trust, &error)
    if !evaluationSucceeded { throw error! as Error }
  }

  @Test func `A server is evaluated as network libraries do`() throws {
    var items: CFArray?
    SecPKCS12Import(
      try Self.vector("java-imported") as CFData, [kSecImportExportPassphrase: "sesame"] as CFDictionary, &items)
    let chain = (items as? [[String: Any]])?.first?[kSecImportItemCertChain as String] as! [SecCertificate]

    var optionalTrust: SecTrust?
    let status = SecTrustCreateWithCertificates(chain as AnyObject, SecPolicyCreateBasicX509(), &optionalTrust)
    guard status == errSecSuccess, let trust = optionalTrust else {
      Issue.record("no evaluation")
      return
    }
    try evaluate(trust, forHost: "server.example.com", pinned: [chain[1]])
    do {
      try evaluate(trust, forHost: "other.example.com", pinned: [chain[1]])
      Issue.record("trusted for another host")
    } catch let error as NSError {
      #expect(error.domain == NSOSStatusErrorDomain)
      #expect(error.code == Int(errSecHostNameMismatch))
      #expect((CFErrorCopyDescription(error as CFError) as String).contains("server.example.com"))
    }

    // The form before iOS 12.
    var result = SecTrustResultType.invalid
    #expect(SecTrustEvaluate(trust, &result) == errSecSuccess)
    let isTrusted = result == .unspecified || result == .proceed
    #expect(!isTrusted && result == SecTrustResultType.recoverableTrustFailure)
    let certificates = (0..<SecTrustGetCertificateCount(trust)).compactMap { SecTrustGetCertificateAtIndex(trust, $0) }
    #expect(certificates == SecTrustCopyCertificateChain(trust) as? [SecCertificate])
    let keys = certificates.compactMap { SecCertificateCopyKey($0) }
    #expect(keys.first == SecTrustCopyKey(trust))
  }
}
