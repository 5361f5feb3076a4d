// Apple's numbers of the keychain's own errors: SecBase.h.

/// It worked.
public let errSecSuccess: OSStatus = 0
/// This function or operation does not exist here.
public let errSecUnimplemented: OSStatus = -4
/// The disk is full.
public let errSecDiskFull: OSStatus = -34
/// The disk is full, under an older name.
public let errSecDskFull: OSStatus = -34
/// Reading or writing failed.
public let errSecIO: OSStatus = -36
/// The file is open for writing already.
public let errSecOpWr: OSStatus = -49
/// A parameter has a value that the call does not allow.
public let errSecParam: OSStatus = -50
/// Writing is not permitted.
public let errSecWrPerm: OSStatus = -61
/// There is not enough memory.
public let errSecAllocate: OSStatus = -108
/// The person who was asked cancelled.
public let errSecUserCanceled: OSStatus = -128
/// The call or the state does not fit the operation.
public let errSecBadReq: OSStatus = -909
/// A part inside failed.
public let errSecInternalComponent: OSStatus = -2070
/// Core Foundation failed without a reason.
public let errSecCoreFoundationUnknown: OSStatus = -4960
/// The app lacks an entitlement that this needs.
public let errSecMissingEntitlement: OSStatus = -34018
/// The app is kept from this operation.
public let errSecRestrictedAPI: OSStatus = -34020
/// There is no keychain.
public let errSecNotAvailable: OSStatus = -25291
/// The keychain cannot be changed.
public let errSecReadOnly: OSStatus = -25292
/// The name or passphrase is wrong, or a needed one is missing.
public let errSecAuthFailed: OSStatus = -25293
/// There is no such keychain.
public let errSecNoSuchKeychain: OSStatus = -25294
/// The file is no keychain.
public let errSecInvalidKeychain: OSStatus = -25295
/// There is a keychain of this name already.
public let errSecDuplicateKeychain: OSStatus = -25296
/// The callback is installed already.
public let errSecDuplicateCallback: OSStatus = -25297
/// The callback cannot be used.
public let errSecInvalidCallback: OSStatus = -25298
/// There is an item with this primary key already.
public let errSecDuplicateItem: OSStatus = -25299
/// No item fits.
public let errSecItemNotFound: OSStatus = -25300
/// The buffer is too small for the item.
public let errSecBufferTooSmall: OSStatus = -25301
/// The value is too large.
public let errSecDataTooLarge: OSStatus = -25302
/// The class has no such attribute.
public let errSecNoSuchAttr: OSStatus = -25303
/// The item does not exist any more.
public let errSecInvalidItemRef: OSStatus = -25304
/// The search cannot be used.
public let errSecInvalidSearchRef: OSStatus = -25305
/// There is no such class of items.
public let errSecNoSuchClass: OSStatus = -25306
/// There is no default keychain.
public let errSecNoDefaultKeychain: OSStatus = -25307
/// Somebody would have to be asked, and that is not allowed or not possible.
public let errSecInteractionNotAllowed: OSStatus = -25308
/// The attribute cannot be changed.
public let errSecReadOnlyAttr: OSStatus = -25309
/// Another version of the system made the keychain.
public let errSecWrongSecVersion: OSStatus = -25310
/// Keys of this size are not allowed.
public let errSecKeySizeNotAllowed: OSStatus = -25311
/// The part that stores is missing.
public let errSecNoStorageModule: OSStatus = -25312
/// The part for certificates is missing.
public let errSecNoCertificateModule: OSStatus = -25313
/// The part for policies is missing.
public let errSecNoPolicyModule: OSStatus = -25314
/// Somebody has to be asked, and that is not allowed now.
public let errSecInteractionRequired: OSStatus = -25315
/// The value cannot be read.
public let errSecDataNotAvailable: OSStatus = -25316
/// The value cannot be changed.
public let errSecDataNotModifiable: OSStatus = -25317
/// A certificate on the way to a root is missing.
public let errSecCreateChainFailed: OSStatus = -25318
/// There is no such preferences domain.
public let errSecInvalidPrefsDomain: OSStatus = -25319
/// The machine is awake without a screen, so nobody can be asked.
public let errSecInDarkWake: OSStatus = -25320
/// The access list is not in the simple form.
public let errSecACLNotSimple: OSStatus = -25240
/// There is no such policy.
public let errSecPolicyNotFound: OSStatus = -25241
/// The trust setting cannot be used.
public let errSecInvalidTrustSetting: OSStatus = -25242
/// The item has no access object.
public let errSecNoAccessForItem: OSStatus = -25243
/// The owner may not be changed so.
public let errSecInvalidOwnerEdit: OSStatus = -25244
/// There is no result of an evaluation of trust.
public let errSecTrustNotAvailable: OSStatus = -25245
/// The format is not supported.
public let errSecUnsupportedFormat: OSStatus = -25256
/// The format is not known.
public let errSecUnknownFormat: OSStatus = -25257
/// The key may leave only encrypted.
public let errSecKeyIsSensitive: OSStatus = -25258
/// There is more than one private key.
public let errSecMultiplePrivKeys: OSStatus = -25259
/// A passphrase is needed.
public let errSecPassphraseRequired: OSStatus = -25260
/// The password reference cannot be used.
public let errSecInvalidPasswordRef: OSStatus = -25261
/// The trust settings are damaged.
public let errSecInvalidTrustSettings: OSStatus = -25262
/// There are no trust settings.
public let errSecNoTrustSettings: OSStatus = -25263
/// The PKCS#12 file is damaged, or its passphrase is wrong.
public let errSecPkcs12VerifyFailure: OSStatus = -25264
/// The certificate was not signed by that parent.
public let errSecNotSigner: OSStatus = -26267
/// The bytes cannot be decoded.
public let errSecDecode: OSStatus = -26275
