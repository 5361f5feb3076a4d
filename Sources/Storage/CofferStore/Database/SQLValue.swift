internal import CofferCrypto

/// A value bound to a statement. It is never printed and never part of an error.
enum SQLValue {
  case null
  case integer(Int64)
  case blob([UInt8])
  case text(String)
  case id(Bytes16)
  case hash(Bytes32)

  static func flag(_ flag: Bool) -> SQLValue { .integer(flag ? 1 : 0) }

  static func optionalBlob(_ bytes: [UInt8]?) -> SQLValue { bytes.map { .blob($0) } ?? .null }
}
