internal import CofferX509
public import Foundation

/// An X.509 certificate. It is read and not verified: that there is one says nothing about its truth.
public final class SecCertificate: NSObject, Sendable {
  let fields: X509Certificate

  /// Reads DER, all of it and at most 64 KiB.
  init(_ data: Data) throws(SecurityError) {
    do {
      fields = try X509Certificate(der: Array(data))
    } catch {
      throw SecurityError(errSecDecode, error.description)
    }
  }

  /// The certificate in DER.
  var data: Data { Data(fields.der) }

  /// The public key; nil where it is of a kind that this module does not have.
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

  /// True for the same bytes.
  public override func isEqual(_ object: Any?) -> Bool { (object as? SecCertificate)?.fields.der == fields.der }

  /// A hash of the bytes.
  public override var hash: Int { fields.der.hashValue }

  /// The subject in a few words.
  public override var description: String { "<SecCertificate: \(fields.subjectSummary ?? "no name")>" }
}

/// The number of the class of certificates.
@discardableResult
public func SecCertificateGetTypeID() -> CFTypeID { CFClass.certificate.rawValue }

/// Reads a certificate in DER; nil where the data is none, or has more than 64 KiB.
@discardableResult
public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? {
  try? SecCertificate(Data(referencing: data))
}

/// The certificate in DER.
@discardableResult
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { NSData(data: certificate.data) }

/// The subject in a few words, for people: the common name or what comes nearest; nil where there is nothing.
@discardableResult
public func SecCertificateCopySubjectSummary(_ certificate: SecCertificate) -> CFString? {
  certificate.fields.subjectSummary.map { NSString(string: $0) }
}

/// Hands out the subject's common name.
///
/// - Returns: `errSecSuccess`; `errSecNoFieldValues`, and nil is handed out, where the subject has none.
@discardableResult
public func SecCertificateCopyCommonName(
  _ certificate: SecCertificate, _ commonName: UnsafeMutablePointer<CFString?>
) -> OSStatus {
  unsafe commonName.pointee = certificate.fields.commonName.map { NSString(string: $0) }
  return unsafe commonName.pointee == nil ? errSecNoFieldValues : errSecSuccess
}

/// Hands out the addresses of the subject and of its alternative names, in this order, as they stand there; always `errSecSuccess`.
@discardableResult
public func SecCertificateCopyEmailAddresses(
  _ certificate: SecCertificate, _ emailAddresses: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
  unsafe emailAddresses.pointee = NSArray(array: certificate.fields.emailAddresses)
  return errSecSuccess
}

/// The issuer's name, normalised so that equal names have equal bytes: a SEQUENCE in DER.
@discardableResult
public func SecCertificateCopyNormalizedIssuerSequence(_ certificate: SecCertificate) -> CFData? {
  NSData(data: Data(certificate.fields.normalizedIssuerSequence))
}

/// The subject's name, normalised so that equal names have equal bytes: a SEQUENCE in DER.
@discardableResult
public func SecCertificateCopyNormalizedSubjectSequence(_ certificate: SecCertificate) -> CFData? {
  NSData(data: Data(certificate.fields.normalizedSubjectSequence))
}

/// The serial number: the content of its INTEGER, as it stands in the certificate.
///
/// - Parameter error: Nothing is left there.
@discardableResult
public func SecCertificateCopySerialNumberData(
  _ certificate: SecCertificate, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? { NSData(data: Data(certificate.fields.serialNumber)) }

/// The public key; nil where it is of a kind that this module does not have.
@discardableResult
public func SecCertificateCopyKey(_ certificate: SecCertificate) -> SecKey? { certificate.publicKey }

/// From when on the certificate is valid.
@discardableResult
public func SecCertificateCopyNotValidBeforeDate(_ certificate: SecCertificate) -> CFDate? {
  NSDate(timeIntervalSinceReferenceDate: certificate.fields.notBefore.timeIntervalSinceReferenceDate)
}

/// Until when the certificate is valid.
@discardableResult
public func SecCertificateCopyNotValidAfterDate(_ certificate: SecCertificate) -> CFDate? {
  NSDate(timeIntervalSinceReferenceDate: certificate.fields.notAfter.timeIntervalSinceReferenceDate)
}
