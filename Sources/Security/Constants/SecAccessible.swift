public import Foundation

// When an item can be read: SecItem.h, with Apple's values.
//
// Strings are immutable, and each is made once: any thread may read them.

/// While the keychain is unlocked.
@safe nonisolated(unsafe) public let kSecAttrAccessibleWhenUnlocked: CFString = "ak"
/// Once the keychain has been unlocked since the start.
@safe nonisolated(unsafe) public let kSecAttrAccessibleAfterFirstUnlock: CFString = "ck"
/// Always.
@safe nonisolated(unsafe) public let kSecAttrAccessibleAlways: CFString = "dk"
/// While unlocked and under a passphrase, on this machine only.
@safe nonisolated(unsafe) public let kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly: CFString = "akpu"
/// While the keychain is unlocked, on this machine only.
@safe nonisolated(unsafe) public let kSecAttrAccessibleWhenUnlockedThisDeviceOnly: CFString = "aku"
/// Once unlocked since the start, on this machine only.
@safe nonisolated(unsafe) public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = "cku"
/// Always, on this machine only.
@safe nonisolated(unsafe) public let kSecAttrAccessibleAlwaysThisDeviceOnly: CFString = "dku"
