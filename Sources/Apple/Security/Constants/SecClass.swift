public import Foundation

// The item classes, from SecItem.h, with Apple's values.
//
// Safe to read on any thread: the strings are immutable.

/// The class of the item: one of the `kSecClass…` values.
@safe nonisolated(unsafe) public let kSecClass: CFString = "class"
/// A generic password.
@safe nonisolated(unsafe) public let kSecClassGenericPassword: CFString = "genp"
/// An internet password.
@safe nonisolated(unsafe) public let kSecClassInternetPassword: CFString = "inet"
/// A certificate.
@safe nonisolated(unsafe) public let kSecClassCertificate: CFString = "cert"
/// A cryptographic key.
@safe nonisolated(unsafe) public let kSecClassKey: CFString = "keys"
/// A private key together with its certificate.
@safe nonisolated(unsafe) public let kSecClassIdentity: CFString = "idnt"
