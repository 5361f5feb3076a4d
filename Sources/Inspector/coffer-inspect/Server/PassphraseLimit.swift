internal import CofferVault
internal import Synchronization

/// Counts wrong passphrases in a row, wherever a page asks for one, and lets one at a time be tried: each needs 256 MiB.
final class PassphraseLimit: Sendable {
  /// The number of wrong passphrases in a row after which no other one is tried.
  static let maximum = 5

  private let trying = Mutex(())
  private let wrong = Mutex(0)

  /// Whether no other passphrase is tried.
  var isReached: Bool { wrong.withLock { $0 >= Self.maximum } }

  /// Tries a passphrase. Waits until no other one is being tried. `body` throws `authenticationFailed` if it is wrong;
  /// if it returns, it is right. Throws `locked` if too many were wrong.
  func attempt(_ body: () throws(VaultError) -> Void) throws(VaultError) {
    try trying.withLock { (_) throws(VaultError) in
      guard !isReached else {
        throw VaultError(
          .locked, "too many passphrases were wrong", recoverySuggestion: "start coffer inspect again")
      }
      do throws(VaultError) {
        try body()
        wrong.withLock { $0 = 0 }
      } catch {
        if error.code == .authenticationFailed { wrong.withLock { $0 += 1 } }
        throw error
      }
    }
  }
}
