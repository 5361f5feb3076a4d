internal import CofferCrypto
internal import CofferTrust
public import CofferVault

extension Vault {
  /// Creates a vault in memory, for tests of apps and for programs that store nothing: the same rules and errors,
  /// without files.
  ///
  /// The app is registered by its plist, so entitlements, default group and read-only groups are those of the real app.
  /// A team prefix that the plist contains as a literal is mapped to the vault's own. The content is lost with the last
  /// reference to the vault. ``reopened(as:)`` opens it as another app.
  ///
  /// The vault has no owner's passphrase: Keychain calls cannot add or read items that require user presence, as on a device without a
  /// passcode. See ``inMemory(entitlements:passphrase:)``.
  ///
  /// - Parameter entitlements: The app's entitlements.
  /// - Returns: The vault, unlocked.
  /// - Throws: ``VaultError``: `notEntitled` for a plist that `coffer app add` would reject.
  public static func inMemory(entitlements: EntitlementsSource = .automatic) throws(VaultError) -> Vault {
    try MemoryVault.create(passphrase: nil).open(entitlements)
  }

  /// Creates a vault in memory whose owner has a passphrase. As ``inMemory(entitlements:)``.
  ///
  /// - Parameters:
  ///   - entitlements: The app's entitlements.
  ///   - passphrase: The owner's passphrase, 1 to 1024 bytes, which items that require user presence ask for.
  /// - Returns: The vault, unlocked.
  /// - Throws: ``VaultError``: `notEntitled` for a plist that `coffer app add` would reject; `invalidArgument` for an
  ///   empty or overlong passphrase.
  public static func inMemory(
    entitlements: EntitlementsSource = .automatic, passphrase: some SecretValue
  ) throws(VaultError) -> Vault {
    var bytes = passphrase.secretBytes
    return try MemoryVault.create(passphrase: SecretText(moving: &bytes)).open(entitlements)
  }

  /// Opens the same vault in memory as another app, or again as the same one, as another process would.
  ///
  /// - Parameter entitlements: The app's entitlements.
  /// - Returns: The vault, opened by the other app.
  /// - Throws: ``VaultError``: `invalidArgument` for a vault in a folder; `notEntitled` as ``inMemory(entitlements:)``.
  public func reopened(as entitlements: EntitlementsSource) throws(VaultError) -> Vault {
    guard let memory else {
      throw VaultError(
        .invalidArgument, "this vault is in a folder", recoverySuggestion: "open it there with Vault.open(_:at:)")
    }
    return try memory.open(entitlements)
  }

  /// Makes the following calls fail, to test how the app handles an error. Nil makes them work again.
  ///
  /// - Parameter fault: The error to cause.
  /// - Throws: ``VaultError``: `invalidArgument` for a vault in a folder.
  public func inject(_ fault: VaultFault?) throws(VaultError) {
    guard let faults else {
      throw VaultError(
        .invalidArgument, "faults can be injected into a vault in memory only",
        recoverySuggestion: "create one with Vault.inMemory")
    }
    faults.fault = fault
  }
}
