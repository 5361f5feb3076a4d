internal import CofferCrypto
internal import CofferOpenSSL
internal import CofferX509
public import Foundation

// The dictionary keys of SecImportExport.h, with Apple's values.
//
// Safe to read on any thread: the strings are immutable.

/// The passphrase, in the options.
@safe nonisolated(unsafe) public let kSecImportExportPassphrase: CFString = "passphrase"
/// A keychain of macOS, in the options. Ignored: the items are not stored.
@safe nonisolated(unsafe) public let kSecImportExportKeychain: CFString = "keychain"
/// The access of the imported keys on macOS, in the options. Ignored.
@safe nonisolated(unsafe) public let kSecImportExportAccess: CFString = "access"
/// Whether the items are not stored, in the options. Ignored: they are never stored.
@safe nonisolated(unsafe) public let kSecImportToMemoryOnly: CFString = "memory"
/// The label of an imported item.
@safe nonisolated(unsafe) public let kSecImportItemLabel: CFString = "label"
/// The key identifier of an imported item.
@safe nonisolated(unsafe) public let kSecImportItemKeyID: CFString = "keyid"
/// The trust object of an imported item.
@safe nonisolated(unsafe) public let kSecImportItemTrust: CFString = "trust"
/// The certificate chain of an imported item.
@safe nonisolated(unsafe) public let kSecImportItemCertChain: CFString = "chain"
/// The identity of an imported item.
@safe nonisolated(unsafe) public let kSecImportItemIdentity: CFString = "identity"

/// Reads the identities of a PKCS #12 file, such as those of OpenSSL, of Keychain Access and of Java's keytool.
///
/// The identities are returned and not stored, as on iOS: add them with ``SecItemAdd(_:_:)`` and `kSecValueRef`.
/// Certificates without a private key in the file, and keys without a certificate, are part of no identity; keys that
/// are neither RSA nor on a supported curve are skipped. OpenSSL 3 reads the file; it is loaded at the first call.
///
/// - Parameters:
///   - pkcs12_data: The file, at most 16 MiB. It must have an authentication code.
///   - options: `kSecImportExportPassphrase`, a string; without it, the passphrase is empty. Other options are ignored.
///   - items: Set to an array with a dictionary for each identity; unchanged if the call fails. `kSecImportItemLabel`
///     is the name that its owner gave it, or the certificate's subject summary; `kSecImportItemKeyID` the SHA-1 hash
///     of the public key; `kSecImportItemCertChain` the certificate and its issuers, as far as the file has them;
///     `kSecImportItemTrust` their evaluation by ``SecPolicyCreateBasicX509()``.
/// - Returns: `errSecSuccess`, also if the file has no identity; `errSecAuthFailed` if the passphrase is wrong or the
///   file was changed; `errSecDecode` for other bytes, and for a file whose key derivations demand more than 10,000,000
///   iterations; `errSecParam` for a passphrase that is not a string; `errSecNotAvailable` if OpenSSL 3 is not
///   installed, or its legacy provider for a file with RC2 or RC4. ``SecCopyLastErrorExplanation()`` returns the
///   details.
@discardableResult
public func SecPKCS12Import(
  _ pkcs12_data: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>?
) -> OSStatus {
  status { () throws(SecurityError) in
    let imported = try PKCS12Import(Data(referencing: pkcs12_data), options)
    unsafe items?.pointee = NSArray(array: imported.items.map(\.dictionary))
  }
}

/// The identities of a PKCS #12 file.
struct PKCS12Import {
  /// An identity, and the file's data about it.
  struct Item {
    let identity: SecIdentity
    /// The name that its owner gave it, or else the subject summary of the certificate; nil if it has neither.
    let label: String?
    /// The certificate and its issuers in the file.
    let chain: [SecCertificate]
  }

  /// One for each certificate whose private key is in the file, in the order of the certificates.
  let items: [Item]

  /// Reads a file, with the options and the errors of `SecPKCS12Import`.
  init(_ file: Data, _ options: CFDictionary) throws(SecurityError) {
    let passphrase = try Self.passphrase(options)
    do throws(OpenSSLError) {
      let contents = try PKCS12Contents(reading: Array(file), passphrase: passphrase)
      try self.init(contents)
    } catch {
      throw SecurityError(error, reading: "PKCS #12 file")
    }
    if items.isEmpty, hasUnsupportedKeys {
      throw SecurityError(errSecDecode, "the keys of the PKCS #12 file are neither RSA nor on a supported curve")
    }
  }

  private let hasUnsupportedKeys: Bool

  private init(_ contents: PKCS12Contents) throws(OpenSSLError) {
    var keys: [Data: (key: SecKey, name: String?)] = [:]
    var hasUnsupportedKeys = false
    for key in contents.keys {
      if let privateKey = PrivateKey(key.material) {
        let object = SecKey(.private(privateKey))
        if keys[object.applicationLabel] == nil { keys[object.applicationLabel] = (object, key.friendlyName) }
      } else {
        hasUnsupportedKeys = true
      }
    }
    self.hasUnsupportedKeys = hasUnsupportedKeys

    var certificates: [[UInt8]: SecCertificate] = [:]
    var identities: [(identity: SecIdentity, label: String?)] = []
    for entry in contents.certificates where certificates[entry.der] == nil {
      guard let certificate = try? SecCertificate(Data(entry.der)) else { throw .damaged }
      certificates[entry.der] = certificate
      guard let label = certificate.publicKey?.applicationLabel, let (key, name) = keys[label],
        let identity = SecIdentity(certificate: certificate, privateKey: key)
      else { continue }
      identities.append((identity, entry.friendlyName ?? name ?? certificate.fields.subjectSummary))
    }
    guard !identities.isEmpty else {
      items = []
      return
    }
    let leaves = identities.map(\.identity.certificate.fields.der)
    let chains = try CertificateChains.build(of: leaves, from: Array(certificates.keys))
    items = zip(identities, chains).map { entry, chain in
      Item(identity: entry.identity, label: entry.label, chain: chain.compactMap { certificates[$0] })
    }
  }

  /// Returns the passphrase in UTF-8; empty if there is none.
  private static func passphrase(_ options: CFDictionary) throws(SecurityError) -> SecretText {
    switch options.object(forKey: kSecImportExportPassphrase) {
    case nil: return SecretText(copying: [])
    case let text as String:
      guard text.utf8.count <= 65_536 else { throw SecurityError(errSecParam, "the passphrase is longer than 64 KiB") }
      return SecretText(copying: text.utf8)
    default: throw SecurityError(errSecParam, "kSecImportExportPassphrase is not a string")
    }
  }
}

extension PKCS12Import.Item {
  /// The dictionary that `SecPKCS12Import` returns.
  var dictionary: CFDictionary {
    let dictionary = NSMutableDictionary()
    dictionary.setObject(identity, forKey: kSecImportItemIdentity)
    dictionary.setObject(NSArray(array: chain), forKey: kSecImportItemCertChain)
    dictionary.setObject(SecTrust(chain, [SecPolicyCreateBasicX509()]), forKey: kSecImportItemTrust)
    dictionary.setObject(NSData(data: identity.privateKey.applicationLabel), forKey: kSecImportItemKeyID)
    if let label { dictionary.setObject(NSString(string: label), forKey: kSecImportItemLabel) }
    return dictionary
  }
}
