/// Why a cryptographic operation gave no result. It never carries key material or plain text.
package enum CryptoError: Error, Hashable, Sendable {
  /// A sealed message, box or slot did not authenticate: wrong key, or altered bytes.
  case authenticationFailed
  /// An input has a size that the primitive does not take.
  case invalidSize
  /// A public key is not a usable point.
  case invalidPublicKey
  /// Password-hashing parameters lie outside what this program accepts.
  case parametersRefused
  /// The system has no memory left for the operation.
  case outOfMemory
}
