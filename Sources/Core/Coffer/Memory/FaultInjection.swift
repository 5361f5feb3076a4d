internal import CofferVault
internal import Synchronization

/// The current fault of a vault in memory.
package final class FaultInjection: Sendable {
  private let current = Mutex<InjectedFault?>(nil)

  package var fault: InjectedFault? {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }

  func checkAccess() throws(VaultError) {
    switch fault {
    case .locked:
      throw VaultError(.locked, "the vault is locked", recoverySuggestion: "this fault was injected by a test")
    case .missingEntitlement:
      throw VaultError(
        .notEntitled, "the app is not entitled to the access group",
        recoverySuggestion: "this fault was injected by a test")
    case .corrupt:
      throw VaultError(
        .integrity, "the vault's store is damaged", recoverySuggestion: "this fault was injected by a test")
    case .authenticationCancelled: try checkAuthentication()
    case .diskFull, nil: break
    }
  }

  func checkWriting() throws(VaultError) {
    guard fault == .diskFull else { return }
    throw VaultError(.diskFull, "no space is left on the disk", recoverySuggestion: "this fault was injected by a test")
  }

  func checkAuthentication() throws(VaultError) {
    guard fault == .authenticationCancelled else { return }
    throw VaultError(
      .authenticationCancelled, "the request for a passphrase was declined",
      recoverySuggestion: "this fault was injected by a test")
  }
}
