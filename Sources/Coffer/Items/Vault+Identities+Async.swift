public import Foundation

/// The calls of `Identity`, and opening, waiting without blocking a thread of the program's tasks.
extension Vault {
  /// Opens a vault. As the synchronous form.
  public static func open(
    _ entitlements: EntitlementsSource = .automatic, at location: VaultLocation? = nil
  ) async throws(VaultError) -> Vault {
    try await waitingToOpen { () throws(VaultError) in try open(entitlements, at: location) }
  }

  /// Adds a certificate where there is none. As the synchronous form.
  @discardableResult
  public func add(_ certificate: Certificate, in accessGroup: String? = nil) async throws(VaultError) -> PersistentReference {
    try await waiting { () throws(VaultError) in try self.add(certificate, in: accessGroup) }
  }

  /// Adds a certificate and its private key, both or neither. As the synchronous form.
  public func add(
    _ certificate: Certificate, privateKey: some SecretValue, tag: Data = Data(), in accessGroup: String? = nil
  ) async throws(VaultError) {
    try await waiting { () throws(VaultError) in
      try self.add(certificate, privateKey: privateKey, tag: tag, in: accessGroup)
    }
  }

  /// Deletes an identity's certificate and private key, both or neither. As the synchronous form.
  @discardableResult
  public func delete(_ identity: Identity) async throws(VaultError) -> Bool {
    try await waiting { () throws(VaultError) in try self.delete(identity) }
  }
}
