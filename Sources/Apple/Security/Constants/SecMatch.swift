public import Foundation

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
