internal import CofferTrust

extension Vault {
  /// A vault in memory, for tests of apps and for programs that keep nothing: same rules, same errors, no files.
  ///
  /// It registers the app by its plist as it is, so that entitlements, default group and read-only groups are those of the real
  /// one. A team prefix that the plist has written out stands for the vault's own. What it holds goes with it.
  /// ``reopened(as:)`` opens it as another app too.
  ///
  /// - Parameter passphrase: The owner's, 1 to 1024 bytes, which Keychain's items under user presence ask for; nil for a machine
  ///   without one.
  /// - Throws: ``VaultError``: `notEntitled` for a plist that `coffer app add` would refuse.
  public static func inMemory(
    entitlements: EntitlementsSource = .automatic, passphrase: (some SecretValue)? = [UInt8]?.none
  ) throws(VaultError) -> Vault {
    try MemoryVault(passphrase: passphrase?.secretBytes).open(entitlements)
  }

  /// Opens the same vault in memory as another app, or as the same one again, as another process would.
  ///
  /// - Throws: ``VaultError``: `invalidArgument` for a vault in a folder, which `open` opens; `notEntitled` as
  ///   ``inMemory(entitlements:)``.
  public func reopened(as entitlements: EntitlementsSource) throws(VaultError) -> Vault {
    guard let memory else {
      throw VaultError(.invalidArgument, "this vault lies in a folder", mend: "open it there")
    }
    return try memory.open(entitlements)
  }

  /// Makes the calls that follow fail, to see what the app does then; nil makes them work again.
  ///
  /// - Throws: ``VaultError``: `invalidArgument` for a vault in a folder.
  public func inject(_ fault: VaultFault?) throws(VaultError) {
    guard let faults else {
      throw VaultError(
        .invalidArgument, "faults can be injected into a vault in memory only", mend: "see Vault.inMemory")
    }
    faults.fault = fault
  }
}
