public import Foundation

// How a call is carried out: SecItem.h, with Apple's values.
//
// Strings are immutable, and each is made once: any thread may read them.

/// The items to work on.
@safe nonisolated(unsafe) public let kSecUseItemList: CFString = "u_ItemList"
/// The keychain file of macOS to add to.
@safe nonisolated(unsafe) public let kSecUseKeychain: CFString = "u_Keychain"
/// Why the app asks, for people.
@safe nonisolated(unsafe) public let kSecUseOperationPrompt: CFString = "u_OpPrompt"
/// Whether to ask nobody: a truth value.
@safe nonisolated(unsafe) public let kSecUseNoAuthenticationUI: CFString = "u_NoAuthUI"
/// Whether to ask: one of the three values below.
@safe nonisolated(unsafe) public let kSecUseAuthenticationUI: CFString = "u_AuthUI"
/// Ask where it is needed.
@safe nonisolated(unsafe) public let kSecUseAuthenticationUIAllow: CFString = "u_AuthUIA"
/// Fail where asking would be needed.
@safe nonisolated(unsafe) public let kSecUseAuthenticationUIFail: CFString = "u_AuthUIF"
/// Leave out the items for which asking would be needed.
@safe nonisolated(unsafe) public let kSecUseAuthenticationUISkip: CFString = "u_AuthUIS"
/// The `LAContext` in which to ask.
@safe nonisolated(unsafe) public let kSecUseAuthenticationContext: CFString = "u_AuthCtx"
/// Whether macOS should use the newer keychain; the only one here.
@safe nonisolated(unsafe) public let kSecUseDataProtectionKeychain: CFString = "nleg"
