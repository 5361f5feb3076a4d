public import Foundation

// The dictionary keys of SecImportExport.h, with Apple's values.
//
// Safe to read on any thread: the strings are immutable.

/// The passphrase, in the options.
@safe nonisolated(unsafe) public let kSecImportExportPassphrase: CFString = "passphrase"
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

/// Not supported: always returns `errSecUnimplemented`.
///
/// None of this package's dependencies reads PKCS #12, and the package does not implement cryptography itself. Convert
/// the file with OpenSSL (`openssl pkcs12 -nodes`), then import the key and the certificate with
/// ``SecKeyCreateWithData(_:_:_:)`` and ``SecCertificateCreateWithData(_:_:)``.
@discardableResult
public func SecPKCS12Import(
  _ data: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>?
) -> OSStatus { errSecUnimplemented }
