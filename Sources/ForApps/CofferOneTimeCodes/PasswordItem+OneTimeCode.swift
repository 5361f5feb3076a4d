public import Coffer
public import CofferPlatform

extension PasswordItem {
  /// Returns the one-time code of the account at a time.
  ///
  ///     let code = try vault.storedItem(for: password)?.oneTimeCode()?.text
  ///
  /// - Parameter date: The time; now by default.
  /// - Returns: The code; nil if the item has no `oneTimePassword`.
  public func oneTimeCode(at date: Date = Date()) -> OneTimeCode? { oneTimePassword?.code(at: date) }
}

extension StoredItem where Item: PasswordItem {
  /// Returns the one-time code of the account at a time.
  ///
  /// - Parameter date: The time; now by default.
  /// - Returns: The code; nil if the item has no `oneTimePassword`.
  public func oneTimeCode(at date: Date = Date()) -> OneTimeCode? { item.oneTimeCode(at: date) }
}
