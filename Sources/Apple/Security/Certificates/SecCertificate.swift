internal import CofferX509
public import Foundation

/// An X.509 certificate. Its signature and its validity are not verified.
public final class SecCertificate: NSObject, Sendable {
  let fields: X509Certificate

  /// Reads a certificate in DER, at most 64 KiB and without trailing bytes. Throws `errSecDecode`.
  init(_ data: Data) throws(SecurityError) {
    do {
      fields = try X509Certificate(der: Array(data))
    } catch {
      throw SecurityError(errSecDecode, error.description)
    }
  }

  var data: Data { Data(fields.der) }

  /// The public key; nil if it is neither RSA nor on a supported curve.
  var publicKey: SecKey? {
    let type: KeyType? =
      switch fields.keyKind {
      case .rsa: .rsa
      case .ec: .ellipticCurve
      case .other: nil
      }
    guard let type, let key = try? PublicKey(Data(fields.subjectPublicKeyInfo.keyBits), type: type) else { return nil }
    return SecKey(.public(key))
  }

  /// Returns whether both certificates have the same bytes.
  public override func isEqual(_ object: Any?) -> Bool { (object as? SecCertificate)?.fields.der == fields.der }

  /// A hash code of the bytes.
  public override var hash: Int { fields.der.hashValue }

  /// A description with the subject summary.
  public override var description: String { "<SecCertificate: \(fields.subjectSummary ?? "no name")>" }
}

/// Returns the type identifier of ``SecCertificate``.
@discardableResult
public func SecCertificateGetTypeID() -> CFTypeID { CFClass.certificate.rawValue }

/// Creates a certificate from DER; nil if the data is not a certificate or has more than 64 KiB.
@discardableResult
public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? {
  try? SecCertificate(Data(referencing: data))
}

/// Returns the certificate in DER.
@discardableResult
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { NSData(data: certificate.data) }

/// Returns a short name of the subject: the common name or, if it has none, a similar attribute; nil if there is none.
@discardableResult
public func SecCertificateCopySubjectSummary(_ certificate: SecCertificate) -> CFString? {
  certificate.fields.subjectSummary.map { NSString(string: $0) }
}

/// Copies the common name of the subject.
///
/// - Parameters:
///   - certificate: The certificate.
///   - commonName: Set to the common name; nil if the subject has none.
/// - Returns: `errSecSuccess`; `errSecNoFieldValues` if the subject has no common name.
@discardableResult
public func SecCertificateCopyCommonName(
  _ certificate: SecCertificate, _ commonName: UnsafeMutablePointer<CFString?>
) -> OSStatus {
  unsafe commonName.pointee = certificate.fields.commonName.map { NSString(string: $0) }
  return unsafe commonName.pointee == nil ? errSecNoFieldValues : errSecSuccess
}

/// Copies the email addresses of the subject, then those of its alternative names, unmodified.
///
/// - Parameters:
///   - certificate: The certificate.
///   - emailAddresses: Set to the addresses; an empty array if there are none.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecCertificateCopyEmailAddresses(
  _ certificate: SecCertificate, _ emailAddresses: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
  unsafe emailAddresses.pointee = NSArray(array: certificate.fields.emailAddresses)
  return errSecSuccess
}

/// Returns the name of the issuer, normalised so that equal names have equal bytes: a SEQUENCE in DER.
@discardableResult
public func SecCertificateCopyNormalizedIssuerSequence(_ certificate: SecCertificate) -> CFData? {
  NSData(data: Data(certificate.fields.normalizedIssuerSequence))
}

/// Returns the name of the subject, normalised so that equal names have equal bytes: a SEQUENCE in DER.
@discardableResult
public func SecCertificateCopyNormalizedSubjectSequence(_ certificate: SecCertificate) -> CFData? {
  NSData(data: Data(certificate.fields.normalizedSubjectSequence))
}

/// Returns the serial number: the content of its INTEGER, unmodified.
///
/// - Parameters:
///   - certificate: The certificate.
///   - error: Never set.
/// - Returns: The bytes of the serial number.
@discardableResult
public func SecCertificateCopySerialNumberData(
  _ certificate: SecCertificate, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? { NSData(data: Data(certificate.fields.serialNumber)) }

/// Returns the public key; nil if it is neither RSA nor on a supported curve.
@discardableResult
public func SecCertificateCopyKey(_ certificate: SecCertificate) -> SecKey? { certificate.publicKey }

/// Returns the date from which the certificate is valid.
@discardableResult
public func SecCertificateCopyNotValidBeforeDate(_ certificate: SecCertificate) -> CFDate? {
  NSDate(timeIntervalSinceReferenceDate: certificate.fields.notBefore.timeIntervalSinceReferenceDate)
}

/// Returns the date until which the certificate is valid.
@discardableResult
public func SecCertificateCopyNotValidAfterDate(_ certificate: SecCertificate) -> CFDate? {
  NSDate(timeIntervalSinceReferenceDate: certificate.fields.notAfter.timeIntervalSinceReferenceDate)
}

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
/// - Returns: The identity; nil if the key is not the private key of the certificate, which Apple's implementation does
///   not check.
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
