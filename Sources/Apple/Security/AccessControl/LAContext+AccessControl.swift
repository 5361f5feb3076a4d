internal import Coffer
public import LocalAuthentication

extension LAContext {
  /// Satisfies the conditions of an access control asynchronously.
  ///
  /// On Linux the owner's passphrase replaces sensors and watches. If the access control requires an application
  /// password and none was set in the context, the user is prompted for one. It is verified only when an item is opened
  /// with it.
  ///
  /// - Parameters:
  ///   - accessControl: The access control.
  ///   - operation: The operation that follows: for a new item or key, the user is prompted for a new password, twice.
  ///   - reason: The reason to show to the user. If it is empty, `localizedReason` is shown.
  ///   - reply: Called once, on another thread, with the result and an `LAError` if it is false.
  public func evaluateAccessControl(
    _ accessControl: SecAccessControl, operation: LAAccessControlOperation, localizedReason reason: String,
    reply: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    // Found on the calling thread: the vault may be task-local.
    let owner = accessControl.requiresPresence ? Result { try DeviceOwner.current() } : nil
    let vault = accessControl.requiresApplicationPassword ? try? Vault.default : nil
    runOnNewThread(reply: reply) { context in
      try context.checkValid()
      if let owner = try owner?.get() { try context.authenticate(owner.vault, reason: reason, owner.accepts) }
      guard accessControl.requiresApplicationPassword, context.credential(.applicationPassword) == nil else { return }
      switch operation {
      case .createItem, .createKey: try context.promptForNewPassword(in: vault, reason: reason, replacing: true)
      case .useItem, .useKeySign, .useKeyDecrypt, .useKeyKeyExchange:
        _ = try context.promptForPassword(in: vault, reason: reason, failedAttempts: 0)
      }
    }
  }

  /// Satisfies the conditions of an access control.
  ///
  /// On Linux the owner's passphrase replaces sensors and watches. If the access control requires an application
  /// password and none was set in the context, the user is prompted for one. It is verified only when an item is opened
  /// with it.
  ///
  /// - Parameters:
  ///   - accessControl: The access control.
  ///   - operation: The operation that follows: for a new item or key, the user is prompted for a new password, twice.
  ///   - reason: The reason to show to the user. If it is empty, `localizedReason` is shown.
  /// - Returns: True.
  /// - Throws: `LAError` if the conditions were not satisfied.
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
