internal import Coffer
internal import CofferCrypto
public import Foundation
internal import Synchronization

/// A context in which the owner of the machine is authenticated.
///
/// Biometric sensors are not supported on Linux: the context asks for the owner's passphrase instead, through
/// ``AuthenticationPrompt/prompter``. A context that has authenticated the owner stays authenticated until it is
/// invalidated.
// Unchecked: all mutable state is in `state`, protected by a lock. Subclasses, as apps have in tests, protect their
// own.
open class LAContext: NSObject, @unchecked Sendable {
  struct State {
    var isInteractionNotAllowed = false
    var reason = ""
    var fallbackTitle: String?
    var cancelTitle: String?
    var reuseDuration: TimeInterval = 0
    var credentials: [LACredentialType: Passphrase] = [:]
    var typedPasswords: [Passphrase] = []
    var newPassword: Passphrase?
    /// The identifiers of the vaults whose owners have typed their passphrases.
    var authenticatedOwners: Set<String> = []
    var isInvalidated = false
    var request: AuthenticationRequest?
    var promptingThread: pthread_t?
  }

  let state = Mutex(State())
  /// Held while a prompt is shown, so that only one is shown at a time.
  let promptLock = NSLock()

  /// Creates a context that has authenticated nobody.
  public override init() {}

  deinit { state.withLock { $0.request?.cancel() } }

  /// True if the context must not prompt the user; false by default.
  open var interactionNotAllowed: Bool {
    get { state.withLock { $0.isInteractionNotAllowed } }
    set { state.withLock { $0.isInteractionNotAllowed = newValue } }
  }

  /// The reason that prompts of Keychain calls with this context show to the user.
  open var localizedReason: String {
    get { state.withLock { $0.reason } }
    set { state.withLock { $0.reason = newValue } }
  }

  /// The title of the fallback button. Stored, but not shown: prompters have no such button.
  open var localizedFallbackTitle: String? {
    get { state.withLock { $0.fallbackTitle } }
    set { state.withLock { $0.fallbackTitle = newValue } }
  }

  /// The title of the cancel button.
  open var localizedCancelTitle: String? {
    get { state.withLock { $0.cancelTitle } }
    set { state.withLock { $0.cancelTitle = newValue } }
  }

  /// The time in seconds during which unlocking the device counts as authentication; 0 by default. Stored, but without
  /// effect: Linux does not report when the device was unlocked.
  open var touchIDAuthenticationAllowableReuseDuration: TimeInterval {
    get { state.withLock { $0.reuseDuration } }
    set { state.withLock { $0.reuseDuration = newValue } }
  }

  /// The device's biometric sensor: always `none`.
  open var biometryType: LABiometryType { .none }

  /// The state of the enrolled biometric data: always nil.
  open var evaluatedPolicyDomainState: Data? { nil }

  /// Sets a secret, so that the user is not prompted for it; nil removes the secret.
  ///
  /// The context keeps the secret in guarded memory and wipes it. The `Data`, which Apple's signature requires, is the
  /// caller's to wipe.
  ///
  /// - Returns: False if the context is invalidated or the secret has more than 1024 bytes.
  @discardableResult
  open func setCredential(_ credential: Data?, type: LACredentialType) -> Bool {
    guard (credential?.count ?? 0) <= Passphrase.maximumByteCount else { return false }
    let secret = credential.map { Passphrase(SecretText(copying: $0)) }
    return state.withLock { state in
      guard !state.isInvalidated else { return false }
      state.credentials[type] = secret
      return true
    }
  }

  /// Returns whether a secret of this type was set.
  @discardableResult
  open func isCredentialSet(_ type: LACredentialType) -> Bool {
    state.withLock { $0.credentials[type] != nil }
  }

  /// Invalidates the context: cancels a pending prompt, wipes all secrets and forgets who was authenticated.
  open func invalidate() {
    let request = state.withLock { state in
      state.isInvalidated = true
      state.authenticatedOwners = []
      state.credentials = [:]
      state.typedPasswords = []
      state.newPassword = nil
      return state.request
    }
    request?.cancel()
  }

  /// Checks whether the policy can be evaluated, without prompting the user.
  ///
  /// - Parameters:
  ///   - policy: The policy: on Linux only `deviceOwnerAuthentication` can be evaluated.
  ///   - error: Set if the result is false: `biometryNotAvailable`, `companionNotAvailable`, `passcodeNotSet`,
  ///     `notInteractive` or `invalidContext`.
  /// - Returns: True if the policy can be evaluated.
  @discardableResult
  open func canEvaluatePolicy(_ policy: LAPolicy, error: NSErrorPointer) -> Bool {
    do {
      let owner = try owner(for: policy)
      try checkValid()
      if hasAuthenticated(owner.vault.identifier) { return true }
      if interactionNotAllowed { throw LAError(.notInteractive, Self.interactionForbidden) }
      guard try AuthenticationPrompt.prompter(for: owner.vault) != nil else {
        throw LAError(.notInteractive, Self.prompterMissing)
      }
      return true
    } catch let refusal {
      unsafe error?.pointee = refusal as NSError
      return false
    }
  }

  /// Authenticates the owner asynchronously.
  ///
  /// - Parameters:
  ///   - policy: The policy: on Linux only `deviceOwnerAuthentication` can be evaluated.
  ///   - reason: The reason to show to the user. If it is empty, ``localizedReason`` is shown; Apple's implementation
  ///     traps instead.
  ///   - reply: Called once, on another thread, with the result and an `LAError` if it is false.
  open func evaluatePolicy(
    _ policy: LAPolicy, localizedReason reason: String, reply: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    // Found on the calling thread: the vault may be task-local.
    let owner = Result { try self.owner(for: policy) }
    runOnNewThread(reply: reply) { context in
      let owner = try owner.get()
      try context.checkValid()
      try context.authenticate(owner.vault, reason: reason, owner.accepts)
    }
  }

  /// Authenticates the owner.
  ///
  /// - Parameters:
  ///   - policy: The policy: on Linux only `deviceOwnerAuthentication` can be evaluated.
  ///   - reason: The reason to show to the user. If it is empty, ``localizedReason`` is shown; Apple's implementation
  ///     traps instead.
  /// - Returns: True.
  /// - Throws: `LAError` if the owner was not authenticated.
  @discardableResult
  open func evaluatePolicy(_ policy: LAPolicy, localizedReason reason: String) async throws -> Bool {
    try await withCheckedThrowingContinuation { continuation in
      evaluatePolicy(policy, localizedReason: reason) { success, error in
        if let error { continuation.resume(throwing: error) } else { continuation.resume(returning: success) }
      }
    }
  }
}

/// The ways in which the owner of the machine can be authenticated.
public enum LAPolicy: Int, Sendable {
  /// Authentication with a biometric sensor. Always fails on Linux, which has none.
  case deviceOwnerAuthenticationWithBiometrics = 1
  /// Authentication with the owner's passphrase.
  case deviceOwnerAuthentication = 2
  /// Authentication with a watch nearby. Always fails on Linux, which supports none.
  case deviceOwnerAuthenticationWithWatch = 3
  /// Authentication with a biometric sensor or a watch. Always fails on Linux, which supports neither.
  case deviceOwnerAuthenticationWithBiometricsOrWatch = 4

  /// Authentication with a companion device: the newer name of the policy for watches.
  public static let deviceOwnerAuthenticationWithCompanion = deviceOwnerAuthenticationWithWatch
  /// Authentication with a biometric sensor or a companion device: the newer name of the policy for both.
  public static let deviceOwnerAuthenticationWithBiometricsOrCompanion = deviceOwnerAuthenticationWithBiometricsOrWatch
}

/// The biometric sensors of Apple's devices.
public enum LABiometryType: Int, Sendable {
  /// No sensor: always the case on Linux.
  case none = 0
  /// A fingerprint sensor.
  case touchID = 1
  /// Face recognition.
  case faceID = 2
  /// Iris recognition.
  case opticID = 4
}

/// The kinds of secrets that a program can give to a context.
public enum LACredentialType: Int, Sendable {
  /// The password of an item whose access control requires an application password.
  case applicationPassword = 0
  /// The PIN of a smart card. Kept, but never used on Linux.
  case smartCardPIN = -3
}

/// An operation on an item that is protected by an access control.
public enum LAAccessControlOperation: Int, Sendable {
  /// Creating an item.
  case createItem = 0
  /// Reading an item.
  case useItem = 1
  /// Creating a key.
  case createKey = 2
  /// Signing with a key.
  case useKeySign = 3
  /// Decrypting with a key.
  case useKeyDecrypt = 4
  /// Agreeing on a shared secret with a key.
  case useKeyKeyExchange = 5
}
