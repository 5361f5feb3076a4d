internal import CofferFormat
internal import CofferStore
internal import CofferTrust
internal import Dispatch
internal import Foundation
internal import Synchronization

/// One observer of a vault. It looks when something was written, and then for a while more: the kernel tells of the bytes of a
/// commit, which counts a little later.
final class ChangeObserver: Sendable {
  private let vault: Vault
  private let group: String?
  private let signals: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation
  private let state: Mutex<State>

  private struct State {
    var lastRow: Int64 = 0
    var problem: VaultError?
    var watch: FolderWatch?
    var subscription: UInt64?
    /// Until when a commit may still be under way.
    var lookUntil = ContinuousClock.now
  }

  init(vault: Vault, group: String?) {
    self.vault = vault
    self.group = group
    (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    state = Mutex(State())
    start()
  }

  deinit {
    signal.finish()
    if let subscription = state.withLock({ $0.subscription }) { vault.local.store.removeObserver(subscription) }
  }

  /// Watches first and takes the baseline then, so that nothing falls between.
  private func start() {
    do throws(VaultError) {
      let notify: @Sendable () -> Void = { [weak self] in self?.noteWrite() }
      let subscription = vault.local.store.addObserver(notify)
      state.withLock { $0.subscription = subscription }
      if vault.memory == nil {
        let watch = try FolderWatch(folder: vault.local.folder.path, prefix: "store.sqlite", notify: notify)
        state.withLock { $0.watch = watch }
      }
      let last = try look(after: .max).last
      state.withLock { $0.lastRow = last }
    } catch {
      state.withLock { $0.problem = error }
      signal.yield()
    }
  }

  private func noteWrite() {
    state.withLock { $0.lookUntil = .now + .seconds(2) }
    signal.yield()
  }

  func next() async throws(VaultError) -> VaultChange? {
    var iterator = signals.makeAsyncIterator()
    while true {
      if let problem = state.withLock({ $0.problem }) { throw problem }
      let change = try await vault.waiting { () throws(VaultError) in try self.take() }
      if let change { return change }
      guard !Task.isCancelled else { return nil }
      if state.withLock({ $0.lookUntil > .now }) {
        do { try await Task.sleep(for: .milliseconds(15)) } catch { return nil }
      } else if await iterator.next() == nil {
        return nil
      }
    }
  }

  /// What has been committed since the last time; nil for nothing that concerns the observer.
  private func take() throws(VaultError) -> VaultChange? {
    let before = state.withLock { $0.lastRow }
    let (groups, last) = try look(after: before)
    state.withLock { $0.lastRow = last }
    return groups.isEmpty ? nil : VaultChange(groups: groups)
  }

  private func look(after row: Int64) throws(VaultError) -> (groups: [String], last: Int64) {
    try vault.reading { reader, context in
      let groups = try context.groups(named: accessGroup)
      let (changed, last) = try reader.groupsChanged(after: row)
      return (groups.filter { changed.contains($0.group.id) }.map(\.name), last)
    }
  }
}
