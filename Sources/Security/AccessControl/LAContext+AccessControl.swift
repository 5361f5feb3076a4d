public import LocalAuthentication

extension LAContext {
  /// Authenticates whoever an access control asks for; `reply` is called once, on another thread.
  ///
  /// There is no sensor and no watch on Linux: where the access control names one, the owner's passphrase stands for
  /// it. An application password is asked for unless the context was given one; only opening the item can check it.
  public func evaluateAccessControl(
    _ accessControl: SecAccessControl, operation: LAAccessControlOperation, localizedReason reason: String,
    reply: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    answer(on: reply) { context in try context.fulfil(accessControl, reason: reason) }
  }

  /// Authenticates whoever an access control asks for.
  ///
  /// - Returns: True. Throws `LAError` where nobody was authenticated.
  @discardableResult
  public func evaluateAccessControl(
    _ accessControl: SecAccessControl, operation: LAAccessControlOperation, localizedReason reason: String
  ) async throws -> Bool {
    try await withCheckedThrowingContinuation { continuation in
      evaluateAccessControl(accessControl, operation: operation, localizedReason: reason) { success, error in
        if let error { continuation.resume(throwing: error) } else { continuation.resume(returning: success) }
      }
    }
  }

  /// Asks for what the access control needs and this context does not have; blocks until somebody answers.
  package func fulfil(_ accessControl: SecAccessControl, reason: String) throws(LAError) {
    if accessControl.requiresPresence {
      guard let verifier = DeviceOwner.verifier else {
        throw LAError(.passcodeNotSet, "there is no passphrase to ask for")
      }
      try authenticateOwner(reason: reason, verifier)
    }
    if accessControl.requiresApplicationPassword { _ = try applicationPassword(reason: reason) }
  }
}
