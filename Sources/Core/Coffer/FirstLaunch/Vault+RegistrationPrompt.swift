package import CofferCrypto
internal import CofferVault
internal import Synchronization

private let registrationPromptOfProcess = Mutex<Vault.RegistrationPrompter?>(nil)

extension Vault {
  /// As ``AppRegistrationPrompt``, with the passphrase in guarded memory.
  package typealias RegistrationPrompter =
    @Sendable (AppRegistrationRequest) throws(VaultError) -> SecretText?

  /// Asks this machine's owner at the first launch of an app, if
  /// ``open(_:at:creatingIfNeeded:askingForRegistration:)`` is given nobody to ask.
  package static var registrationPrompt: RegistrationPrompter? {
    get { registrationPromptOfProcess.withLock { $0 } }
    set { registrationPromptOfProcess.withLock { $0 = newValue } }
  }
}
