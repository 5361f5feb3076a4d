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
  ///
  /// - Parameter again: Asks also a context that has authenticated them: what accepts the passphrase needs its bytes.
  package func authenticateOwner(
    reason: String, again: Bool = false, _ accepts: (Passphrase) throws(LAError) -> Bool
  ) throws(LAError) {
    if isAuthenticated, !again { return }
    for failedAttempts in 0..<3 {
      let passphrase = try ask(.passphrase, reason: reason, failedAttempts: failedAttempts)
      guard try accepts(passphrase) else { continue }
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
    let password = try askForPassword(reason: reason, failedAttempts: 0)
    remember(password)
    return password
  }

  /// Asks for the password of an item, and remembers it not: only opening the item tells whether it is right.
  package func askForPassword(reason: String, failedAttempts: Int) throws(LAError) -> Passphrase {
    try ask(.applicationPassword, reason: reason, failedAttempts: failedAttempts)
  }

  /// Asks for the password of a new item, twice, until both are the same: three times at most.
  package func askForNewPassword(reason: String) throws(LAError) -> Passphrase {
    for failedAttempts in 0..<3 {
      let password = try ask(.newApplicationPassword, reason: reason, failedAttempts: failedAttempts)
      let repeated = try ask(.repeatedApplicationPassword, reason: reason, failedAttempts: 0)
      if password == repeated { return password }
    }
    throw LAError(.authenticationFailed, "the two passwords differed three times")
  }

  /// Keeps a password that has proved right.
  package func remember(_ password: Passphrase) {
    state.withLock { if !$0.isInvalidated { $0.credentials[.applicationPassword] = password } }
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

  func owner(for policy: LAPolicy) throws(LAError) -> DeviceOwner {
    switch policy {
    case .deviceOwnerAuthentication: break
    case .deviceOwnerAuthenticationWithBiometrics, .deviceOwnerAuthenticationWithBiometricsOrWatch:
      throw LAError(.biometryNotAvailable, "there is no sensor")
    case .deviceOwnerAuthenticationWithWatch: throw LAError(.companionNotAvailable, "there is no watch")
    }
    return try DeviceOwner()
  }
}
