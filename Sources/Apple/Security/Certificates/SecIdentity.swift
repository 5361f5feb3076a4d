public import Foundation

/// A private key together with the certificate of its public key.
public final class SecIdentity: NSObject, Sendable {
  let certificate: SecCertificate
  let privateKey: SecKey

  /// Creates an identity; nil if the certificate has a different public key.
  package init?(certificate: SecCertificate, privateKey: SecKey) {
    guard privateKey.keyClass == .private, let publicKey = certificate.publicKey,
      publicKey.applicationLabel == privateKey.applicationLabel
    else { return nil }
    self.certificate = certificate
    self.privateKey = privateKey
  }

  /// Returns whether both identities have the same certificate.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? SecIdentity).map { $0.certificate == certificate } ?? false
  }

  /// The hash code of the certificate.
  public override var hash: Int { certificate.hash }

  /// The description of the certificate. Reveals nothing about the private key.
  public override var description: String { "<SecIdentity: \(certificate)>" }
}

/// Returns the type identifier of ``SecIdentity``.
@discardableResult
public func SecIdentityGetTypeID() -> CFTypeID { CFClass.identity.rawValue }

/// Creates an identity of a certificate and its private key, without a keychain.
///
/// - Parameters:
///   - allocator: Ignored.
///   - certificate: The certificate.
///   - privateKey: The private key.
/// - Returns: The identity; nil if the key is not the private key of the certificate, which Apple's implementation does not
///   check.
@discardableResult
public func SecIdentityCreate(
  _ allocator: CFAllocator?, _ certificate: SecCertificate, _ privateKey: SecKey
) -> SecIdentity? {
  SecIdentity(certificate: certificate, privateKey: privateKey)
}

/// Copies the certificate of an identity.
///
/// - Parameters:
///   - identity: The identity.
///   - certificate: Set to the certificate.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecIdentityCopyCertificate(
  _ identity: SecIdentity, _ certificate: UnsafeMutablePointer<SecCertificate?>
) -> OSStatus {
  unsafe certificate.pointee = identity.certificate
  return errSecSuccess
}

/// Copies the private key of an identity.
///
/// - Parameters:
///   - identity: The identity.
///   - privateKey: Set to the private key.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecIdentityCopyPrivateKey(
  _ identity: SecIdentity, _ privateKey: UnsafeMutablePointer<SecKey?>
) -> OSStatus {
  unsafe privateKey.pointee = identity.privateKey
  return errSecSuccess
}
