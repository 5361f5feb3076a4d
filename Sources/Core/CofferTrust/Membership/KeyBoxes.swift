package import CofferFormat

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
