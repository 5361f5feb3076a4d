public import Foundation

/// Returns Apple's message for an error code, in English.
///
/// - Parameters:
///   - status: The error code.
///   - reserved: Ignored; pass nil.
/// - Returns: The message; "OSStatus" and the number for codes without a known message.
@discardableResult
public func SecCopyErrorMessageString(_ status: OSStatus, _ reserved: UnsafeMutableRawPointer?) -> CFString? {
  NSString(string: errorMessage(for: status))
}

/// Returns Apple's message for an error code.
func errorMessage(for status: OSStatus) -> String {
  switch status {
  case errSecSuccess: "No error."
  case errSecUnimplemented: "Function or operation not implemented."
  case errSecDiskFull: "The disk is full."
  case errSecIO: "I/O error."
  case errSecParam: "One or more parameters passed to a function were not valid."
  case errSecWrPerm: "Write permissions error."
  case errSecAllocate: "Failed to allocate memory."
  case errSecUserCanceled: "User canceled the operation."
  case errSecBadReq: "Bad parameter or invalid state for operation."
  case errSecNotAvailable: "No vault is available. Create one with `coffer init`, or see `coffer status`."
  case errSecReadOnly: "This keychain cannot be modified."
  case errSecAuthFailed: "The user name or passphrase you entered is not correct."
  case errSecDuplicateItem: "The specified item already exists in the keychain."
  case errSecItemNotFound: "The specified item could not be found in the keychain."
  case errSecNoSuchAttr: "The specified attribute does not exist."
  case errSecInvalidItemRef: "The specified item is no longer valid. It may have been deleted from the keychain."
  case errSecNoSuchClass: "The specified item does not appear to be a valid keychain item."
  case errSecInteractionNotAllowed: "User interaction is not allowed."
  case errSecInteractionRequired: "User interaction is required, but is currently not allowed."
  case errSecDecode: "Unable to decode the provided data."
  case errSecMissingEntitlement: "A required entitlement isn't present."
  case errSecRestrictedAPI: "Client is restricted and is not permitted to perform this operation."
  case errSecHostNameMismatch: "A host name mismatch has occurred."
  case errSecUnknownCriticalExtensionFlag: "There is an unknown critical extension flag."
  case errSecNoBasicConstraintsCA: "No basic CA constraints were found."
  case errSecInvalidExtendedKeyUsage: "The extended key usage is not valid."
  case errSecPathLengthConstraintExceeded: "The path length constraint was exceeded."
  case errSecInvalidSignature: "An invalid signature was detected."
  case errSecUnsupportedKeySize: "The key size is not supported."
  case errSecInvalidDigestAlgorithm: "An invalid digest algorithm was detected."
  case errSecCertificateExpired: "An expired certificate was detected."
  case errSecCertificateNotValidYet: "The certificate is not yet valid."
  case errSecNotTrusted: "The trust policy was not trusted."
  case errSecCertificateNameNotAllowed: "The requested name is not allowed for this certificate."
  default: "OSStatus \(status)"
  }
}
