internal import CofferGit
internal import CofferStore

/// The lanes whose segments are all on the vault's branch. They are not fetched again, because a host may not let anybody
/// delete them.
struct FoldedLanes {
  /// The commits that they name.
  private(set) var tips: Set<ObjectID> = []

  private static let byteCount = 20
  /// The maximum number of lanes that are remembered. The others are fetched again at each sync.
  private static let cap = 1_024

  /// Reads the lanes from the settings. A setting that is not readable counts as empty: the lanes are fetched again.
  static func load(from access: borrowing some StoreAccess & ~Copyable) throws -> FoldedLanes {
    let stored = try access.setting(.foldedLanes) ?? []
    guard stored.count.isMultiple(of: byteCount), stored.count <= cap * byteCount else { return FoldedLanes() }
    return FoldedLanes(
      tips: Set(
        stride(from: 0, to: stored.count, by: byteCount).compactMap {
          ObjectID(bytes: Array(stored[$0..<$0 + byteCount]))
        }))
  }

  /// Returns these lanes and others, without those that the remote does not have any more.
  ///
  /// - Parameters:
  ///   - folded: The commits of the lanes to add.
  ///   - existing: The commits of all lanes of the remote.
  /// - Returns: The lanes.
  func adding(_ folded: [ObjectID], keeping existing: Set<ObjectID>) -> FoldedLanes {
    FoldedLanes(tips: tips.union(folded).intersection(existing))
  }

  /// Writes the lanes to the settings, unless they are there.
  func save(over stored: FoldedLanes, in store: Store) throws {
    guard tips != stored.tips else { return }
    let bytes = tips.map(\.bytes).sorted { $0.lexicographicallyPrecedes($1) }.prefix(Self.cap).flatMap { $0 }
    try store.write { try $0.setSetting(.foldedLanes, bytes.isEmpty ? nil : bytes) }
  }
}
