/// What a key is, and what belongs to it in the vault.
package struct KeyDetails: Sendable {
  package let summary: KeySummary
  /// The certificates of the key, at most 16.
  package let certificates: [ItemRow]
  /// The other half of the pair, at most 16 items.
  package let otherKeys: [ItemRow]
}
