// Apple's numbers of errors about certificates and their revocation: SecBase.h.

/// A service that this needs is not available.
public let errSecServiceNotAvailable: OSStatus = -67585
/// The client's identity does not suffice.
public let errSecInsufficientClientID: OSStatus = -67586
/// The device was reset.
public let errSecDeviceReset: OSStatus = -67587
/// The device failed.
public let errSecDeviceFailed: OSStatus = -67588
/// An application could not be added to the access list.
public let errSecAppleAddAppACLSubject: OSStatus = -67589
/// The public key lacks a part.
public let errSecApplePublicKeyIncomplete: OSStatus = -67590
/// The signatures differ.
public let errSecAppleSignatureMismatch: OSStatus = -67591
/// The key's start date cannot be used.
public let errSecAppleInvalidKeyStartDate: OSStatus = -67592
/// The key's end date cannot be used.
public let errSecAppleInvalidKeyEndDate: OSStatus = -67593
/// A conversion failed.
public let errSecConversionError: OSStatus = -67594
/// The other side fell back to SSL 2.
public let errSecAppleSSLv2Rollback: OSStatus = -67595
/// The quota is used up.
public let errSecQuotaExceeded: OSStatus = -67596
/// The file is too big.
public let errSecFileTooBig: OSStatus = -67597
/// The database holds a damaged blob.
public let errSecInvalidDatabaseBlob: OSStatus = -67598
/// The database holds a damaged key blob.
public let errSecInvalidKeyBlob: OSStatus = -67599
/// The database holds a blob of another version.
public let errSecIncompatibleDatabaseBlob: OSStatus = -67600
/// The database holds a key blob of another version.
public let errSecIncompatibleKeyBlob: OSStatus = -67601
/// The host's name is another one.
public let errSecHostNameMismatch: OSStatus = -67602
/// A critical extension has an unknown flag.
public let errSecUnknownCriticalExtensionFlag: OSStatus = -67603
/// The certificate has no basic constraints.
public let errSecNoBasicConstraints: OSStatus = -67604
/// The certificate's basic constraints do not make it an authority.
public let errSecNoBasicConstraintsCA: OSStatus = -67605
/// The authority key identifier is wrong.
public let errSecInvalidAuthorityKeyID: OSStatus = -67606
/// The subject key identifier is wrong.
public let errSecInvalidSubjectKeyID: OSStatus = -67607
/// The policy does not allow this key usage.
public let errSecInvalidKeyUsageForPolicy: OSStatus = -67608
/// The extended key usage is wrong.
public let errSecInvalidExtendedKeyUsage: OSStatus = -67609
/// The identifiers do not link up.
public let errSecInvalidIDLinkage: OSStatus = -67610
/// The chain is longer than a certificate in it allows.
public let errSecPathLengthConstraintExceeded: OSStatus = -67611
/// The root certificate is wrong.
public let errSecInvalidRoot: OSStatus = -67612
/// The revocation list has expired.
public let errSecCRLExpired: OSStatus = -67613
/// The revocation list is not valid yet.
public let errSecCRLNotValidYet: OSStatus = -67614
/// There is no revocation list.
public let errSecCRLNotFound: OSStatus = -67615
/// The server of the revocation list is down.
public let errSecCRLServerDown: OSStatus = -67616
/// The revocation list's address is wrong.
public let errSecCRLBadURI: OSStatus = -67617
/// The certificate has an unknown extension.
public let errSecUnknownCertExtension: OSStatus = -67618
/// The revocation list has an unknown extension.
public let errSecUnknownCRLExtension: OSStatus = -67619
/// The revocation list is not trusted.
public let errSecCRLNotTrusted: OSStatus = -67620
/// The revocation list does not fulfil the policy.
public let errSecCRLPolicyFailed: OSStatus = -67621
/// The issuing distribution point is wrong.
public let errSecIDPFailure: OSStatus = -67622
/// The certificate has none of the addresses.
public let errSecSMIMEEmailAddressesNotFound: OSStatus = -67623
/// The extended key usage does not fit S/MIME.
public let errSecSMIMEBadExtendedKeyUsage: OSStatus = -67624
/// The key usage does not fit S/MIME.
public let errSecSMIMEBadKeyUsage: OSStatus = -67625
/// The key usage is not marked critical.
public let errSecSMIMEKeyUsageNotCritical: OSStatus = -67626
/// The certificate has no address.
public let errSecSMIMENoEmailAddress: OSStatus = -67627
/// The subject's alternative name is not marked critical.
public let errSecSMIMESubjAltNameNotCritical: OSStatus = -67628
/// The extended key usage does not fit TLS.
public let errSecSSLBadExtendedKeyUsage: OSStatus = -67629
/// The OCSP response cannot be read.
public let errSecOCSPBadResponse: OSStatus = -67630
/// The OCSP request cannot be read.
public let errSecOCSPBadRequest: OSStatus = -67631
/// OCSP is not available.
public let errSecOCSPUnavailable: OSStatus = -67632
/// The OCSP server does not know the certificate.
public let errSecOCSPStatusUnrecognized: OSStatus = -67633
/// There is no more data.
public let errSecEndOfData: OSStatus = -67634
/// The check for revocation is incomplete.
public let errSecIncompleteCertRevocationCheck: OSStatus = -67635
/// The network failed.
public let errSecNetworkFailure: OSStatus = -67636
/// The OCSP response does not lead to a trusted certificate.
public let errSecOCSPNotTrustedToAnchor: OSStatus = -67637
/// The record was changed.
public let errSecRecordModified: OSStatus = -67638
/// The OCSP response's signature is wrong.
public let errSecOCSPSignatureError: OSStatus = -67639
/// The OCSP response has no signer.
public let errSecOCSPNoSigner: OSStatus = -67640
/// The OCSP server found the request malformed.
public let errSecOCSPResponderMalformedReq: OSStatus = -67641
/// The OCSP server failed.
public let errSecOCSPResponderInternalError: OSStatus = -67642
/// The OCSP server is busy.
public let errSecOCSPResponderTryLater: OSStatus = -67643
/// The OCSP server wants a signed request.
public let errSecOCSPResponderSignatureRequired: OSStatus = -67644
/// The OCSP server refused the request.
public let errSecOCSPResponderUnauthorized: OSStatus = -67645
/// The OCSP response belongs to another request.
public let errSecOCSPResponseNonceMismatch: OSStatus = -67646
/// The chain's length does not fit code signing.
public let errSecCodeSigningBadCertChainLength: OSStatus = -67647
/// The code signing certificate has no basic constraints.
public let errSecCodeSigningNoBasicConstraints: OSStatus = -67648
/// The path length does not fit code signing.
public let errSecCodeSigningBadPathLengthConstraint: OSStatus = -67649
/// The code signing certificate has no extended key usage.
public let errSecCodeSigningNoExtendedKeyUsage: OSStatus = -67650
/// The code was signed for development.
public let errSecCodeSigningDevelopment: OSStatus = -67651
/// The chain's length does not fit resource signing.
public let errSecResourceSignBadCertChainLength: OSStatus = -67652
/// The extended key usage does not fit resource signing.
public let errSecResourceSignBadExtKeyUsage: OSStatus = -67653
/// A trust setting denies this.
public let errSecTrustSettingDeny: OSStatus = -67654
/// The subject's name is wrong.
public let errSecInvalidSubjectName: OSStatus = -67655
/// The certificate has an unknown qualified statement.
public let errSecUnknownQualifiedCertStatement: OSStatus = -67656
/// The MobileMe request waits.
public let errSecMobileMeRequestQueued: OSStatus = -67657
/// The MobileMe request was sent elsewhere.
public let errSecMobileMeRequestRedirected: OSStatus = -67658
/// The MobileMe server failed.
public let errSecMobileMeServerError: OSStatus = -67659
/// The MobileMe server is not available.
public let errSecMobileMeServerNotAvailable: OSStatus = -67660
/// The MobileMe server has it already.
public let errSecMobileMeServerAlreadyExists: OSStatus = -67661
/// The MobileMe service failed.
public let errSecMobileMeServerServiceErr: OSStatus = -67662
/// A MobileMe request is under way already.
public let errSecMobileMeRequestAlreadyPending: OSStatus = -67663
/// No MobileMe request is under way.
public let errSecMobileMeNoRequestPending: OSStatus = -67664
/// The MobileMe signing request is wrong.
public let errSecMobileMeCSRVerifyFailure: OSStatus = -67665
/// The MobileMe answer contradicts itself.
public let errSecMobileMeFailedConsistencyCheck: OSStatus = -67666
