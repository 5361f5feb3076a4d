internal import CofferCrypto
package import CofferFormat
public import CofferPlatform
public import CofferVault

/// One version of an item: what one author wrote at one time.
public struct ItemVersion<Item: KeychainItem>: Hashable, Sendable {
  /// The names and attributes; nil for a version that deleted the item.
  public let item: Item?
  /// The access group's full name.
  public let accessGroup: String
  /// When the version was written, by the clock of the machine that wrote it.
  public let written: Date
  /// The author, verified by the version's signature.
  public let writer: ItemWriter
  /// Whether this is the version that reads return.
  public let isCurrent: Bool
  /// Whether this is one of several versions that machines have written at the same time.
  package let isInConflict: Bool
  let groupID: GroupID
  package let hash: RecordHash
  /// The versions that were current ones when this version was written in their place.
  package let bases: [RecordHash]
  /// Whether only the item's application password opens the value.
  package let isPasswordProtected: Bool

  init(_ version: FoundVersion, isInConflict: Bool) {
    self.isInConflict = isInConflict
    item = version.attributes.map { Item(_fields: _ItemFields($0.ownAttributes)) }
    accessGroup = version.group
    written = version.written.date
    writer = version.writer
    isCurrent = version.isCurrent
    groupID = version.address.group
    hash = version.hash
    bases = version.bases
    isPasswordProtected = version.attributes?.isPasswordProtected ?? false
  }

  /// The version's hash in hexadecimal, which is the same on every machine.
  package var identifier: String { hash.raw.hex }

  /// Whether this version deleted the item.
  public var isDeletion: Bool { item == nil }

  /// Whether this is the first version of the item.
  public var isFirst: Bool { bases.isEmpty }

  /// Returns whether another version of the item was a current one when this version was written in its place.
  public func replaces(_ other: ItemVersion) -> Bool { groupID == other.groupID && bases.contains(other.hash) }
}

/// The versions of an item that this machine has.
public struct ItemHistory<Item: KeychainItem>: Sendable {
  /// The versions, newest first by the clocks of the machines that wrote them.
  public let versions: [ItemVersion<Item>]
  /// One error for each damaged version.
  public let damaged: [VaultError]

  /// Joins the histories of an item in several groups.
  init(_ histories: [FoundHistory]) {
    versions = histories.flatMap { history -> [ItemVersion<Item>] in
      // An item that all machines have deleted is in no conflict.
      let heads = history.versions.filter(\.isHead)
      let hasConflict = heads.count > 1 && heads.contains { $0.attributes != nil }
      return history.versions.map { ItemVersion<Item>($0, isInConflict: hasConflict && $0.isHead) }
    }
    damaged = histories.flatMap(\.damaged)
  }
}

/// An item that machines have changed at the same time. Other versions are kept until the conflict ends, and then for
/// 30 days: reads return the version that was written last, and ``Vault/restore(_:)`` or the next write of the item
/// ends the conflict.
public struct ItemConflict<Item: KeychainItem>: Sendable {
  /// The concurrent versions, the current one first.
  public let versions: [ItemVersion<Item>]
}

/// In what two versions of an item differ.
public enum ItemDifference: Hashable, Sendable {
  /// In the value. For a value under an application password: in its sealed form, which is another one after each
  /// write.
  case value
  /// In the attribute with this four-character code of Keychain, such as `labl`. The date of modification, which always
  /// differs, is left out.
  case attribute(String)
  /// One of them deleted the item.
  case existence

  /// Returns the differences of two opened versions, each nil for a deletion: the value first, then the attributes in
  /// ascending order of code.
  static func all(between first: FoundItem?, and second: FoundItem?) -> [ItemDifference] {
    guard let first, let second else { return (first == nil) == (second == nil) ? [] : [.existence] }
    let codes = Set((first.attributes.values + second.attributes.values).map(\.key)).subtracting([.modified])
    let attributes = codes.sorted().filter { first.attributes[$0] != second.attributes[$0] }
    return (first.value == second.value ? [] : [.value]) + attributes.map { .attribute($0.name) }
  }
}
