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

// The search conditions, from SecItem.h, with Apple's values.
//
// Safe to read on any thread: the strings are immutable.

/// A policy that the certificates satisfy. Not supported.
@safe nonisolated(unsafe) public let kSecMatchPolicy: CFString = "m_Policy"
/// The items to search: an array.
@safe nonisolated(unsafe) public let kSecMatchItemList: CFString = "m_ItemList"
/// The keychain files of macOS to search. Ignored.
@safe nonisolated(unsafe) public let kSecMatchSearchList: CFString = "m_SearchList"
/// Issuer names, one of which is in the chain of the certificate: an array.
@safe nonisolated(unsafe) public let kSecMatchIssuers: CFString = "m_Issuers"
/// An email address that the certificate contains, if it contains any.
@safe nonisolated(unsafe) public let kSecMatchEmailAddressIfPresent: CFString = "m_EmailAddressIfPresent"
/// A string that the subject of the certificate contains.
@safe nonisolated(unsafe) public let kSecMatchSubjectContains: CFString = "m_SubjectContains"
/// A string with which the subject of the certificate starts.
@safe nonisolated(unsafe) public let kSecMatchSubjectStartsWith: CFString = "m_SubjectStartsWith"
/// A string with which the subject of the certificate ends.
@safe nonisolated(unsafe) public let kSecMatchSubjectEndsWith: CFString = "m_SubjectEndsWith"
/// The complete subject of the certificate.
@safe nonisolated(unsafe) public let kSecMatchSubjectWholeString: CFString = "m_SubjectWholeString"
/// Whether the comparison of the subject ignores case: a Boolean.
@safe nonisolated(unsafe) public let kSecMatchCaseInsensitive: CFString = "m_CaseInsensitive"
/// Whether the comparison of the subject ignores diacritics: a Boolean.
@safe nonisolated(unsafe) public let kSecMatchDiacriticInsensitive: CFString = "m_DiacriticInsensitive"
/// Whether the comparison of the subject ignores the width of characters: a Boolean.
@safe nonisolated(unsafe) public let kSecMatchWidthInsensitive: CFString = "m_WidthInsensitive"
/// Whether the certificates must be trusted: a Boolean. True is not supported.
@safe nonisolated(unsafe) public let kSecMatchTrustedOnly: CFString = "m_TrustedOnly"
/// A date on which the certificates are valid; `NSNull` for now.
@safe nonisolated(unsafe) public let kSecMatchValidOnDate: CFString = "m_ValidOnDate"
/// A host name that the server of an internet password is equal to or a subdomain of.
@safe nonisolated(unsafe) public let kSecMatchHostOrSubdomainOfHost: CFString = "m_HostOrSubdomainOfHost"
/// The maximum number of results: a number, of which 0 finds nothing and a negative one stands for all, or one of the
/// two following values.
@safe nonisolated(unsafe) public let kSecMatchLimit: CFString = "m_Limit"
/// At most one result.
@safe nonisolated(unsafe) public let kSecMatchLimitOne: CFString = "m_LimitOne"
/// All results.
@safe nonisolated(unsafe) public let kSecMatchLimitAll: CFString = "m_LimitAll"

// The kinds of results and the values of items, from SecItem.h, with Apple's values.
//
// Safe to read on any thread: the strings are immutable.

/// Whether to return the value, as data: a Boolean.
@safe nonisolated(unsafe) public let kSecReturnData: CFString = "r_Data"
/// Whether to return the attributes, as a dictionary: a Boolean.
@safe nonisolated(unsafe) public let kSecReturnAttributes: CFString = "r_Attributes"
/// Whether to return the key, certificate or identity: a Boolean.
@safe nonisolated(unsafe) public let kSecReturnRef: CFString = "r_Ref"
/// Whether to return the persistent reference, as data: a Boolean.
@safe nonisolated(unsafe) public let kSecReturnPersistentRef: CFString = "r_PersistentRef"
/// The value of the item: data.
@safe nonisolated(unsafe) public let kSecValueData: CFString = "v_Data"
/// The item as an object: a ``SecKey``, ``SecCertificate`` or ``SecIdentity``.
@safe nonisolated(unsafe) public let kSecValueRef: CFString = "v_Ref"
/// The persistent reference of the item: data.
@safe nonisolated(unsafe) public let kSecValuePersistentRef: CFString = "v_PersistentRef"

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
