internal import CofferCrypto
public import Foundation

/// What can be an item's value: bytes, data, or text, which is kept as UTF-8.
///
/// `Data`, `String` and `[UInt8]` conform; no other type needs to.
public protocol SecretValue: Sendable {
  /// The bytes to seal.
  var secretBytes: [UInt8] { get }
}

extension Data: SecretValue {
  /// The bytes themselves.
  public var secretBytes: [UInt8] { [UInt8](self) }
}

extension String: SecretValue {
  /// The text as UTF-8.
  public var secretBytes: [UInt8] { Array(utf8) }
}

extension [UInt8]: SecretValue {
  /// The bytes themselves.
  public var secretBytes: [UInt8] { self }
}
