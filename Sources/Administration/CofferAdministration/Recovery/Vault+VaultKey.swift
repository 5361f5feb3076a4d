public import Coffer
internal import CofferCrypto
internal import CofferFormat
internal import CofferVault

extension Vault {
  /// Checks that a vault key opens a vault: the newest root slot that this machine has, which is the one that a clone
  /// would open now. A key that another one has replaced does not. Nothing is changed, and no passphrase is needed.
  ///
  /// The library keeps its copy of the key in guarded memory and wipes it. The value that is passed, above all a `String`,
  /// is the caller's.
  ///
  /// - Parameters:
  ///   - vaultKey: The key as text, as `coffer init` has printed it. Case, spaces and hyphens are ignored.
  ///   - location: The vault's location; the user's own vault (``VaultLocation/standard()``) if nil.
  /// - Throws: ``VaultError``: `authenticationFailed` for a key that is mistyped, was replaced or does not open the vault;
  ///   `noVault`; `integrity` if the vault's root slot is damaged.
  public static func checkVaultKey(
    _ vaultKey: some SecretValue, at location: VaultLocation? = nil
  ) throws(VaultError) {
    let check = try VaultKeyCheck.begin(in: .at(location))
    var bytes = vaultKey.secretBytes
    _ = try check.root(openedBy: VaultKey.typed(SecretText(moving: &bytes)))
  }
}
