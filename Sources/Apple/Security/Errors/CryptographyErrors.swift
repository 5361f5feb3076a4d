// Apple's error codes of modules, keys and algorithms, from SecBase.h.

/// The security services are not initialised.
public let errSecNotInitialized: OSStatus = -67667
/// The handle cannot be used with this service.
public let errSecInvalidHandleUsage: OSStatus = -67668
/// The calling module was not found in the list of authorised callers.
public let errSecPVCReferentNotFound: OSStatus = -67669
/// The address of a function is outside its module.
public let errSecFunctionIntegrityFail: OSStatus = -67670
/// An internal error occurred.
public let errSecInternalError: OSStatus = -67671
/// A memory error occurred.
public let errSecMemoryError: OSStatus = -67672
/// The data is invalid.
public let errSecInvalidData: OSStatus = -67673
/// The module directory service failed.
public let errSecMDSError: OSStatus = -67674
/// A pointer is invalid.
public let errSecInvalidPointer: OSStatus = -67675
/// The self-check failed.
public let errSecSelfCheckFailed: OSStatus = -67676
/// A function failed.
public let errSecFunctionFailed: OSStatus = -67677
/// The manifest of the module could not be verified.
public let errSecModuleManifestVerifyFailed: OSStatus = -67678
/// The identifier is invalid.
public let errSecInvalidGUID: OSStatus = -67679
/// The handle is invalid.
public let errSecInvalidHandle: OSStatus = -67680
/// The list of databases is invalid.
public let errSecInvalidDBList: OSStatus = -67681
/// The pass-through identifier is invalid.
public let errSecInvalidPassthroughID: OSStatus = -67682
/// The network address is invalid.
public let errSecInvalidNetworkAddress: OSStatus = -67683
/// The revocation list is already signed.
public let errSecCRLAlreadySigned: OSStatus = -67684
/// The number of fields is invalid.
public let errSecInvalidNumberOfFields: OSStatus = -67685
/// Verification failed.
public let errSecVerificationFailure: OSStatus = -67686
/// The tag is unknown.
public let errSecUnknownTag: OSStatus = -67687
/// The signature is invalid.
public let errSecInvalidSignature: OSStatus = -67688
/// The name is invalid.
public let errSecInvalidName: OSStatus = -67689
/// The certificate reference is invalid.
public let errSecInvalidCertificateRef: OSStatus = -67690
/// The group of certificates is invalid.
public let errSecInvalidCertificateGroup: OSStatus = -67691
/// The tag was not found.
public let errSecTagNotFound: OSStatus = -67692
/// The query is invalid.
public let errSecInvalidQuery: OSStatus = -67693
/// The value is invalid.
public let errSecInvalidValue: OSStatus = -67694
/// The callback failed.
public let errSecCallbackFailed: OSStatus = -67695
/// The access control list could not be deleted.
public let errSecACLDeleteFailed: OSStatus = -67696
/// The access control list could not be replaced.
public let errSecACLReplaceFailed: OSStatus = -67697
/// The access control list could not be added.
public let errSecACLAddFailed: OSStatus = -67698
/// The access control list could not be changed.
public let errSecACLChangeFailed: OSStatus = -67699
/// The credentials are invalid.
public let errSecInvalidAccessCredentials: OSStatus = -67700
/// The record is invalid.
public let errSecInvalidRecord: OSStatus = -67701
/// The access control list is invalid.
public let errSecInvalidACL: OSStatus = -67702
/// The sample is invalid.
public let errSecInvalidSampleValue: OSStatus = -67703
/// The versions are incompatible.
public let errSecIncompatibleVersion: OSStatus = -67704
/// The privilege was not granted.
public let errSecPrivilegeNotGranted: OSStatus = -67705
/// The scope is invalid.
public let errSecInvalidScope: OSStatus = -67706
/// The verification of callers is already configured.
public let errSecPVCAlreadyConfigured: OSStatus = -67707
/// The verification of callers is invalid.
public let errSecInvalidPVC: OSStatus = -67708
/// The elective module manager could not be loaded.
public let errSecEMMLoadFailed: OSStatus = -67709
/// The elective module manager could not be unloaded.
public let errSecEMMUnloadFailed: OSStatus = -67710
/// An add-in could not be loaded.
public let errSecAddinLoadFailed: OSStatus = -67711
/// The key is invalid.
public let errSecInvalidKeyRef: OSStatus = -67712
/// The key hierarchy is invalid.
public let errSecInvalidKeyHierarchy: OSStatus = -67713
/// An add-in could not be unloaded.
public let errSecAddinUnloadFailed: OSStatus = -67714
/// The library was not found.
public let errSecLibraryReferenceNotFound: OSStatus = -67715
/// The function table of the add-in is invalid.
public let errSecInvalidAddinFunctionTable: OSStatus = -67716
/// The service mask is invalid.
public let errSecInvalidServiceMask: OSStatus = -67717
/// The module is not loaded.
public let errSecModuleNotLoaded: OSStatus = -67718
/// The subservice identifier is invalid.
public let errSecInvalidSubServiceID: OSStatus = -67719
/// The attribute is not in the context.
public let errSecAttributeNotInContext: OSStatus = -67720
/// The module manager could not be initialised.
public let errSecModuleManagerInitializeFailed: OSStatus = -67721
/// The module manager was not found.
public let errSecModuleManagerNotFound: OSStatus = -67722
/// The event notification callback was not found.
public let errSecEventNotificationCallbackNotFound: OSStatus = -67723
/// The length of the input is invalid.
public let errSecInputLengthError: OSStatus = -67724
/// The length of the output is invalid.
public let errSecOutputLengthError: OSStatus = -67725
/// The privilege is not supported.
public let errSecPrivilegeNotSupported: OSStatus = -67726
/// The device failed.
public let errSecDeviceError: OSStatus = -67727
/// The attached handle is busy.
public let errSecAttachHandleBusy: OSStatus = -67728
/// No user is logged in.
public let errSecNotLoggedIn: OSStatus = -67729
/// The algorithms do not match.
public let errSecAlgorithmMismatch: OSStatus = -67730
/// The key cannot be used for this operation.
public let errSecKeyUsageIncorrect: OSStatus = -67731
/// The type of the key blob is incorrect.
public let errSecKeyBlobTypeIncorrect: OSStatus = -67732
/// The header of the key is inconsistent.
public let errSecKeyHeaderInconsistent: OSStatus = -67733
/// The key's format is not supported.
public let errSecUnsupportedKeyFormat: OSStatus = -67734
/// The key size is not supported.
public let errSecUnsupportedKeySize: OSStatus = -67735
/// The key usage is invalid.
public let errSecInvalidKeyUsageMask: OSStatus = -67736
/// The key usage is not supported.
public let errSecUnsupportedKeyUsageMask: OSStatus = -67737
/// The key's attributes are invalid.
public let errSecInvalidKeyAttributeMask: OSStatus = -67738
/// The key's attributes are not supported.
public let errSecUnsupportedKeyAttributeMask: OSStatus = -67739
/// The key's label is invalid.
public let errSecInvalidKeyLabel: OSStatus = -67740
/// The key's label is not supported.
public let errSecUnsupportedKeyLabel: OSStatus = -67741
/// The key's format is invalid.
public let errSecInvalidKeyFormat: OSStatus = -67742
/// A vector of buffers is not supported.
public let errSecUnsupportedVectorOfBuffers: OSStatus = -67743
/// The vector of input buffers is invalid.
public let errSecInvalidInputVector: OSStatus = -67744
/// The vector of output buffers is invalid.
public let errSecInvalidOutputVector: OSStatus = -67745
/// The context is invalid.
public let errSecInvalidContext: OSStatus = -67746
/// The algorithm is invalid.
public let errSecInvalidAlgorithm: OSStatus = -67747
/// The key attribute is invalid.
public let errSecInvalidAttributeKey: OSStatus = -67748
/// The key attribute is missing.
public let errSecMissingAttributeKey: OSStatus = -67749
/// The initialisation vector attribute is invalid.
public let errSecInvalidAttributeInitVector: OSStatus = -67750
/// The initialisation vector attribute is missing.
public let errSecMissingAttributeInitVector: OSStatus = -67751
/// The salt attribute is invalid.
public let errSecInvalidAttributeSalt: OSStatus = -67752
/// The salt attribute is missing.
public let errSecMissingAttributeSalt: OSStatus = -67753
/// The padding attribute is invalid.
public let errSecInvalidAttributePadding: OSStatus = -67754
/// The padding attribute is missing.
public let errSecMissingAttributePadding: OSStatus = -67755
/// The random number attribute is invalid.
public let errSecInvalidAttributeRandom: OSStatus = -67756
/// The random number attribute is missing.
public let errSecMissingAttributeRandom: OSStatus = -67757
/// The seed attribute is invalid.
public let errSecInvalidAttributeSeed: OSStatus = -67758
/// The seed attribute is missing.
public let errSecMissingAttributeSeed: OSStatus = -67759
/// The passphrase attribute is invalid.
public let errSecInvalidAttributePassphrase: OSStatus = -67760
/// The passphrase attribute is missing.
public let errSecMissingAttributePassphrase: OSStatus = -67761
/// The key length attribute is invalid.
public let errSecInvalidAttributeKeyLength: OSStatus = -67762
/// The key length attribute is missing.
public let errSecMissingAttributeKeyLength: OSStatus = -67763
/// The block size attribute is invalid.
public let errSecInvalidAttributeBlockSize: OSStatus = -67764
/// The block size attribute is missing.
public let errSecMissingAttributeBlockSize: OSStatus = -67765
/// The output size attribute is invalid.
public let errSecInvalidAttributeOutputSize: OSStatus = -67766
/// The output size attribute is missing.
public let errSecMissingAttributeOutputSize: OSStatus = -67767
/// The number of rounds attribute is invalid.
public let errSecInvalidAttributeRounds: OSStatus = -67768
/// The number of rounds attribute is missing.
public let errSecMissingAttributeRounds: OSStatus = -67769
/// The algorithm's parameters are invalid.
public let errSecInvalidAlgorithmParms: OSStatus = -67770
/// The algorithm's parameters are missing.
public let errSecMissingAlgorithmParms: OSStatus = -67771
/// The label attribute is invalid.
public let errSecInvalidAttributeLabel: OSStatus = -67772
/// The label attribute is missing.
public let errSecMissingAttributeLabel: OSStatus = -67773
/// The key type attribute is invalid.
public let errSecInvalidAttributeKeyType: OSStatus = -67774
/// The key type attribute is missing.
public let errSecMissingAttributeKeyType: OSStatus = -67775
/// The mode attribute is invalid.
public let errSecInvalidAttributeMode: OSStatus = -67776
/// The mode attribute is missing.
public let errSecMissingAttributeMode: OSStatus = -67777
/// The effective bits attribute is invalid.
public let errSecInvalidAttributeEffectiveBits: OSStatus = -67778
/// The effective bits attribute is missing.
public let errSecMissingAttributeEffectiveBits: OSStatus = -67779
/// The start date attribute is invalid.
public let errSecInvalidAttributeStartDate: OSStatus = -67780
/// The start date attribute is missing.
public let errSecMissingAttributeStartDate: OSStatus = -67781
/// The end date attribute is invalid.
public let errSecInvalidAttributeEndDate: OSStatus = -67782
/// The end date attribute is missing.
public let errSecMissingAttributeEndDate: OSStatus = -67783
/// The version attribute is invalid.
public let errSecInvalidAttributeVersion: OSStatus = -67784
/// The version attribute is missing.
public let errSecMissingAttributeVersion: OSStatus = -67785
/// The prime attribute is invalid.
public let errSecInvalidAttributePrime: OSStatus = -67786
/// The prime attribute is missing.
public let errSecMissingAttributePrime: OSStatus = -67787
/// The base attribute is invalid.
public let errSecInvalidAttributeBase: OSStatus = -67788
/// The base attribute is missing.
public let errSecMissingAttributeBase: OSStatus = -67789
/// The subprime attribute is invalid.
public let errSecInvalidAttributeSubprime: OSStatus = -67790
/// The subprime attribute is missing.
public let errSecMissingAttributeSubprime: OSStatus = -67791
/// The iteration count attribute is invalid.
public let errSecInvalidAttributeIterationCount: OSStatus = -67792
/// The iteration count attribute is missing.
public let errSecMissingAttributeIterationCount: OSStatus = -67793
/// The database handle attribute is invalid.
public let errSecInvalidAttributeDLDBHandle: OSStatus = -67794
/// The database handle attribute is missing.
public let errSecMissingAttributeDLDBHandle: OSStatus = -67795
/// The access credentials attribute is invalid.
public let errSecInvalidAttributeAccessCredentials: OSStatus = -67796
/// The access credentials attribute is missing.
public let errSecMissingAttributeAccessCredentials: OSStatus = -67797
/// The public key format attribute is invalid.
public let errSecInvalidAttributePublicKeyFormat: OSStatus = -67798
/// The public key format attribute is missing.
public let errSecMissingAttributePublicKeyFormat: OSStatus = -67799
/// The private key format attribute is invalid.
public let errSecInvalidAttributePrivateKeyFormat: OSStatus = -67800
/// The private key format attribute is missing.
public let errSecMissingAttributePrivateKeyFormat: OSStatus = -67801
/// The symmetric key format attribute is invalid.
public let errSecInvalidAttributeSymmetricKeyFormat: OSStatus = -67802
/// The symmetric key format attribute is missing.
public let errSecMissingAttributeSymmetricKeyFormat: OSStatus = -67803
/// The wrapped key format attribute is invalid.
public let errSecInvalidAttributeWrappedKeyFormat: OSStatus = -67804
/// The wrapped key format attribute is missing.
public let errSecMissingAttributeWrappedKeyFormat: OSStatus = -67805
/// A signature that was verified with `SecKeyRawVerify` is invalid. Apple declares it in SecureTransport.h.
public let errSSLCrypto: OSStatus = -9809
