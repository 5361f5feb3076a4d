/// A collection as the service shows it.
struct CollectionInfo: Equatable {
  /// The last element of the path, unescaped.
  let identifier: String
  /// The access group that has the items.
  let group: String
  /// The identifier within the group; nil for the group's own collection.
  let subcollection: String?
  let label: String
  let aliases: [String]
  let isWritable: Bool
  let created: UInt64
  let modified: UInt64

  /// Whether this is the collection of a whole access group.
  var isGroup: Bool { subcollection == nil }

  var path: String { ObjectAddress.collection(identifier).path }
}
