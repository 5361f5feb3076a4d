internal import CofferCrypto
package import CofferFormat

/// The state of an item that a person has seen: all of its heads. A change that names it is refused if another version was
/// written since.
package struct ItemRevision: Hashable, Sendable {
  package let address: ItemAddress
  /// The heads, the current one first. Of more than ``maximumHeadCount``, the current one and a hash of the others: a page
  /// has the text of the revision beside each version.
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
