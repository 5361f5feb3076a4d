internal import Coffer
internal import CofferCrypto
internal import CofferFormat
internal import LocalAuthentication

/// What one Keychain call can prove, and asks people for.
///
/// Nobody is asked while a transaction holds other writers up: what lacks a proof throws ``Need``, ``run(_:)`` asks, and the call
/// is made once more.
final class CallAuthentication {
  /// A proof that a call lacks.
  private enum Need: Error {
    case presence
    case password
    case newPassword
  }

  private static let maximumAttempts = 3

  private let vault: Vault
  private let options: AuthenticationOptions
  private let context: LAContext
  /// Typed in this call, the last one first. Which of them is right, items tell.
  private var typed: [Passphrase] = []
  private var newPassword: Passphrase?
  private var attempts = 0

  init(_ options: AuthenticationOptions, _ vault: Vault) {
    self.vault = vault
    self.options = options
    context = options.context ?? LAContext()
  }

  /// Runs `body`, and again each time that it lacked a proof which somebody then gave.
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
        try unlock(error)
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
    if control?.requiresPresence == true, !context.isAuthenticated { throw Need.presence }
  }

  /// What is proved without asking anybody.
  var proofs: (presence: Bool, password: Bool) {
    (context.isAuthenticated, context.credential(.applicationPassword) != nil)
  }

  /// The value of an item as the app gave it.
  func open(_ stored: [UInt8], under control: SecAccessControl?) throws -> [UInt8] {
    try prove(presenceFor: control)
    guard control?.requiresApplicationPassword == true else { return stored }
    return try unseal(stored).value
  }

  /// The value as it is stored, under a password where the access control asks for one.
  ///
  /// - Parameter earlier: What is stored so far, under a password that stays; nil where there is none yet.
  func seal(_ value: [UInt8], under control: SecAccessControl?, replacing earlier: [UInt8]? = nil) throws -> [UInt8] {
    guard control?.requiresApplicationPassword == true else { return value }
    let password: Passphrase
    if let earlier {
      password = try unseal(earlier).password
    } else {
      guard let known = context.credential(.applicationPassword) ?? newPassword else { throw Need.newPassword }
      password = known
    }
    var bytes = password.copyBytes()
    defer { bytes.wipe() }
    do {
      return try ProtectedValue(sealing: value, password: bytes).bytes
    } catch CryptoError.invalidSize {
      throw SecurityError(errSecParam, "the password is empty or longer than 1024 bytes")
    } catch {
      throw VaultError(translating: error)
    }
  }

  private func unseal(_ stored: [UInt8]) throws -> (value: [UInt8], password: Passphrase) {
    let protected: ProtectedValue
    do {
      protected = try ProtectedValue(bytes: stored)
    } catch {
      throw VaultError(translating: error)
    }
    let given = context.credential(.applicationPassword)
    for password in (given.map { [$0] } ?? []) + typed {
      guard let value = try open(protected, with: password) else { continue }
      if given == nil { context.remember(password) }
      return (value, password)
    }
    if given != nil, typed.isEmpty {
      throw SecurityError(errSecAuthFailed, "the context's application password is not the item's")
    }
    throw Need.password
  }

  private func open(_ protected: ProtectedValue, with password: Passphrase) throws -> [UInt8]? {
    var bytes = password.copyBytes()
    defer { bytes.wipe() }
    do {
      return try protected.open(password: bytes)
    } catch CryptoError.authenticationFailed, CryptoError.invalidSize {
      return nil
    } catch {
      throw VaultError(translating: error)
    }
  }

  // MARK: Asking

  private func satisfy(_ need: Need) throws(SecurityError) {
    try checkMayAsk("the item asks for somebody to prove who they are")
    let reason = options.reason ?? ""
    do throws(LAError) {
      switch need {
      case .presence: try context.authenticateOwner(reason: reason, DeviceOwner().accepts)
      case .newPassword: newPassword = try context.askForNewPassword(reason: reason)
      case .password:
        guard attempts < Self.maximumAttempts else {
          throw LAError(.authenticationFailed, "the password was wrong three times")
        }
        typed.insert(try context.askForPassword(reason: reason, failedAttempts: attempts), at: 0)
        attempts += 1
      }
    } catch {
      throw SecurityError(error)
    }
  }

  /// Asks for the passphrase that unlocks the vault: it is the owner's, and proves that they are there.
  private func unlock(_ locked: VaultError) throws(SecurityError) {
    try checkMayAsk(locked.description)
    guard AuthenticationPrompt.prompter != nil else { throw SecurityError(locked) }
    do throws(LAError) {
      try context.authenticateOwner(reason: options.reason ?? "", again: true) { (typed) throws(LAError) in
        var bytes = typed.copyBytes()
        defer { bytes.wipe() }
        do throws(VaultError) {
          try vault.unlock(passphrase: bytes)
          return true
        } catch {
          guard error.code == .authenticationFailed else {
            throw LAError(.authenticationFailed, error.description)
          }
          return false
        }
      }
    } catch {
      throw SecurityError(error, because: locked.description)
    }
  }

  private func checkMayAsk(_ why: String) throws(SecurityError) {
    guard options.interaction == .allow else {
      throw SecurityError(errSecInteractionNotAllowed, "\(why), and the call may ask nobody")
    }
  }
}

extension SecurityError {
  init(_ error: VaultError) { self.init(error.osStatus, error.description) }

  /// Why nobody was authenticated, as Keychain calls say it.
  fileprivate init(_ error: LAError, because why: String? = nil) {
    let status =
      switch error.code {
      case .userCancel, .appCancel, .systemCancel: errSecUserCanceled
      case .notInteractive: errSecInteractionNotAllowed
      default: errSecAuthFailed
      }
    self.init(status, [why, error.localizedDescription].compactMap(\.self).joined(separator: "; "))
  }
}
