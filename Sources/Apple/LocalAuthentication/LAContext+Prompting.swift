package import Coffer
internal import CofferCrypto
internal import Foundation
internal import Synchronization

extension LAContext {
  private static let maximumAttempts = 3

  // MARK: The owner

  package func hasAuthenticated(_ owner: String) -> Bool {
    state.withLock { !$0.isInvalidated && $0.authenticatedOwners.contains(owner) }
  }

  /// Prompts for the owner's passphrase, at most three times, unless this context has already authenticated the owner.
  /// Each vault's owner is authenticated separately. An empty reason is ``localizedReason``.
  ///
  /// Blocks until the user answers. Threads that share the context wait for a single answer. `isDone` returns whether a
  /// prompt is no longer needed: it is called first, and again after waiting for another thread's prompt. By default,
  /// it is whether this context has authenticated the owner.
  package func authenticate(
    _ vault: Vault, reason: String, unless isDone: (() -> Bool)? = nil,
    _ accepts: (Passphrase) throws(LAError) -> Bool
  ) throws(LAError) {
    let owner = vault.identifier
    let isDone = isDone ?? { self.hasAuthenticated(owner) }
    if isDone() { return }
    try runExclusively { () throws(LAError) in
      // Another thread may have authenticated the owner while this one waited.
      if isDone() { return }
      for failedAttempts in 0..<Self.maximumAttempts {
        let passphrase = try prompt(for: .passphrase, of: vault, reason: reason, failedAttempts: failedAttempts)
        guard try accepts(passphrase) else { continue }
        let isStillValid = state.withLock { state in
          guard !state.isInvalidated else { return false }
          state.authenticatedOwners.insert(owner)
          return true
        }
        guard isStillValid else { throw LAError(.appCancel, Self.contextInvalidated) }
        return
      }
      throw LAError(.authenticationFailed, "the passphrase was wrong three times")
    }
  }

  // MARK: Passwords of items

  /// Returns the secret that the program has set.
  package func credential(_ type: LACredentialType) -> Passphrase? { state.withLock { $0.credentials[type] } }

  /// The item passwords that were typed in this context, not verified: each may open some items and not others.
  package var typedPasswords: [Passphrase] { state.withLock { $0.typedPasswords } }

  /// The password for new items that was typed, and repeated, in this context.
  package var newPassword: Passphrase? { state.withLock { $0.newPassword } }

  /// Prompts for the password of an item and keeps it in ``typedPasswords``, not verified. An empty reason is
  /// ``localizedReason``. `tried` is the value of ``typedPasswords`` that the caller has tried: if it has changed,
  /// returns nil without a prompt. With nil, prompts in any case. `accepts` returns whether a password opens the item,
  /// nil if there is none yet; only prepared answers need it.
  package func promptForPassword(
    in vault: Vault?, reason: String, failedAttempts: Int, afterTrying tried: [Passphrase]? = nil,
    accepts: (@Sendable (Passphrase) -> Bool)? = nil
  ) throws(LAError) -> Passphrase? {
    try runExclusively { () throws(LAError) in
      if let tried, typedPasswords != tried { return nil }
      let password = try prompt(
        for: .applicationPassword, of: vault, reason: reason, failedAttempts: failedAttempts, accepts: accepts)
      keepTypedPassword(password)
      return password
    }
  }

  /// Prompts for the password of a new item and its repetition, and keeps it in ``newPassword``. Without `replacing`,
  /// returns ``newPassword`` if it was already set. An empty reason is ``localizedReason``.
  ///
  /// Prompts again, at most three times, if the two differ or the password cannot be used.
  @discardableResult
  package func promptForNewPassword(
    in vault: Vault?, reason: String, replacing: Bool = false
  ) throws(LAError) -> Passphrase {
    try runExclusively { () throws(LAError) in
      if !replacing, let known = newPassword { return known }
      for failedAttempts in 0..<Self.maximumAttempts {
        let password = try prompt(
          for: .newApplicationPassword, of: vault, reason: reason, failedAttempts: failedAttempts)
        let repeated = try prompt(for: .repeatedApplicationPassword, of: vault, reason: reason, failedAttempts: 0)
        let isRepeated = repeated == password
        guard isRepeated, password.isUsable else { continue }
        state.withLock { if !$0.isInvalidated { $0.newPassword = password } }
        return password
      }
      throw LAError(.authenticationFailed, "the new password could not be used in three attempts")
    }
  }

  /// Removes a typed password that was wrong.
  package func forgetTypedPassword(_ password: Passphrase) {
    state.withLock { $0.typedPasswords.removeAll { $0 === password } }
  }

  /// Keeps a typed password, so that it can be tried on the next item without a prompt.
  private func keepTypedPassword(_ password: Passphrase) {
    state.withLock { state in
      guard !state.isInvalidated, !state.typedPasswords.contains(password) else { return }
      state.typedPasswords = [password] + state.typedPasswords.prefix(Self.maximumTypedPasswords - 1)
    }
  }

  /// The number of typed passwords that are kept. Each wrong one costs a key derivation for every item it is tried on.
  private static let maximumTypedPasswords = 8

  // MARK: Prompts

  static let prompterMissing = "the program has no prompter; set AuthenticationPrompt.prompter = TerminalPrompter()"
  static let interactionForbidden = "the context does not allow prompts: interactionNotAllowed is set"
  private static let contextInvalidated = "the context was invalidated"

  /// Throws `invalidContext` if the context was invalidated.
  package func checkValid() throws(LAError) {
    if state.withLock({ $0.isInvalidated }) { throw LAError(.invalidContext, Self.contextInvalidated) }
  }

  /// Runs `body`, which prompts, while no other thread prompts through this context.
  private func runExclusively<Result>(_ body: () throws(LAError) -> Result) throws(LAError) -> Result {
    let thread = pthread_self()
    guard state.withLock({ $0.promptingThread != thread }) else {
      throw LAError(.notInteractive, "the prompter has called back into the context that is prompting")
    }
    promptLock.lock()
    defer { promptLock.unlock() }
    state.withLock { $0.promptingThread = thread }
    defer { state.withLock { $0.promptingThread = nil } }
    return try body()
  }

  private func prompt(
    for secret: AuthenticationRequest.Secret, of vault: Vault?, reason: String, failedAttempts: Int,
    accepts: (@Sendable (Passphrase) -> Bool)? = nil
  ) throws(LAError) -> Passphrase {
    let given = reason.isEmpty ? localizedReason : reason
    let request = AuthenticationRequest(
      secret: secret, reason: given.isEmpty ? "\(ProcessInfo.processInfo.processName) uses a protected item" : given,
      failedAttempts: failedAttempts, cancelTitle: localizedCancelTitle)
    try checkValid()
    if interactionNotAllowed { throw LAError(.notInteractive, Self.interactionForbidden) }
    let prompter = try AuthenticationPrompt.prompter(for: vault, accepts: accepts)
    state.withLock { $0.request = request }
    defer { state.withLock { $0.request = nil } }
    // An invalidation before the request was stored could not cancel it.
    if state.withLock({ $0.isInvalidated }) { request.cancel() }
    let answer = request.isCancelled ? .cancelled : prompter?.ask(request)
    switch answer {
    case .passphrase(let passphrase) where !request.isCancelled: return passphrase
    case .unavailable:
      throw LAError(
        .notInteractive,
        prompter is PreparedPrompter
          ? "COFFER_PROMPT has no answer: name a file with the passphrase in COFFER_PASSPHRASE_FILE, or with the "
            + "passwords of items in COFFER_ITEM_PASSWORD_FILE"
          : "there is no terminal or dialog to prompt with")
    case nil: throw LAError(.notInteractive, Self.prompterMissing)
    case .cancelled, .passphrase:
      throw request.isCancelled
        ? LAError(.appCancel, Self.contextInvalidated) : LAError(.userCancel, "the user cancelled")
    }
  }

  /// Runs work that may block on a new thread, and calls `reply` with the outcome.
  package func runOnNewThread(
    reply: @escaping @Sendable (Bool, (any Error)?) -> Void, _ work: @escaping @Sendable (LAContext) throws -> Void
  ) {
    Thread.detachNewThread {
      do {
        try work(self)
      } catch {
        return reply(false, error)
      }
      reply(true, nil)
    }
  }

  /// Returns the owner that a policy authenticates. Throws `biometryNotAvailable` or `companionNotAvailable` for
  /// policies other than `deviceOwnerAuthentication`.
  func owner(for policy: LAPolicy) throws(LAError) -> DeviceOwner {
    switch policy {
    case .deviceOwnerAuthentication: break
    case .deviceOwnerAuthenticationWithBiometrics, .deviceOwnerAuthenticationWithBiometricsOrWatch:
      throw LAError(.biometryNotAvailable, "biometric sensors are not supported on Linux")
    case .deviceOwnerAuthenticationWithWatch:
      throw LAError(.companionNotAvailable, "watches are not supported on Linux")
    }
    return try DeviceOwner.current()
  }
}

/// The owner of this machine, who knows the passphrase of a vault.
package struct DeviceOwner: Sendable {
  /// The vault whose owner it is.
  package let vault: Vault
  private let passphrase: OwnerPassphrase

  /// Returns the owner of the vault that Keychain calls use. Throws `passcodeNotSet` if there is no vault or its admin
  /// keys have no passphrase.
  package static func current() throws(LAError) -> DeviceOwner {
    let vault: Vault
    do throws(VaultError) {
      vault = try Vault.default
    } catch {
      throw LAError(.passcodeNotSet, "the vault cannot be opened: \(error)")
    }
    return try owner(of: vault)
  }

  /// Reads how this machine's owner of a vault is authenticated. Throws `passcodeNotSet` if the vault's admin keys have
  /// no passphrase on this machine.
  package static func owner(of vault: Vault) throws(LAError) -> DeviceOwner {
    guard let passphrase = vault.ownerPassphrase else {
      throw LAError(.passcodeNotSet, "the vault's admin keys have no passphrase on this machine")
    }
    return DeviceOwner(vault: vault, passphrase: passphrase)
  }

  /// Returns whether the passphrase is the owner's.
  package func accepts(_ typed: Passphrase) throws(LAError) -> Bool {
    do throws(VaultError) {
      return try passphrase.accepts(typed.secret)
    } catch {
      throw LAError(.authenticationFailed, error.description)
    }
  }
}
