internal import Coffer
internal import CofferFormat
internal import CofferPlatform
internal import CofferVault
internal import Dispatch
internal import Synchronization

/// The index of a vault's items: built at the first request that needs it, or in the background before; kept up to
/// date; and wiped when the vault is locked.
final class ItemIndex: Sendable {
  private struct State {
    var items: IndexedItems?
    /// Counts the wipings, so that an index that was read before one is not stored after it.
    var generation = 0
    var isStarted = false
  }

  private let vault: Vault
  private let state = Mutex(State())
  /// Held while the index is built.
  private let building = Mutex(())

  init(_ vault: Vault) { self.vault = vault }

  deinit { wipe() }

  /// Forgets everything. The texts are overwritten.
  func wipe() {
    state.withLock { state in
      state.generation += 1
      state.items?.wipe()
      state.items = nil
      state.isStarted = false
    }
  }

  /// Begins to build the index on another thread, unless that has begun.
  func buildInBackground() {
    let isFirst = state.withLock { state in
      defer { state.isStarted = true }
      return !state.isStarted && state.items == nil
    }
    guard isFirst else { return }
    DispatchQueue.global(qos: .utility).async { [weak self] in
      // An error is reported by the first request that needs the index.
      do { try self?.build() } catch {}
    }
  }

  /// Builds the index, unless it is built.
  func build() throws(VaultError) {
    try building.withLock { (_) throws(VaultError) in
      if state.withLock({ $0.items == nil }) { try readAll() }
    }
  }

  /// Returns the number of items that a request finds, the addresses of those on its page, and errors of damaged items.
  /// The index is brought up to date before.
  func find(
    _ request: ItemRequest, in group: GroupID?
  ) throws(VaultError) -> (total: Int, addresses: [ItemAddress], damaged: [VaultError]) {
    try building.withLock { (_) throws(VaultError) in try update() }
    let found = state.withLock { state -> (total: Int, addresses: [ItemAddress], damaged: [VaultError])? in
      guard let (total, addresses) = state.items?.find(request, in: group, at: Date()) else { return nil }
      return (total, addresses, state.items?.damaged ?? [])
    }
    // Another thread has locked the vault since.
    guard let found else { throw Self.locked }
    return found
  }

  /// Returns the addresses of all items that a request finds, whatever its page.
  func findAll(_ request: ItemRequest, in group: GroupID?) throws(VaultError) -> [ItemAddress] {
    var whole = request
    whole.page = 1
    whole.pageSize = .max
    return try find(whole, in: group).addresses
  }

  // MARK: Reading, by one thread at a time

  /// Reads all items. Each slice is a transaction of its own.
  private func readAll() throws(VaultError) {
    let generation = state.withLock { $0.generation }
    var items: IndexedItems? = IndexedItems(at: try vault.itemChanges(after: nil).position)
    do throws(VaultError) {
      for itemClass in ItemClass.allCases {
        var cursor = SearchCursor(ItemSearch(itemClass))
        while !cursor.isFinished {
          let page = try vault.page(&cursor)
          for found in page.items { items?.update(found) }
          items?.addDamaged(page.damaged)
          guard state.withLock({ $0.generation == generation }) else { throw Self.locked }
        }
      }
    } catch {
      items?.wipe()
      throw error
    }
    state.withLock { state in
      // Swapped, because a wipe overwrites only what nobody else holds.
      if state.generation == generation { swap(&state.items, &items) }
    }
    items?.wipe()
  }

  private static let locked = VaultError(.locked, "the vault was locked", recoverySuggestion: "unlock it")

  /// Builds the index, or reads the items that this process or another one has written since the last time.
  private func update() throws(VaultError) {
    guard let position = state.withLock({ $0.items?.position }) else { return try readAll() }
    let changes = try vault.itemChanges(after: position)
    guard let addresses = changes.addresses, !state.withLock({ $0.items?.isWasteful ?? false }) else {
      state.withLock { state in
        state.items?.wipe()
        state.items = nil
      }
      return try readAll()
    }
    guard changes.position != position else { return }
    if addresses.count > Self.orderedChangeCount { state.withLock { $0.items?.forgetOrders() } }
    for start in stride(from: 0, to: addresses.count, by: Self.sliceCount) {
      let some = addresses[start..<min(start + Self.sliceCount, addresses.count)]
      var damaged: [VaultError] = []
      let items = try vault.items(at: some) { damaged.append($0) }
      state.withLock { state in
        for (address, found) in zip(some, items) {
          if let found { state.items?.update(found) } else { state.items?.remove(address) }
        }
        state.items?.addDamaged(damaged)
      }
    }
    state.withLock { $0.items?.position = changes.position }
  }

  private static let sliceCount = 256
  /// The number of changes up to which the orders are kept.
  private static let orderedChangeCount = 64
}
