internal import Coffer
internal import CofferCrypto
internal import CofferSystem
internal import CofferVault
internal import Synchronization

/// Asks a person, in a dialog, for the passphrase with which an app in a sandbox is registered at its first launch.
enum RegistrationQuestion {
  /// Until when an app is not asked for again, by its full identifier.
  private static let refusals = Mutex<[String: ContinuousClock.Instant]>([:])
  private static let refusalTime = Duration.seconds(600)
  private static let timeout = Duration.seconds(150)

  /// Lets the first launches of this process ask.
  static func begin() { Vault.registrationPrompt = ask }

  private static func ask(_ request: AppRegistrationRequest) throws(VaultError) -> SecretText? {
    let app = request.application
    guard refusals.withLock({ $0[app].map { $0 < .now } ?? true }) else { return nil }
    let end = ContinuousClock.now + timeout
    do throws(VaultError) {
      return try UnlockQuestion.passphrase(
        [request.description, "Enter this machine's passphrase to register it."],
        after: request.isRepeated ? UnlockQuestion.wrong : nil, isOver: { ContinuousClock.now > end })
    } catch {
      guard error.code == .authenticationCancelled else {
        throw VaultError(
          .locked, "\(app) is not registered, and no dialog can be shown for the passphrase",
          recoverySuggestion: "register it with: coffer app add \(request.plist.shellWord)")
      }
      refusals.withLock { $0[app] = .now + refusalTime }
      return nil
    }
  }
}
