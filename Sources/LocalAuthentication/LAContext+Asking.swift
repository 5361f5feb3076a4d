internal import Foundation
internal import Synchronization

extension LAContext {
  /// The secret that was given, or that somebody typed.
  package func credential(_ type: LACredentialType) -> Passphrase? {
    state.withLock { $0.credentials[type] }
  }

  /// True where this context has authenticated somebody.
  package var isAuthenticated: Bool { state.withLock { $0.isAuthenticated } }

  /// Asks for the owner's passphrase, three times at most, unless this context has authenticated them already.
  ///
  /// Blocks until somebody answers. Throws `invalidContext`, `notInteractive`, `userCancel`, `appCancel` or
  /// `authenticationFailed`.
  package func authenticateOwner(reason: String, _ accepts: (Passphrase) -> Bool) throws(LAError) {
    if isAuthenticated { return }
    for failedAttempts in 0..<3 {
      let passphrase = try ask(.passphrase, reason: reason, failedAttempts: failedAttempts)
      guard accepts(passphrase) else { continue }
      let isStillWanted = state.withLock { state in
        state.isAuthenticated = !state.isInvalidated
        return state.isAuthenticated
      }
      guard isStillWanted else { throw LAError(.appCancel, "the context was invalidated") }
      return
    }
    throw LAError(.authenticationFailed, "the passphrase was wrong three times")
  }

  /// Asks for the password of an item, unless this context has one. Blocks, and throws as ``authenticateOwner`` does.
  package func applicationPassword(reason: String) throws(LAError) -> Passphrase {
    if let known = credential(.applicationPassword) { return known }
    let password = try ask(.applicationPassword, reason: reason, failedAttempts: 0)
    state.withLock { if !$0.isInvalidated { $0.credentials[.applicationPassword] = password } }
    return password
  }

  /// Throws where the context is at its end, or may ask nobody and has not authenticated anybody.
  func checkMayAsk() throws(LAError) {
    let (isInvalidated, isSilent) = state.withLock {
      ($0.isInvalidated, $0.isInteractionNotAllowed && !$0.isAuthenticated)
    }
    if isInvalidated { throw LAError(.invalidContext, "the context was invalidated") }
    if isSilent { throw LAError(.notInteractive, "the context may ask nobody") }
  }

  private func ask(
    _ secret: AuthenticationRequest.Secret, reason: String, failedAttempts: Int
  ) throws(LAError) -> Passphrase {
    let request = AuthenticationRequest(
      secret: secret, reason: reason.isEmpty ? localizedReason : reason, failedAttempts: failedAttempts,
      cancelTitle: localizedCancelTitle)
    let answer: AuthenticationAnswer? = try asking.withLock { _ throws(LAError) in
      try checkMayAsk()
      state.withLock { $0.request = request }
      defer { state.withLock { $0.request = nil } }
      // Whoever invalidated the context in between saw no request to cancel.
      if state.withLock({ $0.isInvalidated }) { request.cancel() }
      return request.isCancelled ? .cancelled : AuthenticationPrompt.prompter?.ask(request)
    }
    switch answer {
    case .passphrase(let passphrase) where !request.isCancelled: return passphrase
    case .unavailable: throw LAError(.notInteractive, "there is nothing to ask with")
    case nil: throw LAError(.notInteractive, "the program has set no prompter")
    case .cancelled, .passphrase:
      throw request.isCancelled
        ? LAError(.appCancel, "the context was invalidated") : LAError(.userCancel, "somebody cancelled")
    }
  }

  /// Runs what may block on a thread of its own, and tells how it went.
  package func answer(
    on reply: @escaping @Sendable (Bool, (any Error)?) -> Void, _ work: @escaping @Sendable (LAContext) throws -> Void
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

  func verifier(of policy: LAPolicy) throws(LAError) -> DeviceOwner.Verifier {
    switch policy {
    case .deviceOwnerAuthentication: break
    case .deviceOwnerAuthenticationWithBiometrics, .deviceOwnerAuthenticationWithBiometricsOrWatch:
      throw LAError(.biometryNotAvailable, "there is no sensor")
    case .deviceOwnerAuthenticationWithWatch: throw LAError(.companionNotAvailable, "there is no watch")
    }
    guard let verifier = DeviceOwner.verifier else {
      throw LAError(.passcodeNotSet, "there is no passphrase to ask for")
    }
    return verifier
  }
}
