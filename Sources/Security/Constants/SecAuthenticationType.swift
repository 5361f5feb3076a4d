public import Foundation

// The authentication schemes of internet passwords: SecItem.h, with Apple's values.
//
// Strings are immutable, and each is made once: any thread may read them.

/// Windows NT LAN Manager.
@safe nonisolated(unsafe) public let kSecAttrAuthenticationTypeNTLM: CFString = "ntlm"
/// Microsoft Network.
@safe nonisolated(unsafe) public let kSecAttrAuthenticationTypeMSN: CFString = "msna"
/// Distributed Password.
@safe nonisolated(unsafe) public let kSecAttrAuthenticationTypeDPA: CFString = "dpaa"
/// Remote Password.
@safe nonisolated(unsafe) public let kSecAttrAuthenticationTypeRPA: CFString = "rpaa"
/// HTTP's Basic.
@safe nonisolated(unsafe) public let kSecAttrAuthenticationTypeHTTPBasic: CFString = "http"
/// HTTP's Digest.
@safe nonisolated(unsafe) public let kSecAttrAuthenticationTypeHTTPDigest: CFString = "httd"
/// A form on a web page.
@safe nonisolated(unsafe) public let kSecAttrAuthenticationTypeHTMLForm: CFString = "form"
/// Whatever is usual.
@safe nonisolated(unsafe) public let kSecAttrAuthenticationTypeDefault: CFString = "dflt"
