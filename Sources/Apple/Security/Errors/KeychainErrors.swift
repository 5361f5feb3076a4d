// Apple's error codes of the keychain, from SecBase.h.

/// The call succeeded.
public let errSecSuccess: OSStatus = 0
/// The function or option is not supported.
public let errSecUnimplemented: OSStatus = -4
/// The disk is full.
public let errSecDiskFull: OSStatus = -34
/// The disk is full: the older name of ``errSecDiskFull``.
public let errSecDskFull: OSStatus = -34
/// A read or write operation failed.
public let errSecIO: OSStatus = -36
/// The file is already open for writing.
public let errSecOpWr: OSStatus = -49
/// A parameter is invalid.
public let errSecParam: OSStatus = -50
/// Writing is not permitted.
public let errSecWrPerm: OSStatus = -61
/// Memory could not be allocated.
public let errSecAllocate: OSStatus = -108
/// The user cancelled the prompt.
public let errSecUserCanceled: OSStatus = -128
/// The parameters or the state do not permit the operation.
public let errSecBadReq: OSStatus = -909
/// An internal component failed.
public let errSecInternalComponent: OSStatus = -2070
/// A Core Foundation call failed for an unknown reason.
public let errSecCoreFoundationUnknown: OSStatus = -4960
/// The app lacks a required entitlement.
public let errSecMissingEntitlement: OSStatus = -34018
/// The app is not permitted to perform the operation.
public let errSecRestrictedAPI: OSStatus = -34020
/// No keychain is available.
public let errSecNotAvailable: OSStatus = -25291
/// The keychain cannot be modified.
public let errSecReadOnly: OSStatus = -25292
/// The user name or passphrase is wrong, or a required passphrase is missing.
public let errSecAuthFailed: OSStatus = -25293
/// The keychain does not exist.
public let errSecNoSuchKeychain: OSStatus = -25294
/// The file is not a keychain.
public let errSecInvalidKeychain: OSStatus = -25295
/// A keychain of this name already exists.
public let errSecDuplicateKeychain: OSStatus = -25296
/// The callback is already installed.
public let errSecDuplicateCallback: OSStatus = -25297
/// The callback is invalid.
public let errSecInvalidCallback: OSStatus = -25298
/// An item with this primary key already exists.
public let errSecDuplicateItem: OSStatus = -25299
/// No item matches.
public let errSecItemNotFound: OSStatus = -25300
/// The buffer is too small for the item.
public let errSecBufferTooSmall: OSStatus = -25301
/// The value is too large.
public let errSecDataTooLarge: OSStatus = -25302
/// The class does not have this attribute.
public let errSecNoSuchAttr: OSStatus = -25303
/// The item no longer exists.
public let errSecInvalidItemRef: OSStatus = -25304
/// The search is invalid.
public let errSecInvalidSearchRef: OSStatus = -25305
/// The item class does not exist.
public let errSecNoSuchClass: OSStatus = -25306
/// No default keychain exists.
public let errSecNoDefaultKeychain: OSStatus = -25307
/// The user must be prompted, but that is not allowed or not possible.
public let errSecInteractionNotAllowed: OSStatus = -25308
/// The attribute cannot be modified.
public let errSecReadOnlyAttr: OSStatus = -25309
/// The keychain was created by another version of the system.
public let errSecWrongSecVersion: OSStatus = -25310
/// The key size is not allowed.
public let errSecKeySizeNotAllowed: OSStatus = -25311
/// The storage module is missing.
public let errSecNoStorageModule: OSStatus = -25312
/// The certificate module is missing.
public let errSecNoCertificateModule: OSStatus = -25313
/// The policy module is missing.
public let errSecNoPolicyModule: OSStatus = -25314
/// The user must be prompted, but that is currently not allowed.
public let errSecInteractionRequired: OSStatus = -25315
/// The value is not available.
public let errSecDataNotAvailable: OSStatus = -25316
/// The value cannot be modified.
public let errSecDataNotModifiable: OSStatus = -25317
/// A certificate that the chain needs is missing.
public let errSecCreateChainFailed: OSStatus = -25318
/// The preferences domain is invalid.
public let errSecInvalidPrefsDomain: OSStatus = -25319
/// The device is in dark wake, so the user cannot be prompted.
public let errSecInDarkWake: OSStatus = -25320
/// The access control list is not in the simple form.
public let errSecACLNotSimple: OSStatus = -25240
/// The policy does not exist.
public let errSecPolicyNotFound: OSStatus = -25241
/// The trust setting is invalid.
public let errSecInvalidTrustSetting: OSStatus = -25242
/// The item has no access control.
public let errSecNoAccessForItem: OSStatus = -25243
/// The change of the owner is invalid.
public let errSecInvalidOwnerEdit: OSStatus = -25244
/// No result of a trust evaluation is available.
public let errSecTrustNotAvailable: OSStatus = -25245
/// The format is not supported.
public let errSecUnsupportedFormat: OSStatus = -25256
/// The format is unknown.
public let errSecUnknownFormat: OSStatus = -25257
/// The key can be exported only in encrypted form.
public let errSecKeyIsSensitive: OSStatus = -25258
/// More than one private key was given.
public let errSecMultiplePrivKeys: OSStatus = -25259
/// A passphrase is required.
public let errSecPassphraseRequired: OSStatus = -25260
/// The password reference is invalid.
public let errSecInvalidPasswordRef: OSStatus = -25261
/// The trust settings are damaged.
public let errSecInvalidTrustSettings: OSStatus = -25262
/// No trust settings exist.
public let errSecNoTrustSettings: OSStatus = -25263
/// The PKCS #12 file is damaged, or its passphrase is wrong.
public let errSecPkcs12VerifyFailure: OSStatus = -25264
/// The certificate was not signed by the given parent.
public let errSecNotSigner: OSStatus = -26267
/// The data cannot be decoded.
public let errSecDecode: OSStatus = -26275
