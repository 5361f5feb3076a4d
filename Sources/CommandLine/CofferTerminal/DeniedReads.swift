internal import Coffer
package import CofferAgent
internal import CofferSystem
package import CofferVault

/// The process trees that `coffer run --deny-reads` has started: what they show of a vault, a person has to allow.
package enum DeniedReads {
  /// Whether this process may not show values unless a person allows it.
  package static func isDenied(_ purpose: KeyPurpose) -> Bool { purpose == .show && CurrentProcess.deniesReads }

  /// Throws `notEntitled` if this process may not show values, or keys. For a vault that opens although nobody has
  /// answered.
  package static func check(_ purpose: KeyPurpose = .show) throws(VaultError) {
    guard isDenied(purpose) else { return }
    throw VaultError.readsAreDenied
  }
}
