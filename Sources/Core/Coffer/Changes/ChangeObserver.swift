internal import CofferStore
internal import CofferVault
internal import Synchronization

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
    var watch: FolderWatch?
    var subscription: UInt64?
    /// Until when a commit may become visible.
    var readUntil = ContinuousClock.now
  }

  private init(vault: Vault, accessGroup: String?) {
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

  private func start() throws(VaultError) {
    // Watch first and read the current state then, so that no change is missed in between.
    let notify: @Sendable () -> Void = { [weak self] in self?.recordWrite() }
    let subscription = vault.local.store.addObserver(notify)
    state.withLock { $0.subscription = subscription }
    // Nothing else writes to a store in memory.
    if vault.local.keysInMemory == nil {
      let watch = try FolderWatch.start(on: vault.local.folder.path, prefix: "store.sqlite", notify: notify)
      state.withLock { $0.watch = watch }
    }
    let last = try vault.changedGroups(after: .max, in: accessGroup).position
    state.withLock { $0.lastRow = last }
  }

  private func recordWrite() {
    state.withLock { $0.readUntil = .now + .seconds(2) }
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
