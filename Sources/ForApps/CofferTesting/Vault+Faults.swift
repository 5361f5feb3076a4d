public import Coffer
internal import CofferVault

extension Vault {
  /// Makes the following calls fail, to test how the app handles an error. Nil makes them work again.
  ///
  /// - Parameter fault: The error to cause.
  /// - Throws: `VaultError`: `invalidArgument` for a vault in a folder.
  public func inject(_ fault: VaultFault?) throws(VaultError) {
    guard let faults else {
      throw VaultError(
        .invalidArgument, "faults can be injected into a vault in memory only",
        recoverySuggestion: "create one with Vault.inMemory")
    }
    faults.fault = fault?.fault
  }
}
