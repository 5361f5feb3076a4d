public import Foundation

// The attributes of passwords and of items in general: SecItem.h, with Apple's values.
//
// Strings are immutable, and each is made once: any thread may read them.

/// When the item can be read: one of the `kSecAttrAccessible…` values.
@safe nonisolated(unsafe) public let kSecAttrAccessible: CFString = "pdmn"
/// Under which conditions the item can be read: a `SecAccessControl`.
@safe nonisolated(unsafe) public let kSecAttrAccessControl: CFString = "accc"
/// The access object of the file-based keychain of macOS; nothing reads it here.
@safe nonisolated(unsafe) public let kSecAttrAccess: CFString = "acls"
/// The access group, a string.
@safe nonisolated(unsafe) public let kSecAttrAccessGroup: CFString = "agrp"
/// The access group of items on external tokens.
@safe nonisolated(unsafe) public let kSecAttrAccessGroupToken: CFString = "com.apple.token"
/// Whether the item is marked for synchronisation: a truth value.
@safe nonisolated(unsafe) public let kSecAttrSynchronizable: CFString = "sync"
/// In a search: marked for synchronisation or not.
@safe nonisolated(unsafe) public let kSecAttrSynchronizableAny: CFString = "syna"
/// When the item was made; set by the keychain.
@safe nonisolated(unsafe) public let kSecAttrCreationDate: CFString = "cdat"
/// When the item was last changed; set by the keychain.
@safe nonisolated(unsafe) public let kSecAttrModificationDate: CFString = "mdat"
/// What kind of item it is, for people.
@safe nonisolated(unsafe) public let kSecAttrDescription: CFString = "desc"
/// A comment, for people.
@safe nonisolated(unsafe) public let kSecAttrComment: CFString = "icmt"
/// Four characters in a number that name who made it.
@safe nonisolated(unsafe) public let kSecAttrCreator: CFString = "crtr"
/// Four characters in a number that name the kind.
@safe nonisolated(unsafe) public let kSecAttrType: CFString = "type"
/// A name, for people.
@safe nonisolated(unsafe) public let kSecAttrLabel: CFString = "labl"
/// Whether lists should leave it out: a truth value.
@safe nonisolated(unsafe) public let kSecAttrIsInvisible: CFString = "invi"
/// Whether it says that there is no password: a truth value.
@safe nonisolated(unsafe) public let kSecAttrIsNegative: CFString = "nega"
/// Whose password it is.
@safe nonisolated(unsafe) public let kSecAttrAccount: CFString = "acct"
/// What the password is for.
@safe nonisolated(unsafe) public let kSecAttrService: CFString = "svce"
/// Any bytes that the app keeps with the item.
@safe nonisolated(unsafe) public let kSecAttrGeneric: CFString = "gena"
/// The security domain at the server.
@safe nonisolated(unsafe) public let kSecAttrSecurityDomain: CFString = "sdmn"
/// The server's name or address.
@safe nonisolated(unsafe) public let kSecAttrServer: CFString = "srvr"
/// The protocol: one of the `kSecAttrProtocol…` values.
@safe nonisolated(unsafe) public let kSecAttrProtocol: CFString = "ptcl"
/// The scheme: one of the `kSecAttrAuthenticationType…` values.
@safe nonisolated(unsafe) public let kSecAttrAuthenticationType: CFString = "atyp"
/// The port, a number.
@safe nonisolated(unsafe) public let kSecAttrPort: CFString = "port"
/// The path, usually of a URL.
@safe nonisolated(unsafe) public let kSecAttrPath: CFString = "path"
/// The view of Apple's synchronisation that the item belongs to.
@safe nonisolated(unsafe) public let kSecAttrSyncViewHint: CFString = "vwht"
/// The token that holds the item.
@safe nonisolated(unsafe) public let kSecAttrTokenID: CFString = "tkid"
/// The Secure Enclave, which Linux does not have.
@safe nonisolated(unsafe) public let kSecAttrTokenIDSecureEnclave: CFString = "com.apple.setoken"
/// The item's persistent reference, under Apple's misspelt name.
@safe nonisolated(unsafe) public let kSecAttrPersistantReference: CFString = "persistref"
/// The item's persistent reference.
@safe nonisolated(unsafe) public let kSecAttrPersistentReference: CFString = "persistref"
