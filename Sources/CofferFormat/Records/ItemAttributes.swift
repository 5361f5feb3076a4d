internal import CofferCrypto

/// One attribute's value. The type is kept; comparison is by ``matchBytes``, as Apple compares.
package enum AttributeValue: Hashable, Sendable {
  case string(String)
  case data([UInt8])
  case number(Int64)
  case date(Timestamp)

  /// The bytes by which values are compared and hashed: text as UTF-8, numbers and dates as eight big-endian bytes.
  package var matchBytes: [UInt8] {
    switch self {
    case .string(let text): return Array(text.utf8)
    case .data(let bytes): return bytes
    case .number(let number): return Self.bytes(of: number)
    case .date(let date): return Self.bytes(of: date.microseconds)
    }
  }

  private static func bytes(of number: Int64) -> [UInt8] {
    var writer = ByteWriter(reserving: 8)
    writer.i64(number)
    return writer.bytes
  }
}

/// An item's attributes: what is sealed beside its value, and opened alone by lists and searches.
package struct ItemAttributes: Hashable, Sendable {
  /// The attributes that are present.
  package var values: [AttributeCode: AttributeValue]

  package init(_ values: [AttributeCode: AttributeValue] = [:]) { self.values = values }

  package subscript(code: AttributeCode) -> AttributeValue? {
    get { values[code] }
    set { values[code] = newValue }
  }

  /// Those of these codes.
  package func only(_ codes: Set<AttributeCode>) -> ItemAttributes {
    ItemAttributes(values.filter { codes.contains($0.key) })
  }

  /// The attribute as text; nil where it is absent, no text, or bytes that are no UTF-8.
  package func string(_ code: AttributeCode) -> String? {
    switch values[code] {
    case .string(let text): text
    case .data(let bytes): String(validating: bytes, as: UTF8.self)
    default: nil
    }
  }

  /// The attribute as a date.
  package func date(_ code: AttributeCode) -> Timestamp? {
    if case .date(let date) = values[code] { date } else { nil }
  }

  /// The canonical bytes: pairs in ascending order of code.
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

  /// Reads canonical bytes.
  package init(bytes: [UInt8]) throws(FormatError) {
    var reader = ByteReader(bytes, object: ObjectKind.attributes.name)
    try reader.begin(.attributes)
    let pairs = try reader.ascendingList("attributes", cap: Limits.attributes, by: \.0) {
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
    values = Dictionary(pairs) { first, _ in first }
  }
}
