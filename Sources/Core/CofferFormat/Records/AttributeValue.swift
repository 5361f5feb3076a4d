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
