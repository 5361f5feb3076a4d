// Apple's numbers of errors about trust, databases and time stamps: SecBase.h.

/// A staged operation is under way.
public let errSecStagedOperationInProgress: OSStatus = -67806
/// No staged operation was started.
public let errSecStagedOperationNotStarted: OSStatus = -67807
/// The signature or check does not fit.
public let errSecVerifyFailed: OSStatus = -67808
/// The size is not known.
public let errSecQuerySizeUnknown: OSStatus = -67809
/// The block sizes differ.
public let errSecBlockSizeMismatch: OSStatus = -67810
/// The public key contradicts itself.
public let errSecPublicKeyInconsistent: OSStatus = -67811
/// The device failed its check.
public let errSecDeviceVerifyFailed: OSStatus = -67812
/// The login name cannot be used.
public let errSecInvalidLoginName: OSStatus = -67813
/// Somebody is logged in already.
public let errSecAlreadyLoggedIn: OSStatus = -67814
/// The digest cannot be used.
public let errSecInvalidDigestAlgorithm: OSStatus = -67815
/// The group of revocation lists cannot be used.
public let errSecInvalidCRLGroup: OSStatus = -67816
/// The certificate cannot be used for this.
public let errSecCertificateCannotOperate: OSStatus = -67817
/// The certificate has expired.
public let errSecCertificateExpired: OSStatus = -67818
/// The certificate is not valid yet.
public let errSecCertificateNotValidYet: OSStatus = -67819
/// The certificate was revoked.
public let errSecCertificateRevoked: OSStatus = -67820
/// The certificate is suspended.
public let errSecCertificateSuspended: OSStatus = -67821
/// The credentials do not suffice.
public let errSecInsufficientCredentials: OSStatus = -67822
/// The action cannot be used.
public let errSecInvalidAction: OSStatus = -67823
/// The authority cannot be used.
public let errSecInvalidAuthority: OSStatus = -67824
/// The action failed its check.
public let errSecVerifyActionFailed: OSStatus = -67825
/// The certificate authority cannot be used.
public let errSecInvalidCertAuthority: OSStatus = -67826
/// The authority of the revocation list cannot be used, under Apple's misspelt name.
public let errSecInvaldCRLAuthority: OSStatus = -67827
/// The revocation list's encoding cannot be used.
public let errSecInvalidCRLEncoding: OSStatus = -67828
/// The revocation list's type cannot be used.
public let errSecInvalidCRLType: OSStatus = -67829
/// The revocation list cannot be used.
public let errSecInvalidCRL: OSStatus = -67830
/// The form's type cannot be used.
public let errSecInvalidFormType: OSStatus = -67831
/// The identifier cannot be used.
public let errSecInvalidID: OSStatus = -67832
/// The identifier cannot be used.
public let errSecInvalidIdentifier: OSStatus = -67833
/// The index cannot be used.
public let errSecInvalidIndex: OSStatus = -67834
/// The policy identifiers cannot be used.
public let errSecInvalidPolicyIdentifiers: OSStatus = -67835
/// The time cannot be read.
public let errSecInvalidTimeString: OSStatus = -67836
/// The reason cannot be used.
public let errSecInvalidReason: OSStatus = -67837
/// The request's inputs cannot be used.
public let errSecInvalidRequestInputs: OSStatus = -67838
/// The responses cannot be used.
public let errSecInvalidResponseVector: OSStatus = -67839
/// The policy for stopping cannot be used.
public let errSecInvalidStopOnPolicy: OSStatus = -67840
/// The tuple cannot be used.
public let errSecInvalidTuple: OSStatus = -67841
/// More than one value is not supported.
public let errSecMultipleValuesUnsupported: OSStatus = -67842
/// The certificate is not trusted.
public let errSecNotTrusted: OSStatus = -67843
/// There is no default authority.
public let errSecNoDefaultAuthority: OSStatus = -67844
/// The form was refused.
public let errSecRejectedForm: OSStatus = -67845
/// The request was lost.
public let errSecRequestLost: OSStatus = -67846
/// The request was refused.
public let errSecRequestRejected: OSStatus = -67847
/// The kind of address is not supported.
public let errSecUnsupportedAddressType: OSStatus = -67848
/// The service is not supported.
public let errSecUnsupportedService: OSStatus = -67849
/// The group of tuples cannot be used.
public let errSecInvalidTupleGroup: OSStatus = -67850
/// The base access lists cannot be used.
public let errSecInvalidBaseACLs: OSStatus = -67851
/// The tuple's credentials cannot be used, under Apple's misspelt name.
public let errSecInvalidTupleCredendtials: OSStatus = -67852
/// The encoding cannot be used.
public let errSecInvalidEncoding: OSStatus = -67853
/// The period of validity cannot be used.
public let errSecInvalidValidityPeriod: OSStatus = -67854
/// The requester cannot be used.
public let errSecInvalidRequestor: OSStatus = -67855
/// The request's description cannot be used.
public let errSecRequestDescriptor: OSStatus = -67856
/// The bundle's information cannot be used.
public let errSecInvalidBundleInfo: OSStatus = -67857
/// The index in the revocation list cannot be used.
public let errSecInvalidCRLIndex: OSStatus = -67858
/// No field has a value.
public let errSecNoFieldValues: OSStatus = -67859
/// The field's format is not supported.
public let errSecUnsupportedFieldFormat: OSStatus = -67860
/// The index information is not supported.
public let errSecUnsupportedIndexInfo: OSStatus = -67861
/// The locality is not supported.
public let errSecUnsupportedLocality: OSStatus = -67862
/// So many attributes are not supported.
public let errSecUnsupportedNumAttributes: OSStatus = -67863
/// So many indexes are not supported.
public let errSecUnsupportedNumIndexes: OSStatus = -67864
/// So many record types are not supported.
public let errSecUnsupportedNumRecordTypes: OSStatus = -67865
/// A field was named more than once.
public let errSecFieldSpecifiedMultiple: OSStatus = -67866
/// The field's format does not fit.
public let errSecIncompatibleFieldFormat: OSStatus = -67867
/// The parsing module cannot be used.
public let errSecInvalidParsingModule: OSStatus = -67868
/// The database is locked.
public let errSecDatabaseLocked: OSStatus = -67869
/// The data store is open.
public let errSecDatastoreIsOpen: OSStatus = -67870
/// A value is missing.
public let errSecMissingValue: OSStatus = -67871
/// The query's limits are not supported.
public let errSecUnsupportedQueryLimits: OSStatus = -67872
/// So many predicates are not supported.
public let errSecUnsupportedNumSelectionPreds: OSStatus = -67873
/// The operator is not supported.
public let errSecUnsupportedOperator: OSStatus = -67874
/// The database's place cannot be used.
public let errSecInvalidDBLocation: OSStatus = -67875
/// The access request cannot be used.
public let errSecInvalidAccessRequest: OSStatus = -67876
/// The index information cannot be used.
public let errSecInvalidIndexInfo: OSStatus = -67877
/// The new owner cannot be used.
public let errSecInvalidNewOwner: OSStatus = -67878
/// The way of changing cannot be used.
public let errSecInvalidModifyMode: OSStatus = -67879
/// The certificate lacks an extension that is needed.
public let errSecMissingRequiredExtension: OSStatus = -67880
/// The extended key usage is not marked critical.
public let errSecExtendedKeyUsageNotCritical: OSStatus = -67881
/// There is no time stamp.
public let errSecTimestampMissing: OSStatus = -67882
/// The time stamp is wrong.
public let errSecTimestampInvalid: OSStatus = -67883
/// The time stamp is not trusted.
public let errSecTimestampNotTrusted: OSStatus = -67884
/// The time stamp service is not available.
public let errSecTimestampServiceNotAvailable: OSStatus = -67885
/// The time stamp's algorithm is not known.
public let errSecTimestampBadAlg: OSStatus = -67886
/// The time stamp request is not allowed.
public let errSecTimestampBadRequest: OSStatus = -67887
/// The time stamp request's data has a wrong format.
public let errSecTimestampBadDataFormat: OSStatus = -67888
/// The time stamp service has no time.
public let errSecTimestampTimeNotAvailable: OSStatus = -67889
/// The time stamp service does not know the policy.
public let errSecTimestampUnacceptedPolicy: OSStatus = -67890
/// The time stamp service does not know the extension.
public let errSecTimestampUnacceptedExtension: OSStatus = -67891
/// The time stamp service lacks what else was asked for.
public let errSecTimestampAddInfoNotAvailable: OSStatus = -67892
/// The time stamp service failed.
public let errSecTimestampSystemFailure: OSStatus = -67893
/// There is no signing time.
public let errSecSigningTimeMissing: OSStatus = -67894
/// The time stamp was refused.
public let errSecTimestampRejection: OSStatus = -67895
/// The time stamp is still to come.
public let errSecTimestampWaiting: OSStatus = -67896
/// The time stamp service is about to be revoked.
public let errSecTimestampRevocationWarning: OSStatus = -67897
/// The time stamp service was revoked.
public let errSecTimestampRevocationNotification: OSStatus = -67898
/// The certificate may not have this policy.
public let errSecCertificatePolicyNotAllowed: OSStatus = -67899
/// The certificate may not have this name.
public let errSecCertificateNameNotAllowed: OSStatus = -67900
/// The certificate is valid for too long.
public let errSecCertificateValidityPeriodTooLong: OSStatus = -67901
/// The certificate is an authority's and must not be.
public let errSecCertificateIsCA: OSStatus = -67902
/// The certificate has an extension twice.
public let errSecCertificateDuplicateExtension: OSStatus = -67903
/// The authority of the revocation list cannot be used.
public let errSecInvalidCRLAuthority: OSStatus = -67827
/// The tuple's credentials cannot be used.
public let errSecInvalidTupleCredentials: OSStatus = -67852
