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
/// Certificates without a private key in the file, and keys without a certificate, are part of no identity; keys that are
/// neither RSA nor on a supported curve are skipped. OpenSSL 3 reads the file; it is loaded at the first call.
///
/// - Parameters:
///   - pkcs12_data: The file, at most 16 MiB. It must have an authentication code.
///   - options: `kSecImportExportPassphrase`, a string; without it, the passphrase is empty. Other options are ignored.
///   - items: Set to an array with a dictionary for each identity; unchanged if the call fails. `kSecImportItemLabel` is
///     the name that its owner gave it, or the certificate's subject summary; `kSecImportItemKeyID` the SHA-1 hash of the
///     public key; `kSecImportItemCertChain` the certificate and its issuers, as far as the file has them;
///     `kSecImportItemTrust` their evaluation by ``SecPolicyCreateBasicX509()``.
/// - Returns: `errSecSuccess`, also if the file has no identity; `errSecAuthFailed` if the passphrase is wrong or the file
///   was changed; `errSecDecode` for other bytes, and for a file whose key derivations demand more than 10,000,000
///   iterations; `errSecParam` for a passphrase that is not a string; `errSecNotAvailable` if OpenSSL 3 is not installed,
///   or its legacy provider for a file with RC2 or RC4. ``SecCopyLastErrorExplanation()`` returns the details.
@discardableResult
public func SecPKCS12Import(
  _ pkcs12_data: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>?
) -> OSStatus {
  status { () throws(SecurityError) in
    let imported = try PKCS12Import(Data(referencing: pkcs12_data), options)
    unsafe items?.pointee = NSArray(array: imported.items.map(\.dictionary))
  }
}
