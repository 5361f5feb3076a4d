/// A value in a property list, as a scanner reads it: its texts and containers.
package indirect enum PropertyListValue: Hashable, Sendable {
  case text(String)
  case array([PropertyListValue])
  /// A dictionary; no key occurs twice.
  case dictionary([String: PropertyListValue])
  /// A number, boolean, date or data. Entitlements contain them only under keys that are ignored, so they are not read.
  case other

  /// Returns whether this value has the same texts and containers as the one that `PropertyListSerialization` read.
  package func matches(_ parsed: Any) -> Bool {
    switch self {
    case .text(let text):
      guard let parsed = parsed as? String else { return false }
      return parsed.utf8.elementsEqual(text.utf8)
    case .array(let values):
      guard let parsed = parsed as? [Any], parsed.count == values.count else { return false }
      return zip(values, parsed).allSatisfy { $0.matches($1) }
    case .dictionary(let values):
      guard let parsed = parsed as? [String: Any], parsed.count == values.count else { return false }
      return parsed.allSatisfy { key, value in
        // Keys that differ only in their Unicode normalization are equal in Swift, but not for the parser.
        guard let index = values.index(forKey: key), values[index].key.utf8.elementsEqual(key.utf8) else {
          return false
        }
        return values[index].value.matches(value)
      }
    case .other:
      return !(parsed is String) && !(parsed is [Any]) && !(parsed is [AnyHashable: Any])
    }
  }
}

extension [String: PropertyListValue] {
  /// Adds an entry of a property list's dictionary. Throws if the key exists already, or makes parsers read the
  /// dictionary as another type.
  mutating func add(_ value: PropertyListValue, forKey key: String) throws(PropertyListFlaw) {
    // Foundation turns an XML dictionary with this key into an object of a keyed archive, but not a binary one.
    guard key != "CF$UID" else { throw PropertyListFlaw("contains the key CF$UID of a keyed archive") }
    guard updateValue(value, forKey: key) == nil else {
      throw PropertyListFlaw("has the key \(quoted(key)) twice in a dictionary")
    }
  }
}
