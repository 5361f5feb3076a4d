/// The operations of keys.
public enum SecKeyOperationType: CFIndex, Sendable {
  /// Signing.
  case sign = 0
  /// Verifying a signature.
  case verify = 1
  /// Encrypting.
  case encrypt = 2
  /// Decrypting.
  case decrypt = 3
  /// Agreeing on a shared secret.
  case keyExchange = 4
}
