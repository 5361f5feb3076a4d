public import CofferVault

/// The changes of a vault, as this process and others commit them; a sync is one of them.
///
///     for try await change in vault.changes(in: "com.example.photo.purchases") { … }
///
/// Commits in quick succession may be reported as one change. The process sleeps until the
/// kernel reports a write, and then reads the store for up to two seconds.
public struct VaultChanges: AsyncSequence, Sendable {
  /// The element type.
  public typealias Element = VaultChange
  /// The error type of the iteration.
  public typealias Failure = VaultError

  let vault: Vault
  let accessGroup: String?

  /// Creates an iterator that reports the changes that are committed from now on.
  public func makeAsyncIterator() -> Iterator {
    Iterator(observer: ChangeObserver.start(on: vault, accessGroup: accessGroup))
  }

  /// An iterator over the changes of a vault.
  public struct Iterator: AsyncIteratorProtocol {
    let observer: ChangeObserver

    /// Waits for the next change. Returns nil when the task is cancelled.
    ///
    /// - Throws: ``VaultError``: `notEntitled` for a group that is not the app's; `locked`; `io` if the system cannot
    ///   watch the vault's folder.
    public mutating func next() async throws(VaultError) -> VaultChange? { try await observer.next() }

    /// Waits for the next change on behalf of an actor. As ``next()``.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(VaultError) -> VaultChange? {
      try await observer.next()
    }
  }
}

extension Vault {
  /// Returns the changes from now on as an asynchronous sequence. A change is reported within a tenth of a second of
  /// its commit.
  ///
  /// - Parameter accessGroup: The access group to observe; all of the app's groups if nil.
  /// - Returns: The sequence of changes.
  public func changes(in accessGroup: String? = nil) -> VaultChanges {
    VaultChanges(vault: self, accessGroup: accessGroup)
  }
}
