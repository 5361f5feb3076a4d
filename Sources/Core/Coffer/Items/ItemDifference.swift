internal import CofferFormat

/// In what two versions of an item differ.
public enum ItemDifference: Hashable, Sendable {
  /// In the value. For a value under an application password: in its sealed form, which is another one after each write.
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
