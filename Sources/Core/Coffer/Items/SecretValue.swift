internal import CofferCrypto
public import CofferPlatform

/// A type that can be an item's value: `Data`, `[UInt8]`, or `String`, which is stored as UTF-8. No other type needs to
/// conform.
public protocol SecretValue: Sendable {
  /// The value as bytes.
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
