internal import CofferGit
internal import CofferStore

/// Objects of the remote that need not be read again, although a host may not let anybody remove them: commits of
/// branches, and files.
struct RememberedTips {
  private let setting: Setting
  private(set) var tips: Set<ObjectID> = []

  private static let byteCount = 20
  /// The maximum number of objects that are remembered. The others are read again at each sync.
  private static let cap = 1_024

  /// Reads the objects from a setting. One that is not readable counts as empty: they are read again.
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

  /// Returns these objects and others, without those that are forgotten because they are not in `existing`: the commits
  /// of all such branches of the remote.
  func adding(_ others: some Sequence<ObjectID>, keeping existing: Set<ObjectID>) -> RememberedTips {
    var remembered = self
    remembered.tips = tips.union(others).intersection(existing)
    return remembered
  }

  /// Writes the objects to the setting, unless they are there.
  func save(over stored: RememberedTips, in store: Store) throws {
    guard tips != stored.tips else { return }
    let bytes = tips.map(\.bytes).sorted { $0.lexicographicallyPrecedes($1) }.prefix(Self.cap).flatMap { $0 }
    try store.write { try $0.setSetting(setting, bytes.isEmpty ? nil : bytes) }
  }
}
