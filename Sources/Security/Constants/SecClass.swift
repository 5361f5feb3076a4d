public import Foundation

// The classes of items: SecItem.h, with Apple's values.
//
// Strings are immutable, and each is made once: any thread may read them.

/// The key of an item's class.
@safe nonisolated(unsafe) public let kSecClass: CFString = "class"
/// A password for anything.
@safe nonisolated(unsafe) public let kSecClassGenericPassword: CFString = "genp"
/// A password for a server.
@safe nonisolated(unsafe) public let kSecClassInternetPassword: CFString = "inet"
/// A certificate.
@safe nonisolated(unsafe) public let kSecClassCertificate: CFString = "cert"
/// A cryptographic key.
@safe nonisolated(unsafe) public let kSecClassKey: CFString = "keys"
/// A private key together with its certificate.
@safe nonisolated(unsafe) public let kSecClassIdentity: CFString = "idnt"
