/// Text that is compared by its bytes. Swift's `String` equates "é" with "e" followed by a combining accent.
struct ModelText: Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
  let utf8: [UInt8]

  init(_ string: String) { utf8 = Array(string.utf8) }
  init(stringLiteral string: String) { self.init(string) }

  var string: String { String(decoding: utf8, as: UTF8.self) }
  var description: String { string.unicodeScalars.map { $0.isASCII ? "\($0)" : $0.escaped(asASCII: true) }.joined() }

  /// The integer that the text spells, if it is spelled as numbers are printed.
  var number: Int64? {
    guard let number = Int64(string), String(number) == string else { return nil }
    return number
  }
}

/// A value in a dictionary of a Keychain call.
enum ModelValue: Hashable, CustomStringConvertible {
  case text(ModelText)
  case bytes([UInt8])
  case number(Int64)
  case boolean(Bool)
  /// Seconds since the first of January 2001.
  case date(Double)
  /// An array, which is the wrong type for every key.
  case list
  /// `NSNull`.
  case null
  /// An access control without conditions.
  case accessControl(ModelText)
  /// The persistent reference of the item with this number in the model; nil for a reference that no result has shown
  /// with its item.
  case reference(Int?)
  /// An object unknown to the rules. Only wrong results contain one.
  case unexpected(String)

  var description: String {
    switch self {
    case .text(let text): "\"\(text)\""
    case .bytes(let bytes): "<" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + ">"
    case .number(let number): "\(number)"
    case .boolean(let truth): "\(truth)"
    case .date(let seconds): "date(\(seconds))"
    case .list: "[]"
    case .null: "null"
    case .accessControl(let protection): "accessControl(\(protection))"
    case .reference(let item): "reference(\(item.map(String.init) ?? "?"))"
    case .unexpected(let what): "unexpected(\(what))"
    }
  }
}

/// A dictionary of a Keychain call, with Apple's keys.
typealias ModelDictionary = [String: ModelValue]

/// One element of a result: what a search returns for one item, and the number of the item.
enum ModelReturned: Hashable, CustomStringConvertible {
  case value(ModelValue)
  case dictionary(ModelDictionary)

  var description: String {
    switch self {
    case .value(let value): "\(value)"
    case .dictionary(let dictionary): dictionary.sortedDescription
    }
  }
}

extension ModelDictionary {
  /// The keys in an order that is the same in each run.
  var sortedDescription: String {
    "[" + sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ") + "]"
  }
}
