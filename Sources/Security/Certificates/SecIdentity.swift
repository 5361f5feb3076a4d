public import Foundation

/// A private key together with the certificate of its public key.
public final class SecIdentity: NSObject, Sendable {
  let certificate: SecCertificate
  let privateKey: SecKey

  /// Joins the two; nil where the certificate is another key's.
  package init?(certificate: SecCertificate, privateKey: SecKey) {
    guard privateKey.keyClass == .private, let publicKey = certificate.publicKey,
      publicKey.applicationLabel == privateKey.applicationLabel
    else { return nil }
    self.certificate = certificate
    self.privateKey = privateKey
  }

  /// True for the same certificate.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? SecIdentity).map { $0.certificate == certificate } ?? false
  }

  /// A hash of the certificate.
  public override var hash: Int { certificate.hash }

  /// The certificate's description; nothing of the private key.
  public override var description: String { "<SecIdentity: \(certificate)>" }
}

/// The number of the class of identities.
@discardableResult
public func SecIdentityGetTypeID() -> CFTypeID { CFClass.identity.rawValue }

/// Hands out the identity's certificate; always `errSecSuccess`.
@discardableResult
public func SecIdentityCopyCertificate(
  _ identity: SecIdentity, _ certificate: UnsafeMutablePointer<SecCertificate?>
) -> OSStatus {
  unsafe certificate.pointee = identity.certificate
  return errSecSuccess
}

/// Hands out the identity's private key; always `errSecSuccess`.
@discardableResult
public func SecIdentityCopyPrivateKey(
  _ identity: SecIdentity, _ privateKey: UnsafeMutablePointer<SecKey?>
) -> OSStatus {
  unsafe privateKey.pointee = identity.privateKey
  return errSecSuccess
}
