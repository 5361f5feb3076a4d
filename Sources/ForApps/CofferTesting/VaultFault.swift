internal import Coffer

/// An error that `Vault.inject(_:)` causes in a vault in memory, to test how an app handles it.
public struct VaultFault: Hashable, Sendable {
  let fault: InjectedFault

  /// Every access throws `locked`.
  public static let locked = VaultFault(fault: .locked)
  /// Every access throws `notEntitled`.
  public static let missingEntitlement = VaultFault(fault: .missingEntitlement)
  /// Every write throws `diskFull`, and nothing changes.
  public static let diskFull = VaultFault(fault: .diskFull)
  /// Every access throws `integrity`.
  public static let corrupt = VaultFault(fault: .corrupt)
  /// Every access, and every attempt to unlock, throws `authenticationCancelled`.
  public static let authenticationCancelled = VaultFault(fault: .authenticationCancelled)
}
