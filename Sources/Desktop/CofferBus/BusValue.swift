/// A value in a message of D-Bus.
package indirect enum BusValue: Equatable, Sendable {
  /// An entry of a dictionary.
  package struct Pair: Equatable, Sendable {
    package let key: BusValue
    package let value: BusValue

    package init(_ key: BusValue, _ value: BusValue) {
      self.key = key
      self.value = value
    }
  }

  case text(String)
  case path(String)
  case flag(Bool)
  case number(UInt64)
  case shortNumber(UInt32)
  case bytes([UInt8])
  case structure([BusValue])
  /// An array, with the signature of its elements.
  case list(of: String, [BusValue])
  /// A dictionary, with the signatures of its keys and values.
  case pairs(key: String, value: String, [Pair])
  case variant(BusValue)
  case descriptor(BusDescriptor)
  /// A value of a kind that no part of Coffer reads.
  case other

  /// The value itself, without the variants around it.
  package var unwrapped: BusValue { if case .variant(let inner) = self { inner.unwrapped } else { self } }

  /// The text or the path.
  package var string: String? {
    switch unwrapped {
    case .text(let text), .path(let text): text
    default: nil
    }
  }

  /// The elements of an array or a structure; empty for any other value.
  package var elements: [BusValue] {
    switch unwrapped {
    case .list(_, let elements), .structure(let elements): elements
    default: []
    }
  }

  /// The entries of a dictionary; empty for any other value.
  package var entries: [Pair] { if case .pairs(_, _, let pairs) = unwrapped { pairs } else { [] } }

  /// The value of a dictionary under a text; nil if there is none.
  package subscript(_ key: String) -> BusValue? { entries.first { $0.key == .text(key) }?.value.unwrapped }

  /// An array of object paths.
  package static func paths(_ paths: [String]) -> BusValue { .list(of: "o", paths.map(BusValue.path)) }

  /// A dictionary of texts, in the order of the keys.
  package static func texts(_ texts: [String: String]) -> BusValue {
    .pairs(key: "s", value: "s", texts.sorted { $0.key < $1.key }.map { Pair(.text($0.key), .text($0.value)) })
  }

  /// A dictionary of properties, in the order of their names.
  package static func properties(_ properties: [String: BusValue]) -> BusValue {
    .pairs(
      key: "s", value: "v", properties.sorted { $0.key < $1.key }.map { Pair(.text($0.key), .variant($0.value)) })
  }

  /// The signature by which D-Bus names the type.
  package var signature: String {
    switch self {
    case .text: "s"
    case .path: "o"
    case .flag: "b"
    case .number: "t"
    case .shortNumber: "u"
    case .bytes: "ay"
    case .structure(let elements): "(\(elements.map(\.signature).joined()))"
    case .list(let element, _): "a\(element)"
    case .pairs(let key, let value, _): "a{\(key)\(value)}"
    case .variant: "v"
    case .descriptor: "h"
    case .other: ""
    }
  }
}
