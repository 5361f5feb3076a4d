/// An error that ``Vault/inject(_:)`` causes in a vault in memory, to test how an app handles it.
public struct VaultFault: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case locked
    case missingEntitlement
    case diskFull
    case corrupt
    case authenticationCancelled
  }
  let kind: Kind

  /// Every access throws `locked`.
  public static let locked = VaultFault(kind: .locked)
  /// Every access throws `notEntitled`.
  public static let missingEntitlement = VaultFault(kind: .missingEntitlement)
  /// Every write throws `diskFull`, and nothing changes.
  public static let diskFull = VaultFault(kind: .diskFull)
  /// Every access throws `integrity`.
  public static let corrupt = VaultFault(kind: .corrupt)
  /// Every access, and every attempt to unlock, throws `authenticationCancelled`.
  public static let authenticationCancelled = VaultFault(kind: .authenticationCancelled)
}
