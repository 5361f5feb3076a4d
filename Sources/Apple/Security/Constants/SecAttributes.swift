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

// The values of kSecAttrAccessible, from SecItem.h, with Apple's values.
//
// Safe to read on any thread: the strings are immutable.

/// Readable while the keychain is unlocked.
@safe nonisolated(unsafe) public let kSecAttrAccessibleWhenUnlocked: CFString = "ak"
/// Readable after the keychain was unlocked once since the machine started.
@safe nonisolated(unsafe) public let kSecAttrAccessibleAfterFirstUnlock: CFString = "ck"
/// Always readable.
@safe nonisolated(unsafe) public let kSecAttrAccessibleAlways: CFString = "dk"
/// Readable while the keychain is unlocked, if the owner has a passphrase; never leaves this machine.
@safe nonisolated(unsafe) public let kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly: CFString = "akpu"
/// Readable while the keychain is unlocked; never leaves this machine.
@safe nonisolated(unsafe) public let kSecAttrAccessibleWhenUnlockedThisDeviceOnly: CFString = "aku"
/// Readable after the keychain was unlocked once since the machine started; never leaves this machine.
@safe nonisolated(unsafe) public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = "cku"
/// Always readable; never leaves this machine.
@safe nonisolated(unsafe) public let kSecAttrAccessibleAlwaysThisDeviceOnly: CFString = "dku"

// The authentication schemes of internet passwords, from SecItem.h, with Apple's values.
//
// Safe to read on any thread: the strings are immutable.

/// Windows NT LAN Manager.
@safe nonisolated(unsafe) public let kSecAttrAuthenticationTypeNTLM: CFString = "ntlm"
/// Microsoft Network.
@safe nonisolated(unsafe) public let kSecAttrAuthenticationTypeMSN: CFString = "msna"
/// Distributed Password Authentication.
@safe nonisolated(unsafe) public let kSecAttrAuthenticationTypeDPA: CFString = "dpaa"
/// Remote Password Authentication.
@safe nonisolated(unsafe) public let kSecAttrAuthenticationTypeRPA: CFString = "rpaa"
/// HTTP Basic authentication.
@safe nonisolated(unsafe) public let kSecAttrAuthenticationTypeHTTPBasic: CFString = "http"
/// HTTP Digest authentication.
@safe nonisolated(unsafe) public let kSecAttrAuthenticationTypeHTTPDigest: CFString = "httd"
/// A form on a web page.
@safe nonisolated(unsafe) public let kSecAttrAuthenticationTypeHTMLForm: CFString = "form"
/// The default scheme.
@safe nonisolated(unsafe) public let kSecAttrAuthenticationTypeDefault: CFString = "dflt"

// The protocols of internet passwords, from SecItem.h, with Apple's values.
//
// Safe to read on any thread: the strings are immutable.

/// FTP.
@safe nonisolated(unsafe) public let kSecAttrProtocolFTP: CFString = "ftp "
/// FTP account.
@safe nonisolated(unsafe) public let kSecAttrProtocolFTPAccount: CFString = "ftpa"
/// HTTP.
@safe nonisolated(unsafe) public let kSecAttrProtocolHTTP: CFString = "http"
/// IRC.
@safe nonisolated(unsafe) public let kSecAttrProtocolIRC: CFString = "irc "
/// NNTP.
@safe nonisolated(unsafe) public let kSecAttrProtocolNNTP: CFString = "nntp"
/// POP3.
@safe nonisolated(unsafe) public let kSecAttrProtocolPOP3: CFString = "pop3"
/// SMTP.
@safe nonisolated(unsafe) public let kSecAttrProtocolSMTP: CFString = "smtp"
/// SOCKS.
@safe nonisolated(unsafe) public let kSecAttrProtocolSOCKS: CFString = "sox "
/// IMAP.
@safe nonisolated(unsafe) public let kSecAttrProtocolIMAP: CFString = "imap"
/// LDAP.
@safe nonisolated(unsafe) public let kSecAttrProtocolLDAP: CFString = "ldap"
/// AFP over AppleTalk.
@safe nonisolated(unsafe) public let kSecAttrProtocolAppleTalk: CFString = "atlk"
/// AFP over TCP.
@safe nonisolated(unsafe) public let kSecAttrProtocolAFP: CFString = "afp "
/// Telnet.
@safe nonisolated(unsafe) public let kSecAttrProtocolTelnet: CFString = "teln"
/// SSH.
@safe nonisolated(unsafe) public let kSecAttrProtocolSSH: CFString = "ssh "
/// FTP over TLS.
@safe nonisolated(unsafe) public let kSecAttrProtocolFTPS: CFString = "ftps"
/// HTTP over TLS.
@safe nonisolated(unsafe) public let kSecAttrProtocolHTTPS: CFString = "htps"
/// HTTP proxy.
@safe nonisolated(unsafe) public let kSecAttrProtocolHTTPProxy: CFString = "htpx"
/// HTTPS proxy.
@safe nonisolated(unsafe) public let kSecAttrProtocolHTTPSProxy: CFString = "htsx"
/// FTP proxy.
@safe nonisolated(unsafe) public let kSecAttrProtocolFTPProxy: CFString = "ftpx"
/// SMB.
@safe nonisolated(unsafe) public let kSecAttrProtocolSMB: CFString = "smb "
/// RTSP.
@safe nonisolated(unsafe) public let kSecAttrProtocolRTSP: CFString = "rtsp"
/// RTSP proxy.
@safe nonisolated(unsafe) public let kSecAttrProtocolRTSPProxy: CFString = "rtsx"
/// DAAP.
@safe nonisolated(unsafe) public let kSecAttrProtocolDAAP: CFString = "daap"
/// Remote Apple Events.
@safe nonisolated(unsafe) public let kSecAttrProtocolEPPC: CFString = "eppc"
/// IPP.
@safe nonisolated(unsafe) public let kSecAttrProtocolIPP: CFString = "ipp "
/// NNTP over TLS.
@safe nonisolated(unsafe) public let kSecAttrProtocolNNTPS: CFString = "ntps"
/// LDAP over TLS.
@safe nonisolated(unsafe) public let kSecAttrProtocolLDAPS: CFString = "ldps"
/// Telnet over TLS.
@safe nonisolated(unsafe) public let kSecAttrProtocolTelnetS: CFString = "tels"
/// IMAP over TLS.
@safe nonisolated(unsafe) public let kSecAttrProtocolIMAPS: CFString = "imps"
/// IRC over TLS.
@safe nonisolated(unsafe) public let kSecAttrProtocolIRCS: CFString = "ircs"
/// POP3 over TLS.
@safe nonisolated(unsafe) public let kSecAttrProtocolPOP3S: CFString = "pops"
