internal import CofferCrypto
package import CofferFormat

/// The state of an item that a person has seen: all of its heads. A change that names it is refused if another version was
/// written since.
package struct ItemRevision: Hashable, Sendable {
  package let address: ItemAddress
  /// The heads, the current one first.
  package let heads: [RecordHash]

  init(address: ItemAddress, heads: [RecordHash]) {
    self.address = address
    self.heads = heads
  }

  init(_ heads: ItemHeads) {
    let winner = heads.winner
    self.init(
      address: ItemAddress(group: winner.header.group, item: winner.header.item),
      heads: [winner.hash] + heads.all.map(\.hash).filter { $0 != winner.hash }.sorted())
  }

  /// The revision as text without spaces, for forms and addresses.
  package var text: String {
    ([address.group.raw.hex, address.item.raw.hex] + heads.map(\.raw.hex)).joined(separator: ".")
  }

  /// Reads ``text``. Returns nil for any other text.
  package init?(text: String) {
    guard text.utf8.count <= 32_768 else { return nil }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { bytes(hexadecimal: $0) }
    guard parts.count > 2, let group = parts[0].flatMap({ Bytes16($0) }), let item = parts[1].flatMap({ Bytes16($0) })
    else { return nil }
    let heads = parts.dropFirst(2).compactMap { $0.flatMap { Bytes32($0) }.map { RecordHash($0) } }
    guard heads.count == parts.count - 2 else { return nil }
    self.init(address: ItemAddress(group: GroupID(group), item: ItemID(item)), heads: heads)
  }

  func matches(_ current: ItemHeads?) -> Bool { Set(current?.all.map(\.hash) ?? []) == Set(heads) }
}
