internal import Foundation
internal import Synchronization

extension LAContext {
  private static let maximumAttempts = 3

  // MARK: The owner

  /// True where this context has authenticated this owner.
  package func hasAuthenticated(_ owner: String) -> Bool {
    state.withLock { !$0.isInvalidated && $0.authenticatedOwners.contains(owner) }
  }

  /// Asks for the owner's passphrase, three times at most, unless this context has authenticated them already.
  ///
  /// Blocks until somebody answers; threads that share the context wait for one answer. Throws `invalidContext`,
  /// `notInteractive`, `userCancel`, `appCancel` or `authenticationFailed`.
  ///
  /// - Parameters:
  ///   - owner: Whose passphrase it is: what authenticates the owner of one vault says nothing about another's.
  ///   - isDone: Tells that nobody need be asked any more, also after waiting for another thread's answer; by default that this
  ///     context has authenticated the owner.
  package func authenticate(
    _ owner: String, reason: String, unless isDone: (() -> Bool)? = nil,
    _ accepts: (Passphrase) throws(LAError) -> Bool
  ) throws(LAError) {
    let isDone = isDone ?? { self.hasAuthenticated(owner) }
    if isDone() { return }
    try inTurn { () throws(LAError) in
      // Somebody may have answered another thread meanwhile.
      if isDone() { return }
      for failedAttempts in 0..<Self.maximumAttempts {
        let passphrase = try ask(.passphrase, reason: reason, failedAttempts: failedAttempts)
        guard try accepts(passphrase) else { continue }
        let isStillWanted = state.withLock { state in
          guard !state.isInvalidated else { return false }
          state.authenticatedOwners.insert(owner)
          return true
        }
        guard isStillWanted else { throw LAError(.appCancel, "the context was invalidated") }
        return
      }
      throw LAError(.authenticationFailed, "the passphrase was wrong three times")
    }
  }

  // MARK: Passwords of items

  /// The secret that the program gave.
  package func credential(_ type: LACredentialType) -> Passphrase? { state.withLock { $0.credentials[type] } }

  /// What somebody typed into this context: which items each of them opens, only those tell.
  package var typedPasswords: [Passphrase] { state.withLock { $0.typedPasswords } }

  /// The password for new items that somebody typed into this context, twice.
  package var newPassword: Passphrase? { state.withLock { $0.newPassword } }

  /// Asks for the password of an item, and remembers it: whether it is right, items tell.
  ///
  /// - Parameter known: What the caller has tried; nil is returned, and nobody asked, where another thread was answered since.
  package func askForPassword(
    reason: String, failedAttempts: Int, unlessOtherThan known: [Passphrase]? = nil
  ) throws(LAError) -> Passphrase? {
    try inTurn { () throws(LAError) in
      if let known, typedPasswords != known { return nil }
      let password = try ask(.applicationPassword, reason: reason, failedAttempts: failedAttempts)
      remember(password)
      return password
    }
  }

  /// Asks for the password of a new item, twice, until both are the same and can be used: three times at most. It is remembered.
  ///
  /// - Parameter again: Asks also where another thread was answered while this one waited.
  @discardableResult
  package func askForNewPassword(reason: String, again: Bool = false) throws(LAError) -> Passphrase {
    try inTurn { () throws(LAError) in
      if !again, let known = newPassword { return known }
      for failedAttempts in 0..<Self.maximumAttempts {
        let password = try ask(.newApplicationPassword, reason: reason, failedAttempts: failedAttempts)
        let isRepeated = try ask(.repeatedApplicationPassword, reason: reason, failedAttempts: 0) == password
        guard isRepeated, password.isUsable else { continue }
        state.withLock { if !$0.isInvalidated { $0.newPassword = password } }
        return password
      }
      throw LAError(.authenticationFailed, "no new password was typed twice in three attempts")
    }
  }

  /// Drops what somebody typed, since it opened nothing.
  package func forget(_ password: Passphrase) {
    state.withLock { $0.typedPasswords.removeAll { $0 === password } }
  }

  /// Keeps what somebody typed, so that the same need not be typed for the next item.
  private func remember(_ password: Passphrase) {
    state.withLock { state in
      guard !state.isInvalidated, !state.typedPasswords.contains(password) else { return }
      state.typedPasswords = [password] + state.typedPasswords.prefix(Self.maximumTypedPasswords - 1)
    }
  }

  /// Each costs a key derivation at an item that it does not open.
  private static let maximumTypedPasswords = 8

  // MARK: Asking

  static let noPrompter = "the program has set no prompter: AuthenticationPrompt.prompter = TerminalPrompter()"

  /// Throws where the context is at its end.
  package func checkValid() throws(LAError) {
    if state.withLock({ $0.isInvalidated }) { throw LAError(.invalidContext, "the context was invalidated") }
  }

  /// Runs `body`, which asks, while no other thread asks through this context.
  private func inTurn<Result>(_ body: () throws(LAError) -> Result) throws(LAError) -> Result {
    let thread = pthread_self()
    guard state.withLock({ $0.askingThread != thread }) else {
      throw LAError(.notInteractive, "the context is asking already: a prompter cannot be asked by what it calls")
    }
    turn.lock()
    defer { turn.unlock() }
    state.withLock { $0.askingThread = thread }
    defer { state.withLock { $0.askingThread = nil } }
    return try body()
  }

  private func ask(
    _ secret: AuthenticationRequest.Secret, reason: String, failedAttempts: Int
  ) throws(LAError) -> Passphrase {
    let said = reason.isEmpty ? localizedReason : reason
    let request = AuthenticationRequest(
      secret: secret, reason: said.isEmpty ? "\(ProcessInfo.processInfo.processName) uses a protected item" : said,
      failedAttempts: failedAttempts, cancelTitle: localizedCancelTitle)
    try checkValid()
    if interactionNotAllowed { throw LAError(.notInteractive, "the context may ask nobody") }
    state.withLock { $0.request = request }
    defer { state.withLock { $0.request = nil } }
    // Whoever invalidated the context in between saw no request to cancel.
    if state.withLock({ $0.isInvalidated }) { request.cancel() }
    let answer = request.isCancelled ? .cancelled : AuthenticationPrompt.prompter?.ask(request)
    switch answer {
    case .passphrase(let passphrase) where !request.isCancelled: return passphrase
    case .unavailable: throw LAError(.notInteractive, "there is nothing to ask with")
    case nil: throw LAError(.notInteractive, LAContext.noPrompter)
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
