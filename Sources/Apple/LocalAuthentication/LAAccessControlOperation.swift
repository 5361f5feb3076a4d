/// An operation on an item that is protected by an access control.
public enum LAAccessControlOperation: Int, Sendable {
  /// Creating an item.
  case createItem = 0
  /// Reading an item.
  case useItem = 1
  /// Creating a key.
  case createKey = 2
  /// Signing with a key.
  case useKeySign = 3
  /// Decrypting with a key.
  case useKeyDecrypt = 4
  /// Agreeing on a shared secret with a key.
  case useKeyKeyExchange = 5
}
