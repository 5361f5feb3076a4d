/// Any JSON: files and messages of other programs, of which a part is read or changed and the rest is kept.
package enum JSONValue: Encodable, Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }

  /// The member of an object; nil if this is no object or has no such member.
  package subscript(_ name: String) -> JSONValue? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  /// The text; nil if this is no text.
  package var text: String? { if case .string(let text) = self { text } else { nil } }

  /// The elements; empty if this is no array.
  package var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }

  /// The members; empty if this is no object.
  package var members: [String: JSONValue] { if case .object(let members) = self { members } else { [:] } }

  /// Whether this is nothing, or a text, an array or an object without contents.
  package var isEmpty: Bool {
    switch self {
    case .null: true
    case .string(let text): text.isEmpty
    case .array(let elements): elements.isEmpty
    case .object(let members): members.isEmpty
    default: false
    }
  }
}
