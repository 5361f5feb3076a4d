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
