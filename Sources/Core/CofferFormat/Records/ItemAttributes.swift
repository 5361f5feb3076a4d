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

extension ItemAttributes {
  /// True if the item's value is, or may be, protected by an application password. An access control that cannot be
  /// read counts as one with a password.
  package var isPasswordProtected: Bool {
    guard let stored = self[.accessControl] else { return false }
    return (try? AccessControl(bytes: stored.matchBytes))?.requiresApplicationPassword ?? true
  }
}

/// The value of an attribute. The type is stored, but values are compared by ``matchBytes`` only, as in Apple's
/// Keychain.
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

extension AttributeValue {
  /// Returns the value in the form in which an attribute of this kind is stored: for a number, text that spells a whole
  /// number is converted.
  package func normalised(for kind: AttributeKind) -> AttributeValue {
    guard kind == .number, case .string(let text) = self, let number = Int64(text), String(number) == text else {
      return self
    }
    return .number(number)
  }

  /// True if the value is equivalent to an attribute that was never set: empty, or zero.
  package var isDefault: Bool {
    switch self {
    case .string(let text): text.isEmpty
    case .data(let bytes): bytes.isEmpty
    case .number(let number): number == 0
    case .date(let date): date.microseconds == 0
    }
  }

  /// Returns the value that represents a missing attribute of the primary key.
  package static func absent(_ kind: AttributeKind) -> AttributeValue {
    switch kind {
    case .blob: .data([])
    case .number: .number(0)
    case .date: .date(Timestamp(microseconds: 0))
    }
  }
}

/// The conditions for returning an item's value, as stored in the attribute `accc`.
package struct AccessControl: Hashable, Sendable {
  private static let version: UInt8 = 1
  private static let maximumProtectionByteCount = 8
  private static let applicationPassword: UInt64 = 1 << 31

  /// Keychain's code for the item's accessibility, such as `ak`.
  package let protection: String
  /// The bits of Apple's SecAccessControlCreateFlags.
  package let flags: UInt64

  package init(protection: String, flags: UInt64) {
    self.protection = protection
    self.flags = flags
  }

  /// True if the item's value is a ``ProtectedValue``.
  package var requiresApplicationPassword: Bool { flags & Self.applicationPassword != 0 }

  /// The canonical bytes: version 1, the protection with its length, the flags in 64 bits.
  package var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.u8(Self.version)
    writer.string(protection)
    writer.u64(flags)
    return writer.bytes
  }

  /// Reads the canonical bytes, and rejects all others.
  package init(bytes: [UInt8]) throws(FormatError) {
    var reader = ByteReader(bytes, object: "access control")
    guard try reader.u8("version") == Self.version else { throw reader.failure(.unsupportedVersion, "version") }
    protection = try reader.string("protection", cap: Self.maximumProtectionByteCount)
    flags = try reader.u64("flags")
    try reader.finish()
  }
}
