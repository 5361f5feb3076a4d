internal import Synchronization

/// The check of the owner's passphrase, which whoever keeps the vault sets.
package enum DeviceOwner {
  /// True where the passphrase is the owner's.
  package typealias Verifier = @Sendable (Passphrase) -> Bool

  private static let current = Mutex<Verifier?>(nil)

  /// The check; nil, the default, means that there is no passphrase on this machine.
  package static var verifier: Verifier? {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }
}
