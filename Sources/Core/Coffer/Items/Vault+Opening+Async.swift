public import CofferVault

/// The asynchronous forms of the calls that open and unlock a vault, run a transaction, or store identities. They do
/// the work on a thread that may block, and are not interrupted when the task is cancelled.
extension Vault {
  /// Opens a vault without blocking the calling thread. Parameters, result and errors: see
  /// ``open(_:at:creatingIfNeeded:askingForRegistration:)``.
  public static func open(
    _ entitlements: EntitlementsSource = .automatic, at location: VaultLocation? = nil, creatingIfNeeded: Bool = true,
    askingForRegistration prompt: AppRegistrationPrompt? = nil
  ) async throws(VaultError) -> Vault {
    try await onBlockingThread { () throws(VaultError) in
      try open(entitlements, at: location, creatingIfNeeded: creatingIfNeeded, askingForRegistration: prompt)
    }
  }

  /// Unlocks the vault without blocking the calling thread. Parameters, result and errors: see
  /// ``unlock(passphrase:lockAfter:)``.
  public func unlock(passphrase: some SecretValue, lockAfter: Duration? = nil) async throws(VaultError) {
    try await onBlockingThread { () throws(VaultError) in
      try self.unlock(passphrase: passphrase, lockAfter: lockAfter)
    }
  }

  /// Runs a transaction, in which `body` uses the synchronous calls, without blocking the calling thread. Parameters,
  /// result and errors: see ``transaction(_:)``.
  @discardableResult
  public func transaction<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await onBlockingThreadRethrowing { try self.transaction(body) }
  }

  /// Adds a certificate without blocking the calling thread. Parameters, result and errors: see ``add(_:in:)``.
  @discardableResult
  public func add(
    _ certificate: KeychainCertificate, in accessGroup: String? = nil
  ) async throws(VaultError) -> PersistentReference {
    try await onBlockingThread { () throws(VaultError) in try self.add(certificate, in: accessGroup) }
  }

  /// Deletes an identity without blocking the calling thread. Parameters, result and errors: see ``delete(_:)``.
  @discardableResult
  public func delete(_ identity: KeychainIdentity) async throws(VaultError) -> Bool {
    try await onBlockingThread { () throws(VaultError) in try self.delete(identity) }
  }
}
