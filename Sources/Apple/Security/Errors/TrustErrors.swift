// Apple's error codes of certificates and their revocation, from SecBase.h.

/// A required service is not available.
public let errSecServiceNotAvailable: OSStatus = -67585
/// The client identity is insufficient.
public let errSecInsufficientClientID: OSStatus = -67586
/// The device was reset.
public let errSecDeviceReset: OSStatus = -67587
/// The device failed.
public let errSecDeviceFailed: OSStatus = -67588
/// An application could not be added to the access control list.
public let errSecAppleAddAppACLSubject: OSStatus = -67589
/// The public key is incomplete.
public let errSecApplePublicKeyIncomplete: OSStatus = -67590
/// The signatures do not match.
public let errSecAppleSignatureMismatch: OSStatus = -67591
/// The key's start date is invalid.
public let errSecAppleInvalidKeyStartDate: OSStatus = -67592
/// The key's end date is invalid.
public let errSecAppleInvalidKeyEndDate: OSStatus = -67593
/// A conversion failed.
public let errSecConversionError: OSStatus = -67594
/// The peer attempted a rollback to SSL 2.
public let errSecAppleSSLv2Rollback: OSStatus = -67595
/// The quota is exceeded.
public let errSecQuotaExceeded: OSStatus = -67596
/// The file is too large.
public let errSecFileTooBig: OSStatus = -67597
/// The database contains a damaged blob.
public let errSecInvalidDatabaseBlob: OSStatus = -67598
/// The database contains a damaged key blob.
public let errSecInvalidKeyBlob: OSStatus = -67599
/// The database contains a blob of an incompatible version.
public let errSecIncompatibleDatabaseBlob: OSStatus = -67600
/// The database contains a key blob of an incompatible version.
public let errSecIncompatibleKeyBlob: OSStatus = -67601
/// The host name does not match.
public let errSecHostNameMismatch: OSStatus = -67602
/// A critical extension has an unknown flag.
public let errSecUnknownCriticalExtensionFlag: OSStatus = -67603
/// The certificate has no basic constraints.
public let errSecNoBasicConstraints: OSStatus = -67604
/// The basic constraints do not permit the certificate to act as a certificate authority.
public let errSecNoBasicConstraintsCA: OSStatus = -67605
/// The authority key identifier is invalid.
public let errSecInvalidAuthorityKeyID: OSStatus = -67606
/// The subject key identifier is invalid.
public let errSecInvalidSubjectKeyID: OSStatus = -67607
/// The policy does not allow this key usage.
public let errSecInvalidKeyUsageForPolicy: OSStatus = -67608
/// The extended key usage is invalid.
public let errSecInvalidExtendedKeyUsage: OSStatus = -67609
/// The identifiers of the certificates are not linked.
public let errSecInvalidIDLinkage: OSStatus = -67610
/// The path length constraint is exceeded.
public let errSecPathLengthConstraintExceeded: OSStatus = -67611
/// The root certificate is invalid.
public let errSecInvalidRoot: OSStatus = -67612
/// The revocation list has expired.
public let errSecCRLExpired: OSStatus = -67613
/// The revocation list is not valid yet.
public let errSecCRLNotValidYet: OSStatus = -67614
/// No revocation list was found.
public let errSecCRLNotFound: OSStatus = -67615
/// The server of the revocation list is not available.
public let errSecCRLServerDown: OSStatus = -67616
/// The revocation list's address is invalid.
public let errSecCRLBadURI: OSStatus = -67617
/// The certificate has an unknown extension.
public let errSecUnknownCertExtension: OSStatus = -67618
/// The revocation list has an unknown extension.
public let errSecUnknownCRLExtension: OSStatus = -67619
/// The revocation list is not trusted.
public let errSecCRLNotTrusted: OSStatus = -67620
/// The revocation list does not satisfy the policy.
public let errSecCRLPolicyFailed: OSStatus = -67621
/// The issuing distribution point is invalid.
public let errSecIDPFailure: OSStatus = -67622
/// The certificate has none of the required email addresses.
public let errSecSMIMEEmailAddressesNotFound: OSStatus = -67623
/// The extended key usage does not permit S/MIME.
public let errSecSMIMEBadExtendedKeyUsage: OSStatus = -67624
/// The key usage does not permit S/MIME.
public let errSecSMIMEBadKeyUsage: OSStatus = -67625
/// The key usage is not marked critical.
public let errSecSMIMEKeyUsageNotCritical: OSStatus = -67626
/// The certificate has no email address.
public let errSecSMIMENoEmailAddress: OSStatus = -67627
/// The subject's alternative name is not marked critical.
public let errSecSMIMESubjAltNameNotCritical: OSStatus = -67628
/// The extended key usage does not permit TLS.
public let errSecSSLBadExtendedKeyUsage: OSStatus = -67629
/// The OCSP response is malformed.
public let errSecOCSPBadResponse: OSStatus = -67630
/// The OCSP request is malformed.
public let errSecOCSPBadRequest: OSStatus = -67631
/// OCSP is not available.
public let errSecOCSPUnavailable: OSStatus = -67632
/// The OCSP server does not recognise the certificate.
public let errSecOCSPStatusUnrecognized: OSStatus = -67633
/// The end of the data was reached.
public let errSecEndOfData: OSStatus = -67634
/// The revocation check is incomplete.
public let errSecIncompleteCertRevocationCheck: OSStatus = -67635
/// A network operation failed.
public let errSecNetworkFailure: OSStatus = -67636
/// The signer of the OCSP response does not lead to a trusted root.
public let errSecOCSPNotTrustedToAnchor: OSStatus = -67637
/// The record was modified.
public let errSecRecordModified: OSStatus = -67638
/// The signature of the OCSP response is invalid.
public let errSecOCSPSignatureError: OSStatus = -67639
/// The OCSP response has no signer.
public let errSecOCSPNoSigner: OSStatus = -67640
/// The OCSP server reported a malformed request.
public let errSecOCSPResponderMalformedReq: OSStatus = -67641
/// The OCSP server reported an internal error.
public let errSecOCSPResponderInternalError: OSStatus = -67642
/// The OCSP server is busy.
public let errSecOCSPResponderTryLater: OSStatus = -67643
/// The OCSP server requires a signed request.
public let errSecOCSPResponderSignatureRequired: OSStatus = -67644
/// The OCSP server rejected the request as unauthorised.
public let errSecOCSPResponderUnauthorized: OSStatus = -67645
/// The OCSP response belongs to another request.
public let errSecOCSPResponseNonceMismatch: OSStatus = -67646
/// The length of the certificate chain does not permit code signing.
public let errSecCodeSigningBadCertChainLength: OSStatus = -67647
/// The code signing certificate has no basic constraints.
public let errSecCodeSigningNoBasicConstraints: OSStatus = -67648
/// The path length constraint does not permit code signing.
public let errSecCodeSigningBadPathLengthConstraint: OSStatus = -67649
/// The code signing certificate has no extended key usage.
public let errSecCodeSigningNoExtendedKeyUsage: OSStatus = -67650
/// The code was signed with a development certificate.
public let errSecCodeSigningDevelopment: OSStatus = -67651
/// The length of the certificate chain does not permit resource signing.
public let errSecResourceSignBadCertChainLength: OSStatus = -67652
/// The extended key usage does not permit resource signing.
public let errSecResourceSignBadExtKeyUsage: OSStatus = -67653
/// A trust setting denies the operation.
public let errSecTrustSettingDeny: OSStatus = -67654
/// The subject name is invalid.
public let errSecInvalidSubjectName: OSStatus = -67655
/// The certificate has an unknown qualified statement.
public let errSecUnknownQualifiedCertStatement: OSStatus = -67656
/// The MobileMe request is queued.
public let errSecMobileMeRequestQueued: OSStatus = -67657
/// The MobileMe request was redirected.
public let errSecMobileMeRequestRedirected: OSStatus = -67658
/// The MobileMe server failed.
public let errSecMobileMeServerError: OSStatus = -67659
/// The MobileMe server is not available.
public let errSecMobileMeServerNotAvailable: OSStatus = -67660
/// The item already exists on the MobileMe server.
public let errSecMobileMeServerAlreadyExists: OSStatus = -67661
/// The MobileMe service failed.
public let errSecMobileMeServerServiceErr: OSStatus = -67662
/// A MobileMe request is already pending.
public let errSecMobileMeRequestAlreadyPending: OSStatus = -67663
/// No MobileMe request is pending.
public let errSecMobileMeNoRequestPending: OSStatus = -67664
/// The MobileMe certificate signing request is invalid.
public let errSecMobileMeCSRVerifyFailure: OSStatus = -67665
/// The MobileMe response is inconsistent.
public let errSecMobileMeFailedConsistencyCheck: OSStatus = -67666

// Apple's error codes of trust, databases and time stamps, from SecBase.h.

/// A staged operation is in progress.
public let errSecStagedOperationInProgress: OSStatus = -67806
/// A staged operation was not started.
public let errSecStagedOperationNotStarted: OSStatus = -67807
/// A signature or other data could not be verified.
public let errSecVerifyFailed: OSStatus = -67808
/// The size of the query is unknown.
public let errSecQuerySizeUnknown: OSStatus = -67809
/// The block sizes do not match.
public let errSecBlockSizeMismatch: OSStatus = -67810
/// The public key is inconsistent.
public let errSecPublicKeyInconsistent: OSStatus = -67811
/// The device could not be verified.
public let errSecDeviceVerifyFailed: OSStatus = -67812
/// The login name is invalid.
public let errSecInvalidLoginName: OSStatus = -67813
/// The user is already logged in.
public let errSecAlreadyLoggedIn: OSStatus = -67814
/// The digest algorithm is invalid.
public let errSecInvalidDigestAlgorithm: OSStatus = -67815
/// The group of revocation lists is invalid.
public let errSecInvalidCRLGroup: OSStatus = -67816
/// The certificate cannot be used for this operation.
public let errSecCertificateCannotOperate: OSStatus = -67817
/// The certificate has expired.
public let errSecCertificateExpired: OSStatus = -67818
/// The certificate is not valid yet.
public let errSecCertificateNotValidYet: OSStatus = -67819
/// The certificate was revoked.
public let errSecCertificateRevoked: OSStatus = -67820
/// The certificate is suspended.
public let errSecCertificateSuspended: OSStatus = -67821
/// The credentials are insufficient.
public let errSecInsufficientCredentials: OSStatus = -67822
/// The action is invalid.
public let errSecInvalidAction: OSStatus = -67823
/// The authority is invalid.
public let errSecInvalidAuthority: OSStatus = -67824
/// The action could not be verified.
public let errSecVerifyActionFailed: OSStatus = -67825
/// The certificate authority is invalid.
public let errSecInvalidCertAuthority: OSStatus = -67826
/// The older, misspelt name of ``errSecInvalidCRLAuthority``.
public let errSecInvaldCRLAuthority: OSStatus = -67827
/// The revocation list's encoding is invalid.
public let errSecInvalidCRLEncoding: OSStatus = -67828
/// The revocation list's type is invalid.
public let errSecInvalidCRLType: OSStatus = -67829
/// The revocation list is invalid.
public let errSecInvalidCRL: OSStatus = -67830
/// The form's type is invalid.
public let errSecInvalidFormType: OSStatus = -67831
/// The identifier is invalid.
public let errSecInvalidID: OSStatus = -67832
/// The identifier is invalid.
public let errSecInvalidIdentifier: OSStatus = -67833
/// The index is invalid.
public let errSecInvalidIndex: OSStatus = -67834
/// The policy identifiers are invalid.
public let errSecInvalidPolicyIdentifiers: OSStatus = -67835
/// The time string is invalid.
public let errSecInvalidTimeString: OSStatus = -67836
/// The reason is invalid.
public let errSecInvalidReason: OSStatus = -67837
/// The request's inputs are invalid.
public let errSecInvalidRequestInputs: OSStatus = -67838
/// The responses are invalid.
public let errSecInvalidResponseVector: OSStatus = -67839
/// The policy for stopping is invalid.
public let errSecInvalidStopOnPolicy: OSStatus = -67840
/// The tuple is invalid.
public let errSecInvalidTuple: OSStatus = -67841
/// More than one value is not supported.
public let errSecMultipleValuesUnsupported: OSStatus = -67842
/// The certificate is not trusted.
public let errSecNotTrusted: OSStatus = -67843
/// No default authority exists.
public let errSecNoDefaultAuthority: OSStatus = -67844
/// The form was rejected.
public let errSecRejectedForm: OSStatus = -67845
/// The request was lost.
public let errSecRequestLost: OSStatus = -67846
/// The request was rejected.
public let errSecRequestRejected: OSStatus = -67847
/// The kind of address is not supported.
public let errSecUnsupportedAddressType: OSStatus = -67848
/// The service is not supported.
public let errSecUnsupportedService: OSStatus = -67849
/// The group of tuples is invalid.
public let errSecInvalidTupleGroup: OSStatus = -67850
/// The base access control lists are invalid.
public let errSecInvalidBaseACLs: OSStatus = -67851
/// The older, misspelt name of ``errSecInvalidTupleCredentials``.
public let errSecInvalidTupleCredendtials: OSStatus = -67852
/// The encoding is invalid.
public let errSecInvalidEncoding: OSStatus = -67853
/// The period of validity is invalid.
public let errSecInvalidValidityPeriod: OSStatus = -67854
/// The requester is invalid.
public let errSecInvalidRequestor: OSStatus = -67855
/// The descriptor of the request is invalid.
public let errSecRequestDescriptor: OSStatus = -67856
/// The bundle's information is invalid.
public let errSecInvalidBundleInfo: OSStatus = -67857
/// The index in the revocation list is invalid.
public let errSecInvalidCRLIndex: OSStatus = -67858
/// No field has a value.
public let errSecNoFieldValues: OSStatus = -67859
/// The field's format is not supported.
public let errSecUnsupportedFieldFormat: OSStatus = -67860
/// The index information is not supported.
public let errSecUnsupportedIndexInfo: OSStatus = -67861
/// The locality is not supported.
public let errSecUnsupportedLocality: OSStatus = -67862
/// The number of attributes is not supported.
public let errSecUnsupportedNumAttributes: OSStatus = -67863
/// The number of indexes is not supported.
public let errSecUnsupportedNumIndexes: OSStatus = -67864
/// The number of record types is not supported.
public let errSecUnsupportedNumRecordTypes: OSStatus = -67865
/// A field was specified more than once.
public let errSecFieldSpecifiedMultiple: OSStatus = -67866
/// The format of the field is incompatible.
public let errSecIncompatibleFieldFormat: OSStatus = -67867
/// The parsing module is invalid.
public let errSecInvalidParsingModule: OSStatus = -67868
/// The database is locked.
public let errSecDatabaseLocked: OSStatus = -67869
/// The data store is already open.
public let errSecDatastoreIsOpen: OSStatus = -67870
/// A value is missing.
public let errSecMissingValue: OSStatus = -67871
/// The query's limits are not supported.
public let errSecUnsupportedQueryLimits: OSStatus = -67872
/// The number of selection predicates is not supported.
public let errSecUnsupportedNumSelectionPreds: OSStatus = -67873
/// The operator is not supported.
public let errSecUnsupportedOperator: OSStatus = -67874
/// The location of the database is invalid.
public let errSecInvalidDBLocation: OSStatus = -67875
/// The access request is invalid.
public let errSecInvalidAccessRequest: OSStatus = -67876
/// The index information is invalid.
public let errSecInvalidIndexInfo: OSStatus = -67877
/// The new owner is invalid.
public let errSecInvalidNewOwner: OSStatus = -67878
/// The modification mode is invalid.
public let errSecInvalidModifyMode: OSStatus = -67879
/// The certificate lacks a required extension.
public let errSecMissingRequiredExtension: OSStatus = -67880
/// The extended key usage is not marked critical.
public let errSecExtendedKeyUsageNotCritical: OSStatus = -67881
/// The time stamp is missing.
public let errSecTimestampMissing: OSStatus = -67882
/// The time stamp is invalid.
public let errSecTimestampInvalid: OSStatus = -67883
/// The time stamp is not trusted.
public let errSecTimestampNotTrusted: OSStatus = -67884
/// The time stamp service is not available.
public let errSecTimestampServiceNotAvailable: OSStatus = -67885
/// The algorithm of the time stamp is unknown.
public let errSecTimestampBadAlg: OSStatus = -67886
/// The time stamp request was rejected.
public let errSecTimestampBadRequest: OSStatus = -67887
/// The data of the time stamp request is malformed.
public let errSecTimestampBadDataFormat: OSStatus = -67888
/// The time source of the time stamp service is not available.
public let errSecTimestampTimeNotAvailable: OSStatus = -67889
/// The time stamp service does not support the policy.
public let errSecTimestampUnacceptedPolicy: OSStatus = -67890
/// The time stamp service does not support the extension.
public let errSecTimestampUnacceptedExtension: OSStatus = -67891
/// The additional information is not available from the time stamp service.
public let errSecTimestampAddInfoNotAvailable: OSStatus = -67892
/// The time stamp service failed.
public let errSecTimestampSystemFailure: OSStatus = -67893
/// The signing time is missing.
public let errSecSigningTimeMissing: OSStatus = -67894
/// The time stamp service rejected the request.
public let errSecTimestampRejection: OSStatus = -67895
/// The time stamp service has not answered the request yet.
public let errSecTimestampWaiting: OSStatus = -67896
/// The certificate of the time stamp service is about to be revoked.
public let errSecTimestampRevocationWarning: OSStatus = -67897
/// The certificate of the time stamp service was revoked.
public let errSecTimestampRevocationNotification: OSStatus = -67898
/// The policy of the certificate is not allowed.
public let errSecCertificatePolicyNotAllowed: OSStatus = -67899
/// The name of the certificate is not allowed.
public let errSecCertificateNameNotAllowed: OSStatus = -67900
/// The validity period of the certificate is too long.
public let errSecCertificateValidityPeriodTooLong: OSStatus = -67901
/// The certificate belongs to a certificate authority, which is not permitted here.
public let errSecCertificateIsCA: OSStatus = -67902
/// The certificate has a duplicate extension.
public let errSecCertificateDuplicateExtension: OSStatus = -67903
/// The authority of the revocation list is invalid.
public let errSecInvalidCRLAuthority: OSStatus = -67827
/// The tuple's credentials are invalid.
public let errSecInvalidTupleCredentials: OSStatus = -67852
