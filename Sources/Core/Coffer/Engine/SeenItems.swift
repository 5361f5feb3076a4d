internal import CofferFormat
internal import Synchronization

/// The items that a search has returned. A reference, because copies of the cursor that share a set would copy it at the
/// first insertion of each page.
final class SeenItems: Sendable {
  private struct State {
    var items: Set<ItemID> = []
    var page: [ItemID] = []
  }

  private let state = Mutex(State())

  func beginPage() { state.withLock { $0.page = [] } }

  /// Forgets the items of a page that failed: they were not returned.
  func forgetPage() {
    state.withLock { state in
      state.items.subtract(state.page)
      state.page = []
    }
  }

  func contains(_ item: ItemID) -> Bool { state.withLock { $0.items.contains(item) } }

  /// Returns false for an item that was inserted before.
  func insert(_ item: ItemID) -> Bool {
    state.withLock { state in
      guard state.items.insert(item).inserted else { return false }
      state.page.append(item)
      return true
    }
  }
}
