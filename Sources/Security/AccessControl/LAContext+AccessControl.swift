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
    // Here, since the vault of a task is not that of another thread.
    let owner = accessControl.requiresPresence ? Result { try DeviceOwner() } : nil
    answer(on: reply) { context in
      try context.checkValid()
      if let owner = try owner?.get() { try context.authenticate(owner.vault, reason: reason, owner.accepts) }
      guard accessControl.requiresApplicationPassword, context.credential(.applicationPassword) == nil else { return }
      switch operation {
      case .createItem, .createKey: try context.askForNewPassword(reason: reason, again: true)
      case .useItem, .useKeySign, .useKeyDecrypt, .useKeyKeyExchange:
        _ = try context.askForPassword(reason: reason, failedAttempts: 0)
      }
    }
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
}
