internal import CofferStore
internal import CofferVault
internal import Dispatch
internal import Synchronization

/// Whether another program has changed the rows of a vault's store. Comparing them with their summary reads all of
/// them, so it is done once for each commit of another program, and on another thread unless the caller waits.
final class StoreComparison: Sendable {
  private struct State {
    /// The version of the store that was compared last; nil before the first comparison.
    var version: Int64?
    var isChanged = false
    var isRunning = false
  }

  private let state = Mutex(State())
  private let running = DispatchGroup()

  /// Compares the store now, unless it was since the last commit of another program.
  func compare(_ local: LocalVault) throws(VaultError) -> Bool {
    let version = try Self.version(of: local)
    if let known = state.withLock({ $0.version == version ? $0.isChanged : nil }) { return known }
    let isChanged = try local.isStoreChanged()
    finish(isChanged, version)
    return isChanged
  }

  /// Returns the result of the last comparison, false before the first, and begins one on another thread if another
  /// program has committed since then.
  func known(of local: LocalVault) throws(VaultError) -> Bool {
    let version = try Self.version(of: local)
    let (isChanged, begins) = state.withLock { state in
      let begins = state.version != version && !state.isRunning
      if begins { state.isRunning = true }
      return (state.isChanged, begins)
    }
    guard begins else { return isChanged }
    let folder = local.folder
    DispatchQueue.global(qos: .utility).async(group: running) { [self] in
      // With a connection of its own, so that nobody waits for it. The next call tries again if it fails.
      let isChanged = try? LocalVault.open(folder).isStoreChanged()
      finish(isChanged, version)
    }
    return isChanged
  }

  /// Waits until no comparison is running.
  func wait() { running.wait() }

  private func finish(_ isChanged: Bool?, _ version: Int64) {
    state.withLock { state in
      state.isRunning = false
      guard let isChanged else { return }
      state.isChanged = isChanged
      state.version = version
    }
  }

  /// The version of the store now. A change after it, also during a comparison, makes another comparison necessary.
  private static func version(of local: LocalVault) throws(VaultError) -> Int64 {
    try translatingErrors { try local.store.read { _ in local.store.foreignVersion } }
  }
}
