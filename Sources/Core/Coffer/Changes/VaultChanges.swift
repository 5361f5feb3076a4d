internal import CofferFormat
internal import CofferStore
internal import CofferTrust
public import CofferVault
internal import Synchronization

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

  /// Creates an iterator that certainly observes. Throws what its first call of ``Iterator/next()`` would.
  package func begin() throws(VaultError) -> Iterator {
    let observer = ChangeObserver(vault: vault, accessGroup: accessGroup)
    try observer.start()
    return Iterator(observer: observer)
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
  /// its commit; in a Flatpak, it can take a second more after each minute.
  ///
  /// - Parameter accessGroup: The access group to observe; all of the app's groups if nil.
  /// - Returns: The sequence of changes.
  public func changes(in accessGroup: String? = nil) -> VaultChanges {
    VaultChanges(vault: self, accessGroup: accessGroup)
  }
}

/// A change that was written to a vault, by this process or another one.
public struct VaultChange: Hashable, Sendable {
  /// The full names of the access groups in which items have changed, in the app's order: all that are observed if a
  /// revocation or a repair has taken versions out of items.
  public let accessGroups: [String]
}

/// Observes one vault for one iterator. It reads the store when its files are written, and then for two seconds more:
/// the kernel reports the written bytes of a commit slightly before the commit is visible.
final class ChangeObserver: Sendable {
  private let vault: Vault
  private let accessGroup: String?
  private let signals: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation
  private let state = Mutex(State())

  private struct State {
    var lastRow: Int64 = 0
    var problem: VaultError?
    var watch: (any AnyObject & Sendable)?
    var subscription: UInt64?
    /// Until when a commit may become visible.
    var readUntil = ContinuousClock.now
  }

  init(vault: Vault, accessGroup: String?) {
    self.vault = vault
    self.accessGroup = accessGroup
    (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  deinit {
    signal.finish()
    if let subscription = state.withLock({ $0.subscription }) { vault.local.store.removeObserver(subscription) }
  }

  /// Creates an observer that reports the changes from now on. An error is thrown by ``next()``.
  static func start(on vault: Vault, accessGroup: String?) -> ChangeObserver {
    let observer = ChangeObserver(vault: vault, accessGroup: accessGroup)
    do throws(VaultError) {
      try observer.start()
    } catch {
      observer.state.withLock { $0.problem = error }
      observer.signal.yield()
    }
    return observer
  }

  func start() throws(VaultError) {
    // Watch first and read the current state then, so that no change is missed in between.
    let notify: @Sendable () -> Void = { [weak self] in self?.recordWrite() }
    let subscription = vault.local.store.addObserver(notify)
    state.withLock { $0.subscription = subscription }
    let watch: (any AnyObject & Sendable)? =
      if let broker = vault.broker {
        try broker.watch(accessGroup, notify)
      } else if vault.local.keysInMemory == nil {
        try FolderWatch.start(on: vault.local.folder.path, prefix: "store.sqlite", notify: notify)
      } else {
        // Nothing else writes to a store in memory.
        nil
      }
    state.withLock { $0.watch = watch }
    let last = try vault.changedGroups(after: .max, in: accessGroup).position
    state.withLock { $0.lastRow = last }
  }

  private func recordWrite() {
    // The broker reports a commit when it is visible.
    if vault.broker == nil { state.withLock { $0.readUntil = .now + .seconds(2) } }
    signal.yield()
  }

  /// Waits for the next change. Returns nil when the task is cancelled.
  func next() async throws(VaultError) -> VaultChange? {
    var iterator = signals.makeAsyncIterator()
    while true {
      if let problem = state.withLock({ $0.problem }) { throw problem }
      let change = try await vault.onBlockingThread { () throws(VaultError) in try self.readChange() }
      if let change { return change }
      guard !Task.isCancelled else { return nil }
      if state.withLock({ $0.readUntil > .now }) {
        do { try await Task.sleep(for: .milliseconds(15)) } catch { return nil }
      } else if await iterator.next() == nil {
        return nil
      }
    }
  }

  /// Returns the groups that have changed since the last call, or nil if none of the observed groups has.
  private func readChange() throws(VaultError) -> VaultChange? {
    let before = state.withLock { $0.lastRow }
    let (groups, last) = try vault.changedGroups(after: before, in: accessGroup)
    state.withLock { $0.lastRow = last }
    return groups.isEmpty ? nil : VaultChange(accessGroups: groups)
  }
}

extension Vault {
  /// Returns the access groups in which items have changed after a position in the store, and the position now. What
  /// has read all groups at a position knows from it, in a single short read, whether that still holds.
  ///
  /// - Parameters:
  ///   - position: A position that an earlier call has returned; `Int64.max` to learn only the position now.
  ///   - accessGroup: The access group to look at; all of the app's groups if nil.
  /// - Returns: The full names of the groups, in the app's order, and the position.
  /// - Throws: ``VaultError``: `notEntitled`, `locked`; `integrity` or `io` if the store cannot be read.
  package func changedGroups(
    after position: Int64, in accessGroup: String? = nil
  ) throws(VaultError) -> (groups: [String], position: Int64) {
    if let broker { return try broker.changedGroups(after: position, in: accessGroup) }
    return try reading { reader, context in
      let groups = try context.groups(named: accessGroup)
      let (changed, last) = try reader.groupsChanged(after: position)
      return (groups.filter { changed?.contains($0.id) ?? true }.map(\.name), last)
    }
  }
}
