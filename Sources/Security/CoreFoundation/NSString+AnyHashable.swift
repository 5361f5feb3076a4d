public import Foundation

/// As a key of unknown type, an `NSString` is the `String` of its characters, as on Apple's systems.
///
/// Without it `[AnyHashable: Any]` finds nothing under `kSecClass` that was stored under `kSecClass as String`. The
/// protocol is the standard library's own and underscored; a test watches that it goes on working.
extension NSString: @retroactive _HasCustomAnyHashableRepresentation {
  /// The characters.
  public func _toCustomAnyHashable() -> AnyHashable? { AnyHashable(String(self)) }
}
