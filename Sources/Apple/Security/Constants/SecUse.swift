public import Foundation

// The options of a call, from SecItem.h, with Apple's values.
//
// Safe to read on any thread: the strings are immutable.

/// The items to use: an array. Not supported; use ``kSecMatchItemList``.
@safe nonisolated(unsafe) public let kSecUseItemList: CFString = "u_ItemList"
/// The keychain file of macOS to add to. Ignored.
@safe nonisolated(unsafe) public let kSecUseKeychain: CFString = "u_Keychain"
/// The reason to show in prompts: a string.
@safe nonisolated(unsafe) public let kSecUseOperationPrompt: CFString = "u_OpPrompt"
/// Whether to fail instead of prompting the user: a Boolean.
@safe nonisolated(unsafe) public let kSecUseNoAuthenticationUI: CFString = "u_NoAuthUI"
/// Whether to prompt the user: one of the three following values.
@safe nonisolated(unsafe) public let kSecUseAuthenticationUI: CFString = "u_AuthUI"
/// Prompt the user if necessary.
@safe nonisolated(unsafe) public let kSecUseAuthenticationUIAllow: CFString = "u_AuthUIA"
/// Fail if a prompt would be necessary.
@safe nonisolated(unsafe) public let kSecUseAuthenticationUIFail: CFString = "u_AuthUIF"
/// Skip the items for which a prompt would be necessary.
@safe nonisolated(unsafe) public let kSecUseAuthenticationUISkip: CFString = "u_AuthUIS"
/// The authentication context: an `LAContext`.
@safe nonisolated(unsafe) public let kSecUseAuthenticationContext: CFString = "u_AuthCtx"
/// Whether macOS uses the data protection keychain. Ignored.
@safe nonisolated(unsafe) public let kSecUseDataProtectionKeychain: CFString = "nleg"
