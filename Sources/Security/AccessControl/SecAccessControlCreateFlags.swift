/// Under which conditions an item can be read.
///
/// Linux knows no sensor and no watch: the passphrase stands for every proof that its owner is present.
public struct SecAccessControlCreateFlags: OptionSet, Hashable, Sendable {
  /// Apple's bits.
  public let rawValue: UInt

  /// Takes Apple's bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The owner is present, however it is proved.
  public static let userPresence = SecAccessControlCreateFlags(rawValue: 1 << 0)
  /// A sensor knows the owner.
  public static let biometryAny = SecAccessControlCreateFlags(rawValue: 1 << 1)
  /// A sensor knows the owner, an older name.
  public static let touchIDAny = biometryAny
  /// A sensor knows the owner by what it had learned when the item was made.
  public static let biometryCurrentSet = SecAccessControlCreateFlags(rawValue: 1 << 3)
  /// The same by an older name.
  public static let touchIDCurrentSet = biometryCurrentSet
  /// The passphrase.
  public static let devicePasscode = SecAccessControlCreateFlags(rawValue: 1 << 4)
  /// A watch is near.
  public static let watch = SecAccessControlCreateFlags(rawValue: 1 << 5)
  /// A device is near, a newer name.
  public static let companion = watch
  /// One of the conditions is enough.
  public static let or = SecAccessControlCreateFlags(rawValue: 1 << 14)
  /// All of the conditions are needed.
  public static let and = SecAccessControlCreateFlags(rawValue: 1 << 15)
  /// The conditions are for using a private key.
  public static let privateKeyUsage = SecAccessControlCreateFlags(rawValue: 1 << 30)
  /// A password of the app is needed besides.
  public static let applicationPassword = SecAccessControlCreateFlags(rawValue: 1 << 31)

  /// What is fulfilled by somebody being there.
  static let presence: SecAccessControlCreateFlags = [
    .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, .watch,
  ]

  private static let known: SecAccessControlCreateFlags = [
    presence, .or, .and, .privateKeyUsage, .applicationPassword,
  ]

  /// Why the flags contradict each other, by the rules of Apple's SecAccessControl; nil where they do not.
  var contradiction: String? {
    if !isSubset(of: Self.known) { return "the access control has flags that are not known" }
    if isSuperset(of: [.or, .and]) { return "an access control is either of `or` and `and`" }
    if isSuperset(of: [.biometryAny, .biometryCurrentSet]) { return "an access control has one kind of biometry" }
    if contains(.userPresence), !isSubset(of: [.userPresence, .applicationPassword, .privateKeyUsage]) {
      return "userPresence goes together with applicationPassword and privateKeyUsage only"
    }
    return nil
  }
}
