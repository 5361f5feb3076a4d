/// The conditions of an access control.
///
/// Sensors and watches are not supported on Linux: each flag that requires the owner's presence asks for the owner's
/// passphrase.
public struct SecAccessControlCreateFlags: OptionSet, Hashable, Sendable {
  /// The bits, with Apple's values.
  public let rawValue: UInt

  /// Creates flags from Apple's bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The owner is authenticated by any method.
  public static let userPresence = SecAccessControlCreateFlags(rawValue: 1 << 0)
  /// The owner is authenticated by a biometric sensor.
  public static let biometryAny = SecAccessControlCreateFlags(rawValue: 1 << 1)
  /// The older name of ``biometryAny``.
  public static let touchIDAny = biometryAny
  /// The owner is authenticated by a biometric sensor, with the data enrolled when the item was created.
  public static let biometryCurrentSet = SecAccessControlCreateFlags(rawValue: 1 << 3)
  /// The older name of ``biometryCurrentSet``.
  public static let touchIDCurrentSet = biometryCurrentSet
  /// The owner is authenticated by the passphrase.
  public static let devicePasscode = SecAccessControlCreateFlags(rawValue: 1 << 4)
  /// The owner is authenticated by a watch.
  public static let watch = SecAccessControlCreateFlags(rawValue: 1 << 5)
  /// The newer name of ``watch``.
  public static let companion = watch
  /// One of the conditions must be satisfied.
  public static let or = SecAccessControlCreateFlags(rawValue: 1 << 14)
  /// All of the conditions must be satisfied.
  public static let and = SecAccessControlCreateFlags(rawValue: 1 << 15)
  /// The conditions apply to the use of a private key.
  public static let privateKeyUsage = SecAccessControlCreateFlags(rawValue: 1 << 30)
  /// An application password is required in addition to the other conditions.
  public static let applicationPassword = SecAccessControlCreateFlags(rawValue: 1 << 31)

  /// The flags that require the owner's presence.
  static let presence: SecAccessControlCreateFlags = [
    .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, .watch,
  ]

  private static let known: SecAccessControlCreateFlags = [
    presence, .or, .and, .privateKeyUsage, .applicationPassword,
  ]

  /// The reason for which the flags are invalid, by the rules of Apple's SecAccessControl; nil if they are valid.
  var contradiction: String? {
    if !isSubset(of: Self.known) { return "the access control has unknown flags" }
    if isSuperset(of: [.or, .and]) { return "an access control cannot combine `or` and `and`" }
    if isSuperset(of: [.biometryAny, .biometryCurrentSet]) {
      return "an access control cannot combine biometryAny and biometryCurrentSet"
    }
    if contains(.userPresence), !isSubset(of: [.userPresence, .applicationPassword, .privateKeyUsage]) {
      return "userPresence can be combined only with applicationPassword and privateKeyUsage"
    }
    return nil
  }
}
