internal import CofferStore

extension Vault {
  /// Runs `body` as one transaction: what it does with this vault happens all or not at all, in one durable commit.
  ///
  ///     try vault.transaction {
  ///       try vault.set(token, for: access)
  ///       try vault.delete(oldToken)
  ///     }
  ///
  /// Calls of `body` on its own thread take part, those in functions that it calls and in nested transactions too. A call that
  /// throws is undone alone; `body` may catch that and go on. Other threads and programs wait with their writes meanwhile,
  /// so keep it short.
  ///
  /// - Returns: What `body` returns. Everything is on disk then.
  /// - Throws: What `body` throws, and ``VaultError`` where the transaction cannot begin or be made durable. Nothing has
  ///   changed then.
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

  /// True within ``transaction(_:)``, where other writers wait.
  package var isInsideTransaction: Bool { local.store.isHeldByThisThread }
}
