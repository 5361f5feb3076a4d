/// What a key is, and what belongs to it in the vault.
package struct KeyDetails: Sendable {
  /// "private", "public" or "symmetric".
  package let kind: String
  package let algorithm: String
  package let sizeInBits: Int?
  /// What the key may be used for, in words: "sign". Empty if the item does not say.
  package let usages: [String]
  /// The certificates of the key, at most 16.
  package let certificates: [ItemRow]
  /// The other half of the pair, at most 16 items.
  package let otherKeys: [ItemRow]
}
