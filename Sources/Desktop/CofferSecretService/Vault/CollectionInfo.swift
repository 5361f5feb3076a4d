internal import CofferSystem

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
  let path: String

  init(
    identifier: String, group: String, subcollection: String?, label: String, aliases: [String], isWritable: Bool,
    created: UInt64, modified: UInt64
  ) {
    self.identifier = identifier
    self.group = group
    self.subcollection = subcollection
    self.label = label
    self.aliases = aliases
    self.isWritable = isWritable
    self.created = created
    self.modified = modified
    // Once, and not for each of the items whose paths begin with it.
    path = ObjectAddress.collection(identifier).path
  }

  /// Whether this is the collection of a whole access group.
  var isGroup: Bool { subcollection == nil }

  /// Returns the identifier of a new collection within a group: its label, from which programs derive the path as with
  /// gnome-keyring, and a number after it if another collection has the identifier.
  static func newSubcollection(label: String, besides taken: Set<String>) -> String {
    let taken = taken.union(reserved)
    let base = SecretServiceRecord.collectionIdentifier(ofLabel: label)
    guard taken.contains(base) else { return base }
    var number = 1
    while taken.contains("\(base)_\(number)") { number += 1 }
    return "\(base)_\(number)"
  }

  /// The identifiers of collections that are always there.
  static let reserved = SecretServiceRecord.standardCollections

  /// Whether a text can be the identifier of a collection within a group.
  static func isSubcollection(_ text: String) -> Bool {
    !reserved.contains(text) && SecretServiceRecord.isCollectionIdentifier(text)
  }
}

extension CollectionInfo {
  /// Stands for a collection within a group while the vault is locked, which then does not say whether there is one.
  init(locked identifier: String) {
    self.init(
      identifier: identifier, group: "", subcollection: identifier, label: "", aliases: [], isWritable: true,
      created: 0, modified: 0)
  }
}
