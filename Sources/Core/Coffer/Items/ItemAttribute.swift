package import CofferFormat
public import CofferPlatform
internal import CofferVault

/// An attribute of a class of items, with the type of its values.
///
/// Queries use it: `ItemQuery<GenericPassword>().matching(.service, "api.example.com")`. An attribute that the class
/// does not have, or a value of another type, does not compile.
public struct ItemAttribute<Item: KeychainItem, Value: Sendable>: Sendable {
  package let code: AttributeCode
  let encode: @Sendable (Value) -> AttributeValue
  let decode: @Sendable (AttributeValue) -> Value?

  init(
    _ code: AttributeCode, encode: @escaping @Sendable (Value) -> AttributeValue,
    decode: @escaping @Sendable (AttributeValue) -> Value?
  ) {
    self.code = code
    self.encode = encode
    self.decode = decode
  }
}

extension ItemAttribute where Value == String {
  init(text code: AttributeCode) {
    self.init(code, encode: { .string($0) }, decode: \.text)
  }

  /// The label that lists show to users; `kSecAttrLabel`.
  public static var label: Self { Self(text: .label) }
}

extension ItemAttribute where Value == Data {
  init(data code: AttributeCode) {
    self.init(code, encode: { .data([UInt8]($0)) }, decode: { Data($0.matchBytes) })
  }
}

extension ItemAttribute where Value == Int {
  init(number code: AttributeCode) {
    self.init(code, encode: { .number(Int64($0)) }, decode: { $0.number.flatMap { Int(exactly: $0) } })
  }
}

extension ItemAttribute where Value == Bool {
  init(flag code: AttributeCode) {
    self.init(code, encode: { .number($0 ? 1 : 0) }, decode: { $0.number.map { $0 != 0 } })
  }
}

extension ItemAttribute where Value == Date {
  init(date code: AttributeCode) {
    self.init(
      code, encode: { .date(Timestamp($0)) },
      decode: { value in if case .date(let date) = value { date.date } else { nil } })
  }

  /// When the item was first written, by the clock of the machine that wrote it; `kSecAttrCreationDate`.
  public static var created: Self { Self(date: .created) }
  /// When the item was last written, by the clock of the machine that wrote it; `kSecAttrModificationDate`.
  public static var modified: Self { Self(date: .modified) }
}

extension ItemAttribute where Value: RawRepresentable, Value.RawValue == String {
  init(code: AttributeCode) {
    self.init(code, encode: { .string($0.rawValue) }, decode: { $0.text.flatMap(Value.init(rawValue:)) })
  }
}

extension ItemAttribute where Value == ItemAccessibility {
  /// When the item may be read, and whether it may leave this machine; `kSecAttrAccessible`.
  public static var accessibility: Self { Self(code: .accessible) }
}
