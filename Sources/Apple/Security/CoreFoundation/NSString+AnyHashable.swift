public import Foundation

/// Makes an `NSString` equal to the `String` with the same characters as an `AnyHashable`, as on Apple's systems.
///
/// Without it, `[AnyHashable: Any]` does not find under `kSecClass` a value that was stored under `kSecClass as
/// String`. The protocol is an underscored one of the standard library; a test verifies that it still works.
extension NSString: @retroactive _HasCustomAnyHashableRepresentation {
  /// Returns the string as a `String`.
  public func _toCustomAnyHashable() -> AnyHashable? { AnyHashable(String(self)) }
}
