/// The reason why a cryptographic operation failed. It never contains key material or plain text.
package enum CryptoError: Error, Hashable, Sendable {
  /// A sealed message, box or slot could not be authenticated: the key is wrong or the bytes were altered.
  case authenticationFailed
  /// An input has a size that the primitive does not accept.
  case invalidSize
  /// A public key is not a usable point.
  case invalidPublicKey
  /// Password-hashing parameters are outside the range that this program accepts.
  case parametersRefused
  /// The system has no memory left for the operation.
  case outOfMemory
}
