internal import CofferCrypto
package import CofferFormat
package import CofferVault

/// An item that a search found.
package struct FoundItem: Sendable, Codable {
  package let itemClass: ItemClass
  package let attributes: ItemAttributes
  /// Nil if the search did not ask for values.
  package var value: [UInt8]?
  /// The access group's full name.
  package let group: String
  let application: String?
  let device: String
  package let hasConflict: Bool
  package let address: ItemAddress
  package let version: RecordHash

  // Not the value.
  private enum CodingKeys: CodingKey {
    case itemClass, attributes, group, application, device, hasConflict, address, version
  }

  package var writer: ItemWriter { ItemWriter(application: application, device: device) }
  var item: ItemID { address.item }
  var groupID: GroupID { address.group }
}

extension [FoundItem] {
  /// Returns the first item of a group; the first of all if the group has none. A certificate is joined to the key in
  /// its own group: the caller may not be allowed to change a copy in another one.
  package func first(preferring group: String) -> FoundItem? { first { $0.group == group } ?? first }
}

/// One version of an item of any class, opened without its value.
package struct FoundVersion: Sendable, Codable {
  package let itemClass: ItemClass
  /// Nil for a version that deleted the item.
  package let attributes: ItemAttributes?
  /// The access group's full name.
  package let group: String
  package let address: ItemAddress
  package let written: Timestamp
  let application: String?
  let device: String
  package let isCurrent: Bool
  /// Whether no other version follows this one. Several heads are a conflict.
  package let isHead: Bool
  package let isDeviceLocal: Bool
  package let hash: RecordHash
  /// The versions that the author saw as the current ones.
  package let bases: [RecordHash]

  package var writer: ItemWriter { ItemWriter(application: application, device: device) }
}

/// The versions of an item of any class.
package struct FoundHistory: Sendable {
  /// The versions, newest first.
  package let versions: [FoundVersion]
  package let damaged: [VaultError]
}

/// An item with what is known of its versions.
package struct FoundDetails: Sendable {
  package let item: FoundItem
  package let revision: ItemRevision
  /// The current version and all others that this machine keeps, newest first.
  package let history: FoundHistory
  /// Whether the caller may write the item's group.
  package let isWritable: Bool
}

/// The state of an item that a person has seen: all of its heads. A change that names it is refused if another version
/// was written since.
package struct ItemRevision: Hashable, Sendable {
  package let address: ItemAddress
  /// The heads, the current one first. Of more than ``maximumHeadCount``, the current one and a hash of the others: a
  /// page has the text of the revision beside each version.
  package let heads: [RecordHash]

  private static let maximumHeadCount = 16
  private static let othersDomain = Domain("coffer.heads.1")

  /// Takes all heads of an item, the current one first.
  init(address: ItemAddress, heads: [RecordHash]) {
    self.address = address
    let others = heads.dropFirst().sorted()
    guard heads.count > Self.maximumHeadCount else {
      self.heads = heads.prefix(1) + others
      return
    }
    self.heads = heads.prefix(1) + [RecordHash(Hash.digest(others.flatMap(\.raw.bytes), domain: Self.othersDomain))]
  }

  init(_ heads: ItemHeads) {
    let winner = heads.winner
    self.init(
      address: ItemAddress(group: winner.header.group, item: winner.header.item),
      heads: [winner.hash] + heads.all.map(\.hash).filter { $0 != winner.hash })
  }

  /// The revision as text without spaces, for forms and addresses.
  package var text: String {
    ([address.group.raw.hex, address.item.raw.hex] + heads.map(\.raw.hex)).joined(separator: ".")
  }

  /// Reads ``text``. Returns nil for any other text.
  package init?(text: String) {
    guard text.utf8.count <= 4_096 else { return nil }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { bytes(hexadecimal: $0) }
    guard parts.count > 2, let group = parts[0].flatMap({ Bytes16($0) }), let item = parts[1].flatMap({ Bytes16($0) })
    else { return nil }
    let heads = parts.dropFirst(2).compactMap { $0.flatMap { Bytes32($0) }.map { RecordHash($0) } }
    guard heads.count == parts.count - 2, heads.count <= Self.maximumHeadCount else { return nil }
    self.init(address: ItemAddress(group: GroupID(group), item: ItemID(item)), heads: heads)
  }

  func matches(_ current: ItemHeads?) -> Bool { Set(current.map { ItemRevision($0).heads } ?? []) == Set(heads) }
}

/// An item that was deleted, for the undo of the deletion.
package struct DeletedItem: Sendable {
  /// The state after the deletion: its only head is the tombstone.
  let revision: ItemRevision
  /// The version that reads returned before.
  let version: RecordHash

  package var address: ItemAddress { revision.address }
}

/// The state of a vault up to which a program has read its items.
package struct ChangePosition: Hashable, Sendable {
  /// The last entry of the membership log. After a change of the membership, other groups and other records count.
  let log: LogPosition
  /// The number of the last change. Each later one gets a higher number.
  let row: Int64
}

/// The items that were written after a position.
package struct ItemChanges: Sendable {
  /// The position up to which these are the changes.
  package let position: ChangePosition
  /// The items; nil if all have to be read again, because the membership has changed, or records were taken out.
  package let addresses: [ItemAddress]?
}
