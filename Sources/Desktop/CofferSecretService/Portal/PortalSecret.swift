internal import Coffer
internal import CofferCrypto
internal import CofferTrust
internal import CofferVault

/// The secret of a sandboxed program, with which it encrypts its own file of passwords: 64 random bytes, made once and kept in the
/// access group of the program's app.
struct PortalSecret: Sendable {
  let program: DesktopProgram

  private static let byteCount = 64
  /// The schema of the item's attributes.
  private static let schema = "org.freedesktop.portal.Secret"

  /// Returns the secret, which the caller wipes. A person may be asked, first whether the program gets a collection and then for
  /// the passphrase.
  ///
  /// - Throws: ``VaultError``: `authenticationCancelled` if a person has declined or has not answered; `locked` if nobody can be
  ///   asked; errors of the vault.
  func bytes(isCancelled: @escaping @Sendable () -> Bool) throws(VaultError) -> [UInt8] {
    let vault = try openVault(isCancelled)
    let item = NewItem(
      label: "Secret of \(program.name ?? "")",
      attributes: ["app_id": program.name ?? "", IndexedItem.schemaName: Self.schema],
      contentType: "application/octet-stream", value: []
    ).password(isUnique: false)
    if let known = try vault.bytes(for: item) { return known }
    let fresh = Random.bytes(count: Self.byteCount)
    do throws(VaultError) {
      try vault.add(fresh, for: item)
      return fresh
    } catch {
      // Another call was faster.
      guard error.code == .duplicateItem, let known = try vault.bytes(for: item) else { throw error }
      return known
    }
  }

  private func openVault(_ isCancelled: @escaping @Sendable () -> Bool) throws(VaultError) -> Vault {
    let folder = try VaultFolder(.standard())
    let app = DesktopApp(CallerIdentity(program))
    if try app.installed(in: folder) == nil {
      _ = try UnlockQuestion(.registration(app, folder)).ask(for: program.words, isCancelled: isCancelled)
    }
    guard let application = try app.installed(in: folder) else {
      throw VaultError(
        .locked, "\(program.words) has no collection", recoverySuggestion: program.addCommand ?? "try again")
    }
    let vault = try Vault.open(applicationNamed: application.description, in: folder).vault
    guard vault.isLocked else { return vault }
    // The agent may have the keys.
    try? vault.unlock()
    if vault.isLocked { _ = try UnlockQuestion(.sealed(vault)).ask(for: program.words, isCancelled: isCancelled) }
    return vault
  }
}
