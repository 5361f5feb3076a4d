internal import CofferCrypto

/// The attributes of an item. They are sealed separately from its value, so that lists and searches open nothing else.
package struct ItemAttributes: Sendable {
  /// The attributes that are set, in ascending order of code. An item has about ten: reading them into an array takes a
  /// third of the time of a dictionary, and lists read many.
  package private(set) var values: [(key: AttributeCode, value: AttributeValue)]

  package init(_ values: [AttributeCode: AttributeValue] = [:]) {
    self.values = values.sorted { $0.key < $1.key }
  }

  private init(ascending values: [(key: AttributeCode, value: AttributeValue)]) { self.values = values }

  package subscript(code: AttributeCode) -> AttributeValue? {
    get {
      for attribute in values where attribute.key.rawValue == code.rawValue { return attribute.value }
      return nil
    }
    set {
      let place = values.firstIndex { $0.key >= code } ?? values.count
      let isSet = place < values.count && values[place].key == code
      switch newValue {
      case let value? where isSet: values[place].value = value
      case let value?: values.insert((code, value), at: place)
      case nil: if isSet { values.remove(at: place) }
      }
    }
  }

  package func only(_ codes: Set<AttributeCode>) -> ItemAttributes {
    ItemAttributes(ascending: values.filter { codes.contains($0.key) })
  }

  /// Returns the attributes without those with these codes.
  package func removing(_ codes: [AttributeCode]) -> ItemAttributes {
    ItemAttributes(ascending: values.filter { !codes.contains($0.key) })
  }

  /// Returns the attributes of both. If both have one, it is that of `other`.
  package func merging(_ other: ItemAttributes) -> ItemAttributes {
    var merged = self
    for (code, value) in other.values { merged[code] = value }
    return merged
  }

  /// Returns the attribute as text; nil if it is missing, is neither text nor data, or is not valid UTF-8.
  package func string(_ code: AttributeCode) -> String? {
    switch self[code] {
    case .string(let text): text
    case .data(let bytes): String(validating: bytes, as: UTF8.self)
    default: nil
    }
  }

  /// Returns the attribute as a date; nil if it is missing or has another type.
  package func date(_ code: AttributeCode) -> Timestamp? {
    if case .date(let date) = self[code] { date } else { nil }
  }

  /// The canonical bytes: pairs of code and value in ascending order of code.
  package var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.begin(.attributes)
    writer.list(values) { writer, pair in
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
    values = try reader.ascendingList("attributes", cap: Limits.attributes, by: { $0.key }) {
      (reader) throws(FormatError) -> (key: AttributeCode, value: AttributeValue) in
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
  }
}

extension ItemAttributes: Hashable {
  package static func == (left: ItemAttributes, right: ItemAttributes) -> Bool {
    left.values.elementsEqual(right.values) { $0 == $1 }
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(values.count)
    for (code, value) in values {
      hasher.combine(code)
      hasher.combine(value)
    }
  }
}

extension ItemAttributes {
  /// `kSecAttrSynchronizable`, which is part of the primary key.
  package var isSynchronizable: Bool { self[.synchronizable].map { !$0.isDefault } ?? false }

  /// Returns the attributes, completed with default values for missing attributes of the primary key.
  package func completingPrimaryKey(of itemClass: ItemClass) -> ItemAttributes {
    var completed = self
    for code in itemClass.primaryKey where completed[code] == nil { completed[code] = .absent(code.kind) }
    return completed
  }
}
