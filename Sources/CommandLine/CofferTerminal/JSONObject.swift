/// An object in the output of `--json`: its keys with their values. A key whose value is nil is left out.
package struct JSONObject: Encodable, ExpressibleByDictionaryLiteral {
  private var members: [(name: Name, value: any Encodable)] = []
  private var included: [any Encodable] = []

  package init(dictionaryLiteral members: (String, (any Encodable)?)...) {
    self.members = members.compactMap { key, value in value.map { (Name(stringValue: key), $0) } }
  }

  /// The object with the keys of another value, which encodes itself as an object with other keys.
  package func including(_ other: (any Encodable)?) -> JSONObject {
    var object = self
    if let other { object.included.append(other) }
    return object
  }

  package func encode(to encoder: any Encoder) throws {
    for value in included { try value.encode(to: encoder) }
    var container = encoder.container(keyedBy: Name.self)
    for member in members { try container.encode(member.value, forKey: member.name) }
  }

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }

    init?(intValue: Int) { return nil }
  }
}
