internal import Coffer
internal import CofferFormat

/// What a key is, as its attributes say.
package struct KeySummary: Sendable, Hashable {
  /// "private", "public" or "symmetric".
  package let kind: String
  package let algorithm: String
  package let sizeInBits: Int?
  /// What the key may be used for, in words: "sign". Empty if the item does not say.
  package let usages: [String]

  init(_ attributes: ItemAttributes) {
    kind = attributes[.keyClass].map { KeyWords.kind($0) } ?? "unknown"
    algorithm = attributes[.type].map { KeyWords.algorithm($0) } ?? "unknown"
    sizeInBits = attributes[.keySizeInBits]?.number.flatMap { Int(exactly: $0) }
    usages = AttributeDefinition.all(of: .key).compactMap { definition in
      guard definition.name.hasPrefix("May "), let value = attributes[definition.code], !value.isDefault else {
        return nil
      }
      return String(definition.name.dropFirst(4))
    }
  }
}
