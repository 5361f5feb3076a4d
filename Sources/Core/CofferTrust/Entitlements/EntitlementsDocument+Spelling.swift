extension EntitlementsDocument {
  /// Checks the keys of a plist that is about to be registered. Throws `misspelledKey` for one that differs from a key
  /// that Coffer reads in at most two characters or in capitals: its groups would be ignored without a word.
  ///
  /// Plists of the membership log are not checked: they were registered as they are.
  package static func checkSpelling(ofKeysIn bytes: [UInt8], source: String) throws(EntitlementsError) {
    guard bytes.count <= maximumByteCount else { return }
    for name in try dictionary(bytes, source: source).keys.sorted() {
      guard EntitlementsKey(rawValue: name) == nil,
        let meant = EntitlementsKey.allCases.first(where: { isAlmost(name, $0.rawValue) })
      else { continue }
      throw EntitlementsError(
        .misspelledKey, source: source, what: "has the key \(quoted(name)), which Coffer does not read",
        recoverySuggestion: "write <key>\(meant.rawValue)</key>")
    }
  }

  private static let maximumDistance = 2

  /// Whether at most two insertions, deletions and replacements lead from one text to the other, apart from capitals.
  private static func isAlmost(_ text: String, _ other: String) -> Bool {
    let (text, other) = (Array(text.lowercased().utf8), Array(other.lowercased().utf8))
    guard abs(text.count - other.count) <= maximumDistance else { return false }
    var distances = Array(0...other.count)
    for (row, byte) in text.enumerated() {
      var diagonal = distances[0]
      distances[0] = row + 1
      for (column, otherByte) in other.enumerated() {
        let replaced = diagonal + (byte == otherByte ? 0 : 1)
        diagonal = distances[column + 1]
        distances[column + 1] = min(replaced, diagonal + 1, distances[column] + 1)
      }
    }
    return distances[other.count] <= maximumDistance
  }
}
