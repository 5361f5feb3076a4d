/// The result of `coffer-secret-service --look-up`: whether the Secret Service of the session finds an item, as another
/// program would look for it.
package enum SecretServiceLookUp: String, Codable, Sendable {
  /// It was found, with its value.
  case found
  /// The collection is locked, and may have it.
  case locked
  /// The process tree of the caller may not read values; the item was found.
  case denied
  /// It is not there for a program outside of a sandbox.
  case absent
  /// The service did not answer.
  case failed
}
