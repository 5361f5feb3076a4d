internal import CofferGit
internal import CofferStore

/// Commits of branches that need not be fetched again, because a host may not let anybody delete the branches.
struct RememberedTips {
  private let setting: Setting
  private(set) var tips: Set<ObjectID> = []

  private static let byteCount = 20
  /// The maximum number of commits that are remembered. The others are fetched again at each sync.
  private static let cap = 1_024

  /// Reads the commits from a setting. One that is not readable counts as empty: the branches are fetched again.
  static func load(
    _ setting: Setting, from access: borrowing some StoreAccess & ~Copyable
  ) throws -> RememberedTips {
    var remembered = RememberedTips(setting: setting)
    let stored = try access.setting(setting) ?? []
    guard stored.count.isMultiple(of: byteCount), stored.count <= cap * byteCount else { return remembered }
    remembered.tips = Set(
      stride(from: 0, to: stored.count, by: byteCount).compactMap {
        ObjectID(bytes: Array(stored[$0..<$0 + byteCount]))
      })
    return remembered
  }

  /// Returns these commits and others, without those that no branch of the remote names any more.
  ///
  /// - Parameters:
  ///   - others: The commits to add.
  ///   - existing: The commits of all such branches of the remote.
  /// - Returns: The commits.
  func adding(_ others: some Sequence<ObjectID>, keeping existing: Set<ObjectID>) -> RememberedTips {
    var remembered = self
    remembered.tips = tips.union(others).intersection(existing)
    return remembered
  }

  /// Writes the commits to the setting, unless they are there.
  func save(over stored: RememberedTips, in store: Store) throws {
    guard tips != stored.tips else { return }
    let bytes = tips.map(\.bytes).sorted { $0.lexicographicallyPrecedes($1) }.prefix(Self.cap).flatMap { $0 }
    try store.write { try $0.setSetting(setting, bytes.isEmpty ? nil : bytes) }
  }
}
