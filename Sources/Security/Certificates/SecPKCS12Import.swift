public import Foundation

// The keys of SecImportExport.h, with Apple's values.
//
// Strings are immutable, and each is made once: any thread may read them.

/// The key of the passphrase, in the options.
@safe nonisolated(unsafe) public let kSecImportExportPassphrase: CFString = "passphrase"
/// The key of an item's name, in what was imported.
@safe nonisolated(unsafe) public let kSecImportItemLabel: CFString = "label"
/// The key of an item's key identifier, in what was imported.
@safe nonisolated(unsafe) public let kSecImportItemKeyID: CFString = "keyid"
/// The key of an item's trust, in what was imported.
@safe nonisolated(unsafe) public let kSecImportItemTrust: CFString = "trust"
/// The key of an item's certificates, in what was imported.
@safe nonisolated(unsafe) public let kSecImportItemCertChain: CFString = "chain"
/// The key of an item's identity, in what was imported.
@safe nonisolated(unsafe) public let kSecImportItemIdentity: CFString = "identity"

/// Would read a PKCS #12 file; always `errSecUnimplemented`.
///
/// No library that this package depends on opens PKCS #12, and its encryption is not written here by hand. Convert the
/// file with OpenSSL (`openssl pkcs12 -nodes`), and import key and certificate with ``SecKeyCreateWithData(_:_:_:)``
/// and `SecCertificateCreateWithData`.
@discardableResult
public func SecPKCS12Import(
  _ data: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>?
) -> OSStatus { errSecUnimplemented }
