/// The kinds of secrets that a program can give to a context.
public enum LACredentialType: Int, Sendable {
  /// The password of an item whose access control requires an application password.
  case applicationPassword = 0
  /// The PIN of a smart card. Kept, but never used on Linux.
  case smartCardPIN = -3
}
