internal import Coffer
internal import CofferCrypto
internal import CofferFormat
internal import LocalAuthentication

/// The authentication of a single Keychain call.
///
/// Prompts and password trials are slow and must not block other writers, so they do not happen inside a transaction.
/// An operation that lacks a proof throws ``Need``; ``run(_:)`` satisfies the need outside and repeats the operation.
final class CallAuthentication {
  /// A missing proof.
  private enum Need: Error {
    /// The owner is not authenticated.
    case presence
    /// The password of a stored value is unknown.
    case opening(StoredValue)
    /// The password for a new value is unknown.
    case newPassword
  }

  /// A value as stored, and the item that contains it.
  private struct StoredValue: Hashable {
    let bytes: [UInt8]
    let item: ProtectedItem?
  }

  private static let maximumAttempts = 3

  private let vault: Vault
  private let options: AuthenticationOptions
  private let context: LAContext
  private let owner: String
  /// The keys of stored values whose passwords were verified, by stored value.
  private var opened: [StoredValue: ValueProtection] = [:]
  private var newProtection: ValueProtection?
  /// The passwords that were typed in this call. Each may be wrong for some of the items.
  private var typed: [Passphrase] = []

  init(_ options: AuthenticationOptions, _ vault: Vault) {
    self.vault = vault
    self.options = options
    context = options.context ?? LAContext()
    owner = vault.identifier
  }

  /// Runs `body`, and repeats it each time that a missing proof was obtained or the vault was unlocked.
  func run<Result>(_ body: () throws -> Result) throws(SecurityError) -> Result {
    var unlockings = 0
    while true {
      do {
        return try body()
      } catch let need as Need {
        try satisfy(need)
      } catch let error as VaultError {
        guard error.code == .locked, unlockings < Self.maximumAttempts else { throw SecurityError(error) }
        unlockings += 1
        // Another thread may have unlocked the vault in the meantime.
        if vault.isLocked { try unlock(error) }
      } catch let error as SecurityError {
        throw error
      } catch {
        throw SecurityError(errSecInternalComponent, "unexpected error of type \(type(of: error))")
      }
    }
  }

  // MARK: Proofs

  /// Throws a ``Need`` if an access control requires the owner's presence and the owner is not authenticated.
  func requirePresence(for control: SecAccessControl?) throws {
    if control?.requiresPresence == true, !context.hasAuthenticated(owner) { throw Need.presence }
  }

  /// The proofs that are available without a prompt.
  var availableProofs: (presence: Bool, password: Bool) {
    (context.hasAuthenticated(owner), context.credential(.applicationPassword) != nil)
  }

  /// Returns the value of an item, opened if it is protected by an application password. Throws a ``Need`` if a proof
  /// is missing; `errSecDecode` if the value is damaged, or belongs to another item.
  func open(_ stored: [UInt8], of item: ProtectedItem?, under control: SecAccessControl?) throws -> [UInt8] {
    try requirePresence(for: control)
    guard control?.requiresApplicationPassword == true else { return stored }
    let value = try Self.protectedValue(stored)
    let stored = StoredValue(bytes: stored, item: item)
    guard let protection = opened[stored] else { throw Need.opening(stored) }
    do {
      return try protection.open(value)
    } catch {
      throw SecurityError(errSecDecode, "the password-protected value is damaged")
    }
  }

  /// Returns the value to store, sealed if the access control requires an application password. The attributes of the
  /// item must have a persistent reference then. The password of the `earlier` stored value is kept; nil for a new
  /// password. Throws a ``Need`` if the password is unknown.
  func seal(
    _ value: [UInt8], of item: ProtectedItem?, under control: SecAccessControl?, replacing earlier: [UInt8]? = nil
  ) throws -> [UInt8] {
    guard control?.requiresApplicationPassword == true else { return value }
    guard let item else { throw SecurityError(errSecInternalComponent, "the item has no persistent reference") }
    let protection: ValueProtection
    if let earlier {
      let earlier = StoredValue(bytes: earlier, item: item)
      guard let known = opened[earlier] else { throw Need.opening(earlier) }
      protection = known
    } else {
      guard let new = newProtection else { throw Need.newPassword }
      protection = new
    }
    return protection.seal(value, for: item).bytes
  }

  /// Returns whether sealing a new item requires a prompt for its password.
  func needsPromptForNewPassword(for control: SecAccessControl?) -> Bool {
    control?.requiresApplicationPassword == true && newProtection == nil
      && context.credential(.applicationPassword) == nil && context.newPassword == nil
  }

  private static func protectedValue(_ stored: [UInt8]) throws(SecurityError) -> ProtectedValue {
    do {
      return try ProtectedValue(bytes: stored)
    } catch {
      throw SecurityError(errSecDecode, error.description)
    }
  }

  // MARK: Passwords

  /// Finds the password of a stored value: the one that the program has set, or else one that was or is typed. Throws
  /// `errSecAuthFailed` if it is wrong.
  private func findPassword(of stored: StoredValue) throws(SecurityError) {
    let value = try Self.protectedValue(stored.bytes)
    if let given = context.credential(.applicationPassword) {
      if try tryPassword(given, on: value, stored) { return }
      throw SecurityError(errSecAuthFailed, "the application password of the context is wrong")
    }
    for password in typed + (context.newPassword.map { [$0] } ?? []) {
      if try tryPassword(password, on: value, stored) { return }
    }
    var tried: [Passphrase] = []
    var failedAttempts = 0
    while failedAttempts < Self.maximumAttempts {
      let known = context.typedPasswords
      for password in known where !tried.contains(password) {
        if try tryPassword(password, on: value, stored) { return }
      }
      tried = known
      let answer = try prompt { (reason) throws(LAError) in
        try context.promptForPassword(
          in: vault, reason: reason, failedAttempts: failedAttempts, afterTrying: known,
          accepts: { (try? ValueProtection(of: value, in: stored.item, password: $0.secret)) != nil })
      }
      // Nil if a password was typed for another thread in the meantime.
      guard let password = answer else { continue }
      typed.append(password)
      if try tryPassword(password, on: value, stored) { return }
      context.forgetTypedPassword(password)
      failedAttempts += 1
    }
    throw SecurityError(errSecAuthFailed, "the password was wrong three times")
  }

  /// Derives the key of a stored value and keeps it in ``opened``. Returns false if the password is wrong.
  private func tryPassword(
    _ password: Passphrase, on value: ProtectedValue, _ stored: StoredValue
  ) throws(SecurityError) -> Bool {
    do throws(CryptoError) {
      opened[stored] = try ValueProtection(of: value, in: stored.item, password: password.secret)
      rememberForTests(password)
      return true
    } catch {
      guard error == .authenticationFailed || error == .invalidSize else { throw SecurityError(VaultError(error)) }
      return false
    }
  }

  private func makeNewProtection() throws(SecurityError) {
    let known = context.credential(.applicationPassword) ?? context.newPassword
    let password: Passphrase
    if let known {
      password = known
    } else {
      password = try prompt { (reason) throws(LAError) in try context.promptForNewPassword(in: vault, reason: reason) }
    }
    do throws(CryptoError) {
      newProtection = try ValueProtection(password: password.secret)
      rememberForTests(password)
    } catch {
      guard error != .invalidSize else {
        throw SecurityError(errSecParam, "the password is empty or longer than 1024 bytes")
      }
      throw SecurityError(VaultError(error))
    }
  }

  /// Keeps a password for prepared answers: whoever has set it can also type it.
  private func rememberForTests(_ password: Passphrase) {
    (try? vault.scriptedPrompts)?.remember(password.secret)
  }

  // MARK: Prompts

  private func satisfy(_ need: Need) throws(SecurityError) {
    switch need {
    case .opening(let stored): try findPassword(of: stored)
    case .newPassword: try makeNewProtection()
    case .presence:
      try prompt { (reason) throws(LAError) in
        try context.authenticate(vault, reason: reason, DeviceOwner.owner(of: vault).accepts)
      }
    }
  }

  /// Prompts for the owner's passphrase, which unlocks the vault and authenticates the owner.
  private func unlock(_ locked: VaultError) throws(SecurityError) {
    guard vault.canBeUnlockedByOwner else { throw SecurityError(locked) }
    let prompter: (any AuthenticationPrompter)?
    do throws(LAError) {
      prompter = try AuthenticationPrompt.prompter(for: vault)
    } catch {
      throw SecurityError(error, because: locked.description)
    }
    guard prompter != nil else {
      throw SecurityError(
        errSecInteractionNotAllowed,
        "\(locked), or set AuthenticationPrompt.prompter = TerminalPrompter() to prompt for the passphrase")
    }
    try prompt(because: locked.description) { (reason) throws(LAError) in
      // Prompt even if the context has authenticated the owner: unlocking needs the passphrase itself.
      try context.authenticate(vault, reason: reason, unless: { !self.vault.isLocked }) { (typed) throws(LAError) in
        do throws(VaultError) {
          return try vault.unlock(byOwner: typed.secret)
        } catch {
          throw LAError(.authenticationFailed, error.description)
        }
      }
    }
  }

  private func prompt<Answer>(
    because need: String = "the item requires authentication",
    _ body: (String) throws(LAError) -> Answer
  ) throws(SecurityError) -> Answer {
    guard options.interaction == .allow else {
      throw SecurityError(errSecInteractionNotAllowed, "\(need), and the call does not allow prompts")
    }
    guard !vault.isInsideTransaction else {
      throw SecurityError(
        errSecInteractionNotAllowed, "\(need), and prompts are not allowed inside a transaction")
    }
    do throws(LAError) {
      return try body(options.reason ?? "")
    } catch {
      throw SecurityError(error, because: need)
    }
  }
}

/// The options of a call for prompting the user: the keys `kSecUse…`.
struct AuthenticationOptions {
  /// The behaviour if the user must be prompted.
  enum Interaction {
    /// Prompt.
    case allow
    /// Fail with `errSecInteractionNotAllowed`.
    case fail
    /// Skip the items that require a prompt.
    case skip
  }

  /// The program's context; nil for a new one.
  var context: LAContext?
  var interaction = Interaction.allow
  /// The reason to show in prompts.
  var reason: String?
}
