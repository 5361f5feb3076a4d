/// The persistent references of the model's items, learned from results that contain both.
struct ReferenceLedger {
  private var bytesOfItems: [Int: [UInt8]] = [:]
  private var itemsOfBytes: [[UInt8]: Int] = [:]

  /// All items whose reference is known, including deleted ones, in the order in which it was learned.
  private(set) var items: [Int] = []

  func bytes(of item: Int) -> [UInt8]? { bytesOfItems[item] }
  func item(of bytes: [UInt8]) -> Int? { itemsOfBytes[bytes] }

  mutating func learn(_ bytes: [UInt8], of item: Int) {
    items.append(item)
    bytesOfItems[item] = bytes
    itemsOfBytes[bytes] = item
  }

  /// Returns the element as a result shows it: an item of an unknown reference cannot be identified.
  func seen(_ returned: ModelReturned) -> ModelReturned {
    func seen(_ value: ModelValue) -> ModelValue {
      guard case .reference(let item?) = value, bytesOfItems[item] == nil else { return value }
      return .reference(nil)
    }
    switch returned {
    case .value(let value): return .value(seen(value))
    case .dictionary(let dictionary): return .dictionary(dictionary.mapValues(seen))
    }
  }
}
