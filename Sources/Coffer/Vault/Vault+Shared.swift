internal import Synchronization

private let sharedVault = Mutex<Vault?>(nil)

extension Vault {
  /// The vault that property wrappers use where they are given none: opened with the program's own entitlements
  /// (``EntitlementsSource/automatic``) when it is first needed, or what ``share()`` has set.
  ///
  /// - Throws: ``VaultError`` as ``open(_:at:)``. Another attempt is made the next time.
  public static var shared: Vault {
    get throws(VaultError) {
      if let known = sharedVault.withLock({ $0 }) { return known }
      let opened = try Vault.open()
      return sharedVault.withLock { known in
        if let known { return known }
        known = opened
        return opened
      }
    }
  }

  /// Makes this the vault that ``shared`` gives: at the start of a program that opens its vault in another way, or of a test.
  public func share() { sharedVault.withLock { $0 = self } }
}
