public import Foundation

// The attributes of passwords and those of all items, from SecItem.h, with Apple's values.
//
// Safe to read on any thread: the strings are immutable.

/// The time at which the item is readable: one of the `kSecAttrAccessible…` values.
@safe nonisolated(unsafe) public let kSecAttrAccessible: CFString = "pdmn"
/// The conditions for reading the item: a ``SecAccessControl``.
@safe nonisolated(unsafe) public let kSecAttrAccessControl: CFString = "accc"
/// The access object of the file-based keychains of macOS. Not supported.
@safe nonisolated(unsafe) public let kSecAttrAccess: CFString = "acls"
/// The access group: a string.
@safe nonisolated(unsafe) public let kSecAttrAccessGroup: CFString = "agrp"
/// The access group of items on external tokens.
@safe nonisolated(unsafe) public let kSecAttrAccessGroupToken: CFString = "com.apple.token"
/// Whether the item is marked as synchronizable: a Boolean.
@safe nonisolated(unsafe) public let kSecAttrSynchronizable: CFString = "sync"
/// A value of ``kSecAttrSynchronizable`` that matches items with and without the mark.
@safe nonisolated(unsafe) public let kSecAttrSynchronizableAny: CFString = "syna"
/// The date at which the item was created. Set by the keychain.
@safe nonisolated(unsafe) public let kSecAttrCreationDate: CFString = "cdat"
/// The date of the last modification. Set by the keychain.
@safe nonisolated(unsafe) public let kSecAttrModificationDate: CFString = "mdat"
/// A description of the kind of item, to show to the user.
@safe nonisolated(unsafe) public let kSecAttrDescription: CFString = "desc"
/// A comment, to show to the user.
@safe nonisolated(unsafe) public let kSecAttrComment: CFString = "icmt"
/// The creator: a number that encodes four characters.
@safe nonisolated(unsafe) public let kSecAttrCreator: CFString = "crtr"
/// The type: a number that encodes four characters.
@safe nonisolated(unsafe) public let kSecAttrType: CFString = "type"
/// A name, to show to the user.
@safe nonisolated(unsafe) public let kSecAttrLabel: CFString = "labl"
/// Whether lists should hide the item: a Boolean.
@safe nonisolated(unsafe) public let kSecAttrIsInvisible: CFString = "invi"
/// Whether the item records that no password exists: a Boolean.
@safe nonisolated(unsafe) public let kSecAttrIsNegative: CFString = "nega"
/// The account.
@safe nonisolated(unsafe) public let kSecAttrAccount: CFString = "acct"
/// The service that the password is for.
@safe nonisolated(unsafe) public let kSecAttrService: CFString = "svce"
/// Data that the app stores with the item.
@safe nonisolated(unsafe) public let kSecAttrGeneric: CFString = "gena"
/// The security domain of the server.
@safe nonisolated(unsafe) public let kSecAttrSecurityDomain: CFString = "sdmn"
/// The server: a name or address.
@safe nonisolated(unsafe) public let kSecAttrServer: CFString = "srvr"
/// The protocol: one of the `kSecAttrProtocol…` values.
@safe nonisolated(unsafe) public let kSecAttrProtocol: CFString = "ptcl"
/// The authentication scheme: one of the `kSecAttrAuthenticationType…` values.
@safe nonisolated(unsafe) public let kSecAttrAuthenticationType: CFString = "atyp"
/// The port: a number.
@safe nonisolated(unsafe) public let kSecAttrPort: CFString = "port"
/// The path, usually that of a URL.
@safe nonisolated(unsafe) public let kSecAttrPath: CFString = "path"
/// The view of iCloud Keychain that the item belongs to. Not supported.
@safe nonisolated(unsafe) public let kSecAttrSyncViewHint: CFString = "vwht"
/// The token that stores the item. Not supported.
@safe nonisolated(unsafe) public let kSecAttrTokenID: CFString = "tkid"
/// The Secure Enclave. Not supported.
@safe nonisolated(unsafe) public let kSecAttrTokenIDSecureEnclave: CFString = "com.apple.setoken"
/// The older, misspelt name of ``kSecAttrPersistentReference``.
@safe nonisolated(unsafe) public let kSecAttrPersistantReference: CFString = "persistref"
/// The persistent reference of the item.
@safe nonisolated(unsafe) public let kSecAttrPersistentReference: CFString = "persistref"
