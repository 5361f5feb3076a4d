public import Foundation
internal import Synchronization

/// Where Foundation's errors are left for callers that want them; on Apple's systems Foundation has this name itself.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?

/// One occasion on which somebody is authenticated.
///
/// Linux has no sensor: what Apple's systems ask a fingerprint or face for, this asks the passphrase for, through
/// ``AuthenticationPrompt/prompter``. A context that has authenticated somebody stays so until it is invalidated.
// Everything that changes is in `state`, behind a lock; subclasses, which apps have in tests, answer for their own.
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
    /// Whose passphrases were typed.
    var authenticatedOwners: Set<String> = []
    var isInvalidated = false
    var request: AuthenticationRequest?
    var askingThread: pthread_t?
  }

  let state = Mutex(State())
  /// Held while somebody is asked: one question at a time.
  let turn = NSLock()

  /// A context that has authenticated nobody.
  public override init() {}

  deinit { state.withLock { $0.request?.cancel() } }

  /// True where nobody may be asked; false by default.
  open var interactionNotAllowed: Bool {
    get { state.withLock { $0.isInteractionNotAllowed } }
    set { state.withLock { $0.isInteractionNotAllowed = newValue } }
  }

  /// Why Keychain calls with this context ask, for people.
  open var localizedReason: String {
    get { state.withLock { $0.reason } }
    set { state.withLock { $0.reason = newValue } }
  }

  /// The name of the app's own way of authenticating. Prompters here have no button for it.
  open var localizedFallbackTitle: String? {
    get { state.withLock { $0.fallbackTitle } }
    set { state.withLock { $0.fallbackTitle = newValue } }
  }

  /// The name of the button that cancels.
  open var localizedCancelTitle: String? {
    get { state.withLock { $0.cancelTitle } }
    set { state.withLock { $0.cancelTitle = newValue } }
  }

  /// For how many seconds an unlocking of the device counts; 0 by default. There is none on Linux: it is kept only.
  open var touchIDAuthenticationAllowableReuseDuration: TimeInterval {
    get { state.withLock { $0.reuseDuration } }
    set { state.withLock { $0.reuseDuration = newValue } }
  }

  /// The device's sensor: none.
  open var biometryType: LABiometryType { .none }

  /// What a sensor knows, for comparison; there is no sensor.
  open var evaluatedPolicyDomainState: Data? { nil }

  /// Gives the context a secret, so that nobody need be asked for it; nil takes it away.
  ///
  /// - Returns: False where the context is invalidated or the secret has more than 1024 bytes.
  @discardableResult
  open func setCredential(_ credential: Data?, type: LACredentialType) -> Bool {
    guard (credential?.count ?? 0) <= Passphrase.maximumByteCount else { return false }
    var bytes = credential.map(Array.init)
    return state.withLock { state in
      guard !state.isInvalidated else { return false }
      state.credentials[type] = bytes.take().map { taken in
        var taken = taken
        return Passphrase(moving: &taken)
      }
      return true
    }
  }

  /// True where the context has been given such a secret.
  @discardableResult
  open func isCredentialSet(_ type: LACredentialType) -> Bool {
    state.withLock { $0.credentials[type] != nil }
  }

  /// Ends the context: what it asks is cancelled, what it was given is wiped, and it authenticates nobody any more.
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

  /// True where the policy could be evaluated: the owner's passphrase, where there is one. Asks nobody.
  ///
  /// - Parameter error: Where to leave why not: `biometryNotAvailable`, `companionNotAvailable`, `passcodeNotSet`,
  ///   `notInteractive`, `invalidContext`.
  @discardableResult
  open func canEvaluatePolicy(_ policy: LAPolicy, error: NSErrorPointer) -> Bool {
    do {
      let owner = try owner(for: policy)
      try checkValid()
      if hasAuthenticated(owner.vault) { return true }
      if interactionNotAllowed { throw LAError(.notInteractive, "the context may ask nobody") }
      guard AuthenticationPrompt.prompter != nil else {
        throw LAError(.notInteractive, LAContext.noPrompter)
      }
      return true
    } catch let refusal {
      unsafe error?.pointee = refusal as NSError
      return false
    }
  }

  /// Authenticates the owner; `reply` is called once, on another thread.
  ///
  /// - Parameter reason: Why, for people. Apple traps on an empty one; here it is `localizedReason` that is shown.
  open func evaluatePolicy(
    _ policy: LAPolicy, localizedReason reason: String, reply: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    // Here, since the vault of a task is not that of another thread.
    let owner = Result { try self.owner(for: policy) }
    answer(on: reply) { context in
      let owner = try owner.get()
      try context.checkValid()
      try context.authenticate(owner.vault, reason: reason, owner.accepts)
    }
  }

  /// Authenticates the owner.
  ///
  /// - Returns: True. Throws `LAError` where nobody was authenticated.
  @discardableResult
  open func evaluatePolicy(_ policy: LAPolicy, localizedReason reason: String) async throws -> Bool {
    try await withCheckedThrowingContinuation { continuation in
      evaluatePolicy(policy, localizedReason: reason) { success, error in
        if let error { continuation.resume(throwing: error) } else { continuation.resume(returning: success) }
      }
    }
  }
}
