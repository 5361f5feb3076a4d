// Apple's numbers of errors about modules, keys and algorithms: SecBase.h.

/// The security services were not initialised.
public let errSecNotInitialized: OSStatus = -67667
/// The handle does not fit the service.
public let errSecInvalidHandleUsage: OSStatus = -67668
/// The calling module is not listed.
public let errSecPVCReferentNotFound: OSStatus = -67669
/// A function lies outside of its module.
public let errSecFunctionIntegrityFail: OSStatus = -67670
/// Something inside failed.
public let errSecInternalError: OSStatus = -67671
/// There is not enough memory.
public let errSecMemoryError: OSStatus = -67672
/// The data cannot be used.
public let errSecInvalidData: OSStatus = -67673
/// The module directory failed.
public let errSecMDSError: OSStatus = -67674
/// A pointer cannot be used.
public let errSecInvalidPointer: OSStatus = -67675
/// The check of oneself failed.
public let errSecSelfCheckFailed: OSStatus = -67676
/// A function failed.
public let errSecFunctionFailed: OSStatus = -67677
/// The module's manifest is wrong.
public let errSecModuleManifestVerifyFailed: OSStatus = -67678
/// The identifier cannot be used.
public let errSecInvalidGUID: OSStatus = -67679
/// The handle cannot be used.
public let errSecInvalidHandle: OSStatus = -67680
/// The list of databases cannot be used.
public let errSecInvalidDBList: OSStatus = -67681
/// There is no such pass-through function.
public let errSecInvalidPassthroughID: OSStatus = -67682
/// The network address cannot be used.
public let errSecInvalidNetworkAddress: OSStatus = -67683
/// The revocation list is signed already.
public let errSecCRLAlreadySigned: OSStatus = -67684
/// There are too many or too few fields.
public let errSecInvalidNumberOfFields: OSStatus = -67685
/// Verification failed.
public let errSecVerificationFailure: OSStatus = -67686
/// The tag is not known.
public let errSecUnknownTag: OSStatus = -67687
/// The signature is wrong.
public let errSecInvalidSignature: OSStatus = -67688
/// The name cannot be used.
public let errSecInvalidName: OSStatus = -67689
/// The certificate reference cannot be used.
public let errSecInvalidCertificateRef: OSStatus = -67690
/// The group of certificates cannot be used.
public let errSecInvalidCertificateGroup: OSStatus = -67691
/// There is no such tag.
public let errSecTagNotFound: OSStatus = -67692
/// The query cannot be used.
public let errSecInvalidQuery: OSStatus = -67693
/// The value cannot be used.
public let errSecInvalidValue: OSStatus = -67694
/// The callback failed.
public let errSecCallbackFailed: OSStatus = -67695
/// The access list could not be deleted.
public let errSecACLDeleteFailed: OSStatus = -67696
/// The access list could not be replaced.
public let errSecACLReplaceFailed: OSStatus = -67697
/// The access list could not be added.
public let errSecACLAddFailed: OSStatus = -67698
/// The access list could not be changed.
public let errSecACLChangeFailed: OSStatus = -67699
/// The credentials cannot be used.
public let errSecInvalidAccessCredentials: OSStatus = -67700
/// The record cannot be used.
public let errSecInvalidRecord: OSStatus = -67701
/// The access list cannot be used.
public let errSecInvalidACL: OSStatus = -67702
/// The sample cannot be used.
public let errSecInvalidSampleValue: OSStatus = -67703
/// The versions do not fit.
public let errSecIncompatibleVersion: OSStatus = -67704
/// The privilege was not granted.
public let errSecPrivilegeNotGranted: OSStatus = -67705
/// The scope cannot be used.
public let errSecInvalidScope: OSStatus = -67706
/// The check of callers is configured already.
public let errSecPVCAlreadyConfigured: OSStatus = -67707
/// The check of callers cannot be used.
public let errSecInvalidPVC: OSStatus = -67708
/// A module manager could not be loaded.
public let errSecEMMLoadFailed: OSStatus = -67709
/// A module manager could not be unloaded.
public let errSecEMMUnloadFailed: OSStatus = -67710
/// An add-in could not be loaded.
public let errSecAddinLoadFailed: OSStatus = -67711
/// The key cannot be used.
public let errSecInvalidKeyRef: OSStatus = -67712
/// The key's hierarchy cannot be used.
public let errSecInvalidKeyHierarchy: OSStatus = -67713
/// An add-in could not be unloaded.
public let errSecAddinUnloadFailed: OSStatus = -67714
/// There is no such library.
public let errSecLibraryReferenceNotFound: OSStatus = -67715
/// The add-in's functions cannot be used.
public let errSecInvalidAddinFunctionTable: OSStatus = -67716
/// The service mask cannot be used.
public let errSecInvalidServiceMask: OSStatus = -67717
/// The module is not loaded.
public let errSecModuleNotLoaded: OSStatus = -67718
/// There is no such subservice.
public let errSecInvalidSubServiceID: OSStatus = -67719
/// The context lacks the attribute.
public let errSecAttributeNotInContext: OSStatus = -67720
/// The module manager could not start.
public let errSecModuleManagerInitializeFailed: OSStatus = -67721
/// There is no such module manager.
public let errSecModuleManagerNotFound: OSStatus = -67722
/// There is no such callback for events.
public let errSecEventNotificationCallbackNotFound: OSStatus = -67723
/// The input is too long or too short.
public let errSecInputLengthError: OSStatus = -67724
/// The output is too long or too short.
public let errSecOutputLengthError: OSStatus = -67725
/// The privilege is not supported.
public let errSecPrivilegeNotSupported: OSStatus = -67726
/// The device failed.
public let errSecDeviceError: OSStatus = -67727
/// The handle is busy.
public let errSecAttachHandleBusy: OSStatus = -67728
/// Nobody is logged in.
public let errSecNotLoggedIn: OSStatus = -67729
/// The algorithms differ.
public let errSecAlgorithmMismatch: OSStatus = -67730
/// The key is not for this use.
public let errSecKeyUsageIncorrect: OSStatus = -67731
/// The key blob is of another type.
public let errSecKeyBlobTypeIncorrect: OSStatus = -67732
/// The key's header contradicts itself.
public let errSecKeyHeaderInconsistent: OSStatus = -67733
/// The key's format is not supported.
public let errSecUnsupportedKeyFormat: OSStatus = -67734
/// The key's size is not supported.
public let errSecUnsupportedKeySize: OSStatus = -67735
/// The key usage cannot be used.
public let errSecInvalidKeyUsageMask: OSStatus = -67736
/// The key usage is not supported.
public let errSecUnsupportedKeyUsageMask: OSStatus = -67737
/// The key's attributes cannot be used.
public let errSecInvalidKeyAttributeMask: OSStatus = -67738
/// The key's attributes are not supported.
public let errSecUnsupportedKeyAttributeMask: OSStatus = -67739
/// The key's label cannot be used.
public let errSecInvalidKeyLabel: OSStatus = -67740
/// The key's label is not supported.
public let errSecUnsupportedKeyLabel: OSStatus = -67741
/// The key's format cannot be used.
public let errSecInvalidKeyFormat: OSStatus = -67742
/// Several buffers at once are not supported.
public let errSecUnsupportedVectorOfBuffers: OSStatus = -67743
/// The input buffers cannot be used.
public let errSecInvalidInputVector: OSStatus = -67744
/// The output buffers cannot be used.
public let errSecInvalidOutputVector: OSStatus = -67745
/// The context cannot be used.
public let errSecInvalidContext: OSStatus = -67746
/// The algorithm cannot be used.
public let errSecInvalidAlgorithm: OSStatus = -67747
/// The key attribute cannot be used.
public let errSecInvalidAttributeKey: OSStatus = -67748
/// The key attribute is missing.
public let errSecMissingAttributeKey: OSStatus = -67749
/// The initialisation vector attribute cannot be used.
public let errSecInvalidAttributeInitVector: OSStatus = -67750
/// The initialisation vector attribute is missing.
public let errSecMissingAttributeInitVector: OSStatus = -67751
/// The salt attribute cannot be used.
public let errSecInvalidAttributeSalt: OSStatus = -67752
/// The salt attribute is missing.
public let errSecMissingAttributeSalt: OSStatus = -67753
/// The padding attribute cannot be used.
public let errSecInvalidAttributePadding: OSStatus = -67754
/// The padding attribute is missing.
public let errSecMissingAttributePadding: OSStatus = -67755
/// The random number attribute cannot be used.
public let errSecInvalidAttributeRandom: OSStatus = -67756
/// The random number attribute is missing.
public let errSecMissingAttributeRandom: OSStatus = -67757
/// The seed attribute cannot be used.
public let errSecInvalidAttributeSeed: OSStatus = -67758
/// The seed attribute is missing.
public let errSecMissingAttributeSeed: OSStatus = -67759
/// The passphrase attribute cannot be used.
public let errSecInvalidAttributePassphrase: OSStatus = -67760
/// The passphrase attribute is missing.
public let errSecMissingAttributePassphrase: OSStatus = -67761
/// The key length attribute cannot be used.
public let errSecInvalidAttributeKeyLength: OSStatus = -67762
/// The key length attribute is missing.
public let errSecMissingAttributeKeyLength: OSStatus = -67763
/// The block size attribute cannot be used.
public let errSecInvalidAttributeBlockSize: OSStatus = -67764
/// The block size attribute is missing.
public let errSecMissingAttributeBlockSize: OSStatus = -67765
/// The output size attribute cannot be used.
public let errSecInvalidAttributeOutputSize: OSStatus = -67766
/// The output size attribute is missing.
public let errSecMissingAttributeOutputSize: OSStatus = -67767
/// The number of rounds attribute cannot be used.
public let errSecInvalidAttributeRounds: OSStatus = -67768
/// The number of rounds attribute is missing.
public let errSecMissingAttributeRounds: OSStatus = -67769
/// The algorithm's parameters cannot be used.
public let errSecInvalidAlgorithmParms: OSStatus = -67770
/// The algorithm's parameters are missing.
public let errSecMissingAlgorithmParms: OSStatus = -67771
/// The label attribute cannot be used.
public let errSecInvalidAttributeLabel: OSStatus = -67772
/// The label attribute is missing.
public let errSecMissingAttributeLabel: OSStatus = -67773
/// The key type attribute cannot be used.
public let errSecInvalidAttributeKeyType: OSStatus = -67774
/// The key type attribute is missing.
public let errSecMissingAttributeKeyType: OSStatus = -67775
/// The mode attribute cannot be used.
public let errSecInvalidAttributeMode: OSStatus = -67776
/// The mode attribute is missing.
public let errSecMissingAttributeMode: OSStatus = -67777
/// The effective bits attribute cannot be used.
public let errSecInvalidAttributeEffectiveBits: OSStatus = -67778
/// The effective bits attribute is missing.
public let errSecMissingAttributeEffectiveBits: OSStatus = -67779
/// The start date attribute cannot be used.
public let errSecInvalidAttributeStartDate: OSStatus = -67780
/// The start date attribute is missing.
public let errSecMissingAttributeStartDate: OSStatus = -67781
/// The end date attribute cannot be used.
public let errSecInvalidAttributeEndDate: OSStatus = -67782
/// The end date attribute is missing.
public let errSecMissingAttributeEndDate: OSStatus = -67783
/// The version attribute cannot be used.
public let errSecInvalidAttributeVersion: OSStatus = -67784
/// The version attribute is missing.
public let errSecMissingAttributeVersion: OSStatus = -67785
/// The prime attribute cannot be used.
public let errSecInvalidAttributePrime: OSStatus = -67786
/// The prime attribute is missing.
public let errSecMissingAttributePrime: OSStatus = -67787
/// The base attribute cannot be used.
public let errSecInvalidAttributeBase: OSStatus = -67788
/// The base attribute is missing.
public let errSecMissingAttributeBase: OSStatus = -67789
/// The subprime attribute cannot be used.
public let errSecInvalidAttributeSubprime: OSStatus = -67790
/// The subprime attribute is missing.
public let errSecMissingAttributeSubprime: OSStatus = -67791
/// The iteration count attribute cannot be used.
public let errSecInvalidAttributeIterationCount: OSStatus = -67792
/// The iteration count attribute is missing.
public let errSecMissingAttributeIterationCount: OSStatus = -67793
/// The database handle attribute cannot be used.
public let errSecInvalidAttributeDLDBHandle: OSStatus = -67794
/// The database handle attribute is missing.
public let errSecMissingAttributeDLDBHandle: OSStatus = -67795
/// The access credentials attribute cannot be used.
public let errSecInvalidAttributeAccessCredentials: OSStatus = -67796
/// The access credentials attribute is missing.
public let errSecMissingAttributeAccessCredentials: OSStatus = -67797
/// The public key format attribute cannot be used.
public let errSecInvalidAttributePublicKeyFormat: OSStatus = -67798
/// The public key format attribute is missing.
public let errSecMissingAttributePublicKeyFormat: OSStatus = -67799
/// The private key format attribute cannot be used.
public let errSecInvalidAttributePrivateKeyFormat: OSStatus = -67800
/// The private key format attribute is missing.
public let errSecMissingAttributePrivateKeyFormat: OSStatus = -67801
/// The symmetric key format attribute cannot be used.
public let errSecInvalidAttributeSymmetricKeyFormat: OSStatus = -67802
/// The symmetric key format attribute is missing.
public let errSecMissingAttributeSymmetricKeyFormat: OSStatus = -67803
/// The wrapped key format attribute cannot be used.
public let errSecInvalidAttributeWrappedKeyFormat: OSStatus = -67804
/// The wrapped key format attribute is missing.
public let errSecMissingAttributeWrappedKeyFormat: OSStatus = -67805
