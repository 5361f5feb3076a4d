package import CofferPlatform

/// A property list as Foundation's parser reads it, and as Foundation writes it.
package indirect enum ParsedPropertyList: Codable {
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
    if let text = try? container.decode(String.self) {
      self = .text(text)
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
    } else if let data = try? container.decode(Data.self) {
      self = .data(data)
    } else if (try? decoder.unkeyedContainer()) != nil {
      self = .array(try container.decode([ParsedPropertyList].self))
    } else {
      self = .dictionary(try container.decode([String: ParsedPropertyList].self))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let text): try container.encode(text)
    case .flag(let flag): try container.encode(flag)
    case .integer(let integer): try container.encode(integer)
    case .largeInteger(let integer): try container.encode(integer)
    case .real(let real): try container.encode(real)
    case .date(let date): try container.encode(date)
    case .data(let data): try container.encode(data)
    case .array(let values): try container.encode(values)
    case .dictionary(let values): try container.encode(values)
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
