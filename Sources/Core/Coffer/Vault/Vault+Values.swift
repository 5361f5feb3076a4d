internal import CofferSystem
package import CofferVault
internal import Synchronization

/// The values that leave the library, and what keeps them in it: one check that each of them passes.
///
/// In a process tree that `coffer run --deny-reads` has started, a vault that a program of Coffer has opened gives no
/// value to its caller until ``releaseValues()``. The vault of an app gives them: it reads what it is registered for.
extension Vault {
  /// Keeps values from callers if this process is in such a tree.
  func keepValuesInDeniedTree() { keepsValues.store(CurrentProcess.deniesReads, ordering: .relaxed) }

  /// Lets values leave: a person has allowed it, or they are for a program that was started with them.
  package func releaseValues() { keepsValues.store(false, ordering: .relaxed) }

  /// Throws `notEntitled` if no value may leave. Values that are compared, moved or copied within the program stay in
  /// it.
  package func checkValuesMayLeave() throws(VaultError) {
    if keepsValues.load(ordering: .relaxed) { throw VaultError.readsAreDenied }
  }
}

extension VaultError {
  /// The error of what would show a value in a process tree that may not see any.
  package static var readsAreDenied: VaultError {
    VaultError(
      .notEntitled, "`coffer run --deny-reads` has started this process tree, and this command shows secrets",
      recoverySuggestion:
        "give the value to a program with `coffer run --env NAME=REFERENCE -- PROGRAM`, or run the command in another terminal"
    )
  }
}
