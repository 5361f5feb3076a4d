package import CofferCrypto
package import CofferFormat

/// An access group in the membership log.
package struct RegisteredGroup: Hashable, Sendable {
  /// One generation of the group's key.
  package struct Generation: Hashable, Sendable {
    package let number: UInt32
    package let commitment: Bytes32
    /// The generation that is sealed under this one; 0 in the first.
    package let wrappedGeneration: UInt32
    /// That generation, sealed; empty in the first.
    package let wrapped: [UInt8]
    /// The key, sealed to each recipient.
    package internal(set) var boxes: KeyBoxes
  }

  package let id: GroupID
  package let name: AccessGroupName
  /// The generations in ascending order from 1. The last one seals new items.
  package internal(set) var generations: [Generation]
  /// Keys of branches that root has rejected.
  package internal(set) var recovered: [RecoveredKey] = []
  /// What an app must have on a machine to get the group's keys there, by the last statement.
  package internal(set) var requirement = GroupRequirement.none
}

/// The boxes of one generation of a group's key: the key, sealed to each recipient.
package struct KeyBoxes: Hashable, Sendable {
  /// The boxes of a fold that was read from the store.
  private let stored: BoxTable
  /// The boxes of entries after it. One takes the place of a stored box of the same recipient.
  private var added: [AuthorID: [UInt8]]

  /// Creates the boxes of an entry.
  init(_ boxes: [AddressedBox]) {
    stored = .empty
    added = Dictionary(boxes.map { ($0.recipient, $0.box) }) { first, _ in first }
  }

  /// Creates the boxes of a fold.
  init(_ stored: BoxTable) {
    self.stored = stored
    added = [:]
  }

  /// Returns the box of a recipient; nil if there is none.
  package subscript(recipient: AuthorID) -> [UInt8]? { added[recipient] ?? stored[recipient] }

  mutating func insert(_ box: AddressedBox) { added[box.recipient] = box.box }

  /// All boxes in ascending order of recipient.
  package var all: [AddressedBox] {
    let kept = stored.boxes.filter { added[$0.recipient] == nil }
    return (kept + added.map { AddressedBox(recipient: $0.key, box: $0.value) }).sorted { $0.recipient < $1.recipient }
  }

  /// The number of recipients.
  package var count: Int { added.isEmpty ? stored.count : all.count }

  package var isEmpty: Bool { stored.count == 0 && added.isEmpty }

  package static func == (left: KeyBoxes, right: KeyBoxes) -> Bool { left.all == right.all }

  package func hash(into hasher: inout Hasher) { hasher.combine(all) }
}
