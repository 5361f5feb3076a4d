public import Foundation

// What narrows a search: SecItem.h, with Apple's values.
//
// Strings are immutable, and each is made once: any thread may read them.

/// A policy that certificates must fulfil.
@safe nonisolated(unsafe) public let kSecMatchPolicy: CFString = "m_Policy"
/// The items to search among.
@safe nonisolated(unsafe) public let kSecMatchItemList: CFString = "m_ItemList"
/// The keychain files of macOS to search.
@safe nonisolated(unsafe) public let kSecMatchSearchList: CFString = "m_SearchList"
/// Issuers of which one is in the certificate's chain.
@safe nonisolated(unsafe) public let kSecMatchIssuers: CFString = "m_Issuers"
/// The address that a certificate must have, if it has any.
@safe nonisolated(unsafe) public let kSecMatchEmailAddressIfPresent: CFString = "m_EmailAddressIfPresent"
/// A part of a certificate's subject.
@safe nonisolated(unsafe) public let kSecMatchSubjectContains: CFString = "m_SubjectContains"
/// The beginning of a certificate's subject.
@safe nonisolated(unsafe) public let kSecMatchSubjectStartsWith: CFString = "m_SubjectStartsWith"
/// The end of a certificate's subject.
@safe nonisolated(unsafe) public let kSecMatchSubjectEndsWith: CFString = "m_SubjectEndsWith"
/// A certificate's whole subject.
@safe nonisolated(unsafe) public let kSecMatchSubjectWholeString: CFString = "m_SubjectWholeString"
/// Whether upper and lower case are the same: a truth value.
@safe nonisolated(unsafe) public let kSecMatchCaseInsensitive: CFString = "m_CaseInsensitive"
/// Whether diacritics do not count: a truth value.
@safe nonisolated(unsafe) public let kSecMatchDiacriticInsensitive: CFString = "m_DiacriticInsensitive"
/// Whether the width of characters does not count: a truth value.
@safe nonisolated(unsafe) public let kSecMatchWidthInsensitive: CFString = "m_WidthInsensitive"
/// Whether certificates must lead to a trusted one: a truth value.
@safe nonisolated(unsafe) public let kSecMatchTrustedOnly: CFString = "m_TrustedOnly"
/// The day on which certificates must be valid.
@safe nonisolated(unsafe) public let kSecMatchValidOnDate: CFString = "m_ValidOnDate"
/// The host whose own and whose subdomains' passwords to find.
@safe nonisolated(unsafe) public let kSecMatchHostOrSubdomainOfHost: CFString = "m_HostOrSubdomainOfHost"
/// How many items to return: a number or one of the two values below.
@safe nonisolated(unsafe) public let kSecMatchLimit: CFString = "m_Limit"
/// One item.
@safe nonisolated(unsafe) public let kSecMatchLimitOne: CFString = "m_LimitOne"
/// All items.
@safe nonisolated(unsafe) public let kSecMatchLimitAll: CFString = "m_LimitAll"
