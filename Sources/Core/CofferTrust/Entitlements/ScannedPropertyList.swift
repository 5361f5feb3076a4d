package import CofferPlatform

/// A property list that a scanner has read and found safe to parse.
///
/// Foundation's parser keeps either of two equal keys, accepts XML that other parsers reject or read differently,
/// expands a binary list with shared containers into more values than fit into memory (a few hundred bytes suffice),
/// and recurses as deep as the list is nested. The entitlements of an app must be the same on every machine, and no
/// list may crash its reader. The scanners therefore accept only lists with one meaning, and the parser must agree.
package struct ScannedPropertyList: Hashable, Sendable {
  /// The maximum nesting of containers. Entitlements need two levels.
  static let maximumDepth = 32

  /// The bytes to parse. For XML, the `plist` element alone, in UTF-8: the declaration before it could name another
  /// encoding.
  package let bytes: [UInt8]
  /// The outermost value.
  package let value: PropertyListValue
  /// True for the binary format, false for XML.
  package let isBinary: Bool

  /// Scans a property list in XML or in the binary format. Throws if it is malformed, ambiguous or unsafe to parse.
  package init(_ bytes: [UInt8]) throws(PropertyListFlaw) {
    isBinary = bytes.starts(with: "bplist0".utf8)
    if isBinary {
      self.bytes = bytes
      var scanner = try BinaryPropertyListScanner(bytes)
      value = try scanner.list()
    } else {
      var scanner = try XMLPropertyListScanner(bytes)
      let element: Range<Int>
      (value, element) = try scanner.list()
      // FoundationEssentials does not find the end of <key/>.
      var list: [UInt8] = []
      var start = element.lowerBound
      for key in scanner.emptyKeys {
        list += bytes[start..<key.lowerBound]
        list += "<key></key>".utf8
        start = key.upperBound
      }
      self.bytes = list + bytes[start..<element.upperBound]
    }
  }
}

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

/// The reason why bytes are not an acceptable property list.
package struct PropertyListFlaw: Error, Hashable, Sendable {
  /// The problem, as the end of a sentence whose subject is the list.
  package let what: String

  init(_ what: String) { self.what = what }
}

/// A property list as Foundation's parser reads it.
package indirect enum ParsedPropertyList: Decodable {
  case text(String)
  case flag(Bool)
  case integer(Int64)
  case largeInteger(UInt64)
  case real(Double)
  case date(Date)
  case data(Data)
  case array([ParsedPropertyList])
  case dictionary([String: ParsedPropertyList])

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    // What entitlements have most comes first: each attempt that fails makes an error.
    if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let values = try? container.decode([String: ParsedPropertyList].self) {
      self = .dictionary(values)
    } else if (try? decoder.unkeyedContainer()) != nil {
      self = .array(try container.decode([ParsedPropertyList].self))
    } else if let flag = try? container.decode(Bool.self) {
      self = .flag(flag)
    } else if let integer = try? container.decode(Int64.self) {
      self = .integer(integer)
    } else if let integer = try? container.decode(UInt64.self) {
      self = .largeInteger(integer)
    } else if let real = try? container.decode(Double.self) {
      self = .real(real)
    } else if let date = try? container.decode(Date.self) {
      self = .date(date)
    } else {
      self = .data(try container.decode(Data.self))
    }
  }

  /// The value as `PropertyListSerialization` would return it.
  var value: Any {
    switch self {
    case .text(let text): text
    case .flag(let flag): flag
    case .integer(let integer): integer
    case .largeInteger(let integer): integer
    case .real(let real): real
    case .date(let date): date
    case .data(let data): data
    case .array(let values): values.map(\.value)
    case .dictionary(let values): values.mapValues(\.value)
    }
  }
}
