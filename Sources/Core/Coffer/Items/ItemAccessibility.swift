package import CofferFormat

/// When an item may be read, and whether it may leave this machine (`kSecAttrAccessible`).
///
/// Coffer stores the value with the item. Linux has no lock state of the whole machine that it could follow: the
/// vault's own lock decides whether items can be read, see ``Vault/lock()``. An item with a value that ends in
/// `ThisDeviceOnly` never leaves this machine.
public enum ItemAccessibility: String, Sendable, CaseIterable {
  /// `kSecAttrAccessibleWhenUnlocked`, the default.
  case whenUnlocked = "ak"
  /// `kSecAttrAccessibleAfterFirstUnlock`.
  case afterFirstUnlock = "ck"
  /// `kSecAttrAccessibleAlways`, the default of certificates.
  case always = "dk"
  /// `kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly`.
  case whenPasscodeSetThisDeviceOnly = "akpu"
  /// `kSecAttrAccessibleWhenUnlockedThisDeviceOnly`.
  case whenUnlockedThisDeviceOnly = "aku"
  /// `kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly`.
  case afterFirstUnlockThisDeviceOnly = "cku"
  /// `kSecAttrAccessibleAlwaysThisDeviceOnly`.
  case alwaysThisDeviceOnly = "dku"

  /// Whether items with this value never leave this machine.
  public var isThisDeviceOnly: Bool {
    switch self {
    case .whenUnlocked, .afterFirstUnlock, .always: false
    case .whenPasscodeSetThisDeviceOnly, .whenUnlockedThisDeviceOnly, .afterFirstUnlockThisDeviceOnly,
      .alwaysThisDeviceOnly:
      true
    }
  }

  /// Reads the value from an item's attributes. Returns nil if they have none.
  package init?(_ attributes: ItemAttributes) {
    guard let name = attributes[.accessible]?.text, let known = ItemAccessibility(rawValue: name) else { return nil }
    self = known
  }
}
