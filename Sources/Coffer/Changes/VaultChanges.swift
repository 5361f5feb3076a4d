internal import CofferFormat
internal import CofferStore
internal import CofferTrust
internal import Dispatch
internal import Foundation
internal import Synchronization

/// The changes of a vault, as they are committed by this process and others, a sync among them.
///
///     for try await change in vault.changes(in: "com.example.photo.purchases") { … }
///
/// Commits that follow each other closely may come as one change. Between them nothing is polled: the kernel wakes the program.
public struct VaultChanges: AsyncSequence, Sendable {
  /// What has changed.
  public typealias Element = VaultChange
  /// The only error that a walk throws.
  public typealias Failure = VaultError

  let vault: Vault
  let group: String?

  /// Begins with what is committed from now on.
  public func makeAsyncIterator() -> Iterator { Iterator(observer: ChangeObserver(vault: vault, group: accessGroup)) }

  /// Where one observer stands.
  public struct Iterator: AsyncIteratorProtocol {
    let observer: ChangeObserver

    /// The next change; nil when the task is cancelled.
    ///
    /// - Throws: ``VaultError``: `notEntitled` for a group that is not the app's; `locked`; `io` where the system cannot watch the
    ///   folder.
    public mutating func next() async throws(VaultError) -> VaultChange? { try await observer.next() }

    /// As ``next()``, wherever it is called.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(VaultError) -> VaultChange? {
      try await observer.next()
    }
  }
}

extension Vault {
  /// The changes of an access group, or of all of the app's, from now on.
  ///
  /// A change comes within a tenth of a second after its commit.
  public func changes(in accessGroup: String? = nil) -> VaultChanges { VaultChanges(vault: self, group: accessGroup) }
}
