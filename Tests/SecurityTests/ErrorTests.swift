internal import Foundation
internal import Security
internal import Testing

@Suite struct ErrorTests {
  @Test func `Numbers and messages are Apple's`() {
    let table: [(OSStatus, OSStatus, String)] = [
      (errSecSuccess, 0, "No error."),
      (errSecUnimplemented, -4, "Function or operation not implemented."),
      (errSecDiskFull, -34, "The disk is full."),
      (errSecIO, -36, "I/O error."),
      (errSecParam, -50, "One or more parameters passed to a function were not valid."),
      (errSecWrPerm, -61, "Write permissions error."),
      (errSecAllocate, -108, "Failed to allocate memory."),
      (errSecUserCanceled, -128, "User canceled the operation."),
      (errSecBadReq, -909, "Bad parameter or invalid state for operation."),
      (errSecNotAvailable, -25291, "No vault is available. Create one with `coffer init`, or see `coffer status`."),
      (errSecReadOnly, -25292, "This keychain cannot be modified."),
      (errSecAuthFailed, -25293, "The user name or passphrase you entered is not correct."),
      (errSecDuplicateItem, -25299, "The specified item already exists in the keychain."),
      (errSecItemNotFound, -25300, "The specified item could not be found in the keychain."),
      (errSecNoSuchAttr, -25303, "The specified attribute does not exist."),
      (
        errSecInvalidItemRef, -25304,
        "The specified item is no longer valid. It may have been deleted from the keychain."
      ),
      (errSecNoSuchClass, -25306, "The specified item does not appear to be a valid keychain item."),
      (errSecInteractionNotAllowed, -25308, "User interaction is not allowed."),
      (errSecInteractionRequired, -25315, "User interaction is required, but is currently not allowed."),
      (errSecDecode, -26275, "Unable to decode the provided data."),
      (errSecMissingEntitlement, -34018, "A required entitlement isn't present."),
      (errSecRestrictedAPI, -34020, "Client is restricted and is not permitted to perform this operation."),
    ]
    for (status, number, message) in table {
      #expect(status == number)
      #expect(SecCopyErrorMessageString(status, nil) as String? == message)
    }
    #expect(SecCopyErrorMessageString(-12345, nil) as String? == "OSStatus -12345")
    #expect(noErr == 0)
  }

  @Test func `Numbers in the long sequences of SecBase.h are at their positions`() {
    #expect(errSecServiceNotAvailable == -67585)
    #expect(errSecHostNameMismatch == -67602)
    #expect(errSecOCSPUnavailable == -67632)
    #expect(errSecNotInitialized == -67667)
    #expect(errSecInvalidSignature == -67688)
    #expect(errSecInvalidKeyRef == -67712)
    #expect(errSecUnsupportedKeySize == -67735)
    #expect(errSecInvalidAttributeKey == -67748)
    #expect(errSecMissingAlgorithmParms == -67771)
    #expect(errSecMissingAttributeWrappedKeyFormat == -67805)
    #expect(errSecVerifyFailed == -67808)
    #expect(errSecCertificateExpired == -67818)
    #expect(errSecNotTrusted == -67843)
    #expect(errSecInvalidModifyMode == -67879)
    #expect(errSecCertificateValidityPeriodTooLong == -67901)
    #expect(errSecCertificateDuplicateExtension == -67903)
    #expect(errSecPkcs12VerifyFailure == -25264)
    #expect(errSecNotSigner == -26267)
  }
}
