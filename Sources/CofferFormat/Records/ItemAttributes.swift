internal import CofferCrypto

/// The attributes of an item. They are sealed separately from its value, so that lists and searches open nothing else.
package struct ItemAttributes: Hashable, Sendable {
  /// The attributes that are set.
  package var values: [AttributeCode: AttributeValue]

  package init(_ values: [AttributeCode: AttributeValue] = [:]) { self.values = values }

  package subscript(code: AttributeCode) -> AttributeValue? {
    get { values[code] }
    set { values[code] = newValue }
  }

  /// Returns the attributes with these codes.
  package func only(_ codes: Set<AttributeCode>) -> ItemAttributes {
    ItemAttributes(values.filter { codes.contains($0.key) })
  }

  /// Returns the attribute as text; nil if it is missing, is neither text nor data, or is not valid UTF-8.
  package func string(_ code: AttributeCode) -> String? {
    switch values[code] {
    case .string(let text): text
    case .data(let bytes): String(validating: bytes, as: UTF8.self)
    default: nil
    }
  }

  /// Returns the attribute as a date; nil if it is missing or has another type.
  package func date(_ code: AttributeCode) -> Timestamp? {
    if case .date(let date) = values[code] { date } else { nil }
  }

  /// The canonical bytes: pairs of code and value in ascending order of code.
  package var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.begin(.attributes)
    writer.list(values.sorted { $0.key < $1.key }) { writer, pair in
      writer.u32(pair.key.rawValue)
      switch pair.value {
      case .string(let text):
        writer.u8(1)
        writer.string(text)
      case .data(let bytes):
        writer.u8(2)
        writer.data(bytes)
      case .number(let number):
        writer.u8(3)
        writer.i64(number)
      case .date(let date):
        writer.u8(4)
        writer.i64(date.microseconds)
      }
    }
    return writer.bytes
  }

  /// Reads the canonical bytes, and rejects all others.
  package init(bytes: [UInt8]) throws(FormatError) {
    var reader = ByteReader(bytes, object: ObjectKind.attributes.name)
    try reader.begin(.attributes)
    let pairs = try reader.ascendingList("attributes", cap: Limits.attributes, by: { $0.0 }) {
      (reader) throws(FormatError) -> (AttributeCode, AttributeValue) in
      let code = AttributeCode(rawValue: try reader.u32("code"))
      let value: AttributeValue
      switch try reader.u8("type") {
      case 1: value = .string(try reader.string("text", cap: Limits.attributesByteCount))
      case 2: value = .data(try reader.data("data", cap: Limits.attributesByteCount))
      case 3: value = .number(try reader.i64("number"))
      case 4: value = .date(Timestamp(microseconds: try reader.i64("date")))
      default: throw reader.failure(.invalidValue, "type")
      }
      return (code, value)
    }
    try reader.finish()
    // Ascending codes are unique.
    values = Dictionary(uniqueKeysWithValues: pairs)
  }
}

extension ItemAttributes {
  /// Returns the attributes, completed with default values for missing attributes of the primary key.
  package func completingPrimaryKey(of itemClass: ItemClass) -> ItemAttributes {
    var completed = self
    for code in itemClass.primaryKey where completed[code] == nil { completed[code] = .absent(code.kind) }
    return completed
  }
}
