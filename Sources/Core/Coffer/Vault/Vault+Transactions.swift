internal import CofferStore
internal import CofferVault

extension Vault {
  /// Runs `body` as one transaction: its calls of this vault take effect together, in one durable commit, or not at
  /// all.
  ///
  ///     try vault.transaction {
  ///       try vault.set(token, for: access)
  ///       try vault.delete(oldToken)
  ///     }
  ///
  /// All calls on the thread of `body` take part, including those in nested transactions. If one call throws, only that
  /// call is undone; `body` can catch the error and continue. Other threads and processes wait with their writes, so
  /// keep it short.
  ///
  /// - Parameter body: The calls. Use the synchronous forms.
  /// - Returns: What `body` returns. Everything is on disk then.
  /// - Throws: What `body` throws, and ``VaultError`` if the transaction cannot begin or cannot be made durable.
  ///   Nothing has changed then.
  @discardableResult
  public func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    var thrown: (any Error)?
    do {
      return try writing { _, _ in
        do {
          return try body()
        } catch {
          thrown = error
          throw error
        }
      }
    } catch {
      throw thrown ?? error
    }
  }

  /// Whether the current thread is within ``transaction(_:)``, so that other writers wait.
  package var isInsideTransaction: Bool { local.store.isHeldByThisThread }
}
