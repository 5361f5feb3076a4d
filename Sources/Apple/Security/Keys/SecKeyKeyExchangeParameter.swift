public import Foundation

/// A dictionary key of the parameters of ``SecKeyCopyKeyExchangeResult(_:_:_:_:_:)``.
public struct SecKeyKeyExchangeParameter: RawRepresentable, Hashable, Sendable {
  private let name: String

  /// Apple's name.
  public var rawValue: CFString { NSString(string: name) }

  /// Creates a dictionary key from Apple's name.
  public init(rawValue: CFString) { name = String(rawValue) }

  private init(_ name: String) { self.name = name }

  /// The length of the derived key in bytes: a number.
  public static let requestedSize = SecKeyKeyExchangeParameter("requestedSize")
  /// The shared information that is included in the derivation: data.
  public static let sharedInfo = SecKeyKeyExchangeParameter("sharedInfo")
}
