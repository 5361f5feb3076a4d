internal import CofferCrypto
internal import CofferFormat
public import CofferPlatform
internal import CofferVault

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
  let groupID: GroupID
  let hash: RecordHash
  private let bases: [RecordHash]
  /// Whether only the item's application password opens the value.
  package let isPasswordProtected: Bool

  init(_ version: FoundVersion) {
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

  /// What identifies a version on a machine.
  package struct Place: Hashable, Sendable {
    let group: GroupID
    let hash: RecordHash
  }

  package var place: Place { Place(group: groupID, hash: hash) }

  /// The places of the versions that were current ones when this version was written in their place.
  package var replacedPlaces: [Place] { bases.map { Place(group: groupID, hash: $0) } }

  /// Returns whether another version of the item was a current one when this version was written in its place.
  public func replaces(_ other: ItemVersion) -> Bool { groupID == other.groupID && bases.contains(other.hash) }
}
