internal import CofferBus
internal import CofferPlatform

/// The properties of an item, wherever it is stored.
struct ItemProperties {
  var label: String
  var attributes: [String: String]
  var isLocked: Bool
  var created: UInt64
  var modified: UInt64

  init(_ item: IndexedItem) {
    (label, attributes, isLocked) = (item.label, item.attributes, false)
    (created, modified) = (item.created, item.modified)
  }

  init(_ item: MemoryItem) {
    (label, attributes, isLocked) = (item.label, item.attributes, false)
    (created, modified) = (item.created, item.modified)
  }

  /// What can be said of an item that a locked collection may have.
  init(lockedWith attributes: [String: String]) {
    (label, self.attributes, isLocked) = ("", attributes, true)
    (created, modified) = (0, 0)
  }

  var values: [String: BusValue] {
    [
      "Label": .text(label), "Attributes": .texts(attributes), "Locked": .flag(isLocked), "Created": .number(created),
      "Modified": .number(modified),
    ]
  }
}

extension Date {
  /// The seconds since 1970, as the bus carries times.
  var busSeconds: UInt64 { UInt64(max(0, timeIntervalSince1970)) }
}
