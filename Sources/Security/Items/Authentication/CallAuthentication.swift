internal import Coffer
internal import CofferCrypto
internal import CofferFormat
internal import LocalAuthentication

/// What one Keychain call can prove, and asks people for.
///
/// Nobody is asked and no password is tried while a transaction holds other writers up: what lacks a proof throws ``Need``, ``run(_:)``
/// satisfies it outside, and the call is made once more.
final class CallAuthentication {
  /// What a call lacks.
  private enum Need: Error {
    case presence
    /// The key of what is stored.
    case opening([UInt8])
    /// A password for what is to be stored.
    case newPassword
  }

  private static let maximumAttempts = 3

  private let vault: Vault
  private let options: AuthenticationOptions
  private let context: LAContext
  private let owner: String
  /// The keys of values as they are stored, proved by their password.
  private var opened: [[UInt8]: ValueProtection] = [:]
  private var newProtection: ValueProtection?
  /// Typed in this call, and perhaps another item's.
  private var typed: [Passphrase] = []

  init(_ options: AuthenticationOptions, _ vault: Vault) {
    self.vault = vault
    self.options = options
    context = options.context ?? LAContext()
    owner = vault.identifier
  }

  /// Runs `body`, and again each time that it lacked something which could then be had.
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
        // Another thread may have unlocked it meanwhile.
        if vault.isLocked { try unlock(error) }
      } catch let error as SecurityError {
        throw error
      } catch {
        throw SecurityError(errSecInternalComponent, "unexpected error of kind \(type(of: error))")
      }
    }
  }

  // MARK: Proofs

  /// Throws where an access control asks for somebody who has not proved to be there.
  func prove(presenceFor control: SecAccessControl?) throws {
    if control?.requiresPresence == true, !context.hasAuthenticated(owner) { throw Need.presence }
  }

  /// What is proved without asking anybody.
  var proofs: (presence: Bool, password: Bool) {
    (context.hasAuthenticated(owner), context.credential(.applicationPassword) != nil)
  }

  /// The value of an item as the app gave it.
  func open(_ stored: [UInt8], under control: SecAccessControl?) throws -> [UInt8] {
    try prove(presenceFor: control)
    guard control?.requiresApplicationPassword == true else { return stored }
    let value = try Self.protectedValue(stored)
    guard let protection = opened[stored] else { throw Need.opening(stored) }
    do {
      return try protection.open(value)
    } catch {
      throw SecurityError(errSecDecode, "the value under the password does not open")
    }
  }

  /// The value as it is stored, under a password where the access control asks for one.
  ///
  /// - Parameter earlier: What is stored so far, under a password that stays; nil where there is none yet.
  func seal(_ value: [UInt8], under control: SecAccessControl?, replacing earlier: [UInt8]? = nil) throws -> [UInt8] {
    guard control?.requiresApplicationPassword == true else { return value }
    let protection: ValueProtection
    if let earlier {
      guard let known = opened[earlier] else { throw Need.opening(earlier) }
      protection = known
    } else {
      guard let new = newProtection else { throw Need.newPassword }
      protection = new
    }
    return protection.seal(value).bytes
  }

  /// True where sealing a new item would have to ask for its password first.
  func lacksNewPassword(for control: SecAccessControl?) -> Bool {
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

  /// Finds the password that opens what is stored: the program's own or, where it gave none, one that somebody has typed or types.
  private func find(keyOf stored: [UInt8]) throws(SecurityError) {
    let value = try Self.protectedValue(stored)
    if let given = context.credential(.applicationPassword) {
      if try open(value, stored, with: given) { return }
      throw SecurityError(errSecAuthFailed, "the context's application password is not the item's")
    }
    for password in typed + (context.newPassword.map { [$0] } ?? []) {
      if try open(value, stored, with: password) { return }
    }
    var tried: [Passphrase] = []
    var failedAttempts = 0
    while failedAttempts < Self.maximumAttempts {
      let known = context.typedPasswords
      for password in known where !tried.contains(password) {
        if try open(value, stored, with: password) { return }
      }
      tried = known
      let answer = try ask { (reason) throws(LAError) in
        try context.askForPassword(reason: reason, failedAttempts: failedAttempts, unlessOtherThan: known)
      }
      // Nil where another thread was answered meanwhile.
      guard let password = answer else { continue }
      typed.append(password)
      if try open(value, stored, with: password) { return }
      context.forget(password)
      failedAttempts += 1
    }
    throw SecurityError(errSecAuthFailed, "the password was wrong three times")
  }

  /// Takes the key of what is stored; false for a password that does not open it.
  private func open(
    _ value: ProtectedValue, _ stored: [UInt8], with password: Passphrase
  ) throws(SecurityError) -> Bool {
    var bytes = password.copyBytes()
    defer { bytes.wipe() }
    do throws(CryptoError) {
      opened[stored] = try ValueProtection(of: value, password: bytes)
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
      password = try ask { (reason) throws(LAError) in try context.askForNewPassword(reason: reason) }
    }
    var bytes = password.copyBytes()
    defer { bytes.wipe() }
    do throws(CryptoError) {
      newProtection = try ValueProtection(password: bytes)
    } catch {
      guard error != .invalidSize else {
        throw SecurityError(errSecParam, "the password is empty or longer than 1024 bytes")
      }
      throw SecurityError(VaultError(error))
    }
  }

  // MARK: Asking

  private func satisfy(_ need: Need) throws(SecurityError) {
    switch need {
    case .opening(let stored): try find(keyOf: stored)
    case .newPassword: try makeNewProtection()
    case .presence:
      try ask { (reason) throws(LAError) in
        try context.authenticate(owner, reason: reason, DeviceOwner(of: vault).accepts)
      }
    }
  }

  /// Asks for the owner's passphrase, which unlocks the vault and proves that they are there.
  private func unlock(_ locked: VaultError) throws(SecurityError) {
    guard vault.canBeUnlockedByOwner else { throw SecurityError(locked) }
    guard AuthenticationPrompt.prompter != nil else {
      throw SecurityError(
        errSecInteractionNotAllowed,
        "\(locked), or let it be asked for: AuthenticationPrompt.prompter = TerminalPrompter()")
    }
    try ask(because: locked.description) { (reason) throws(LAError) in
      // The passphrase's bytes are needed, also where the context has authenticated the owner.
      try context.authenticate(owner, reason: reason, unless: { !self.vault.isLocked }) { (typed) throws(LAError) in
        var bytes = typed.copyBytes()
        defer { bytes.wipe() }
        do throws(VaultError) {
          return try vault.unlock(byOwner: bytes)
        } catch {
          throw LAError(.authenticationFailed, error.description)
        }
      }
    }
  }

  private func ask<Answer>(
    because why: String = "the item asks for somebody to prove who they are",
    _ body: (String) throws(LAError) -> Answer
  ) throws(SecurityError) -> Answer {
    guard options.interaction == .allow else {
      throw SecurityError(errSecInteractionNotAllowed, "\(why), and the call may ask nobody")
    }
    guard !vault.isInsideTransaction else {
      throw SecurityError(
        errSecInteractionNotAllowed, "\(why), and the call is made inside a transaction, where nobody is asked")
    }
    do throws(LAError) {
      return try body(options.reason ?? "")
    } catch {
      throw SecurityError(error, because: why)
    }
  }
}

extension SecurityError {
  init(_ error: VaultError) { self.init(error.osStatus, error.description) }

  /// Why nobody was authenticated, as Keychain calls say it.
  fileprivate init(_ error: LAError, because why: String) {
    let status =
      switch error.code {
      case .userCancel, .appCancel, .systemCancel: errSecUserCanceled
      case .notInteractive: errSecInteractionNotAllowed
      default: errSecAuthFailed
      }
    self.init(status, "\(why); \(error.localizedDescription)")
  }
}
