internal import Coffer
internal import Synchronization

/// The number of items to replace as it was counted last. Counting opens every item of the groups from which something
/// was removed, so it is done once for each change of the vault.
final class ReplacementCount: Sendable {
  private let known = Mutex<(position: ChangePosition, count: Int)?>(nil)

  /// Returns the number at a position; nil if the vault was counted at another one.
  func count(at position: ChangePosition) -> Int? {
    known.withLock { $0?.position == position ? $0?.count : nil }
  }

  func set(_ count: Int, at position: ChangePosition) { known.withLock { $0 = (position, count) } }
}
