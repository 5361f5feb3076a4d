package import CofferFormat
public import CofferPlatform
internal import CofferSystem
internal import CofferVault

/// An item's names and attributes, without its value: one of Keychain's classes.
///
/// ``GenericPassword``, ``InternetPassword``, ``KeychainCertificate`` and ``KeychainKey`` conform. A
/// ``KeychainIdentity`` is the join of the last two. No other type can conform.
public protocol KeychainItem: Hashable, Sendable, CustomStringConvertible {
  /// The class as Keychain's four characters, for instance `genp`.
  static var _classCode: String { get }

  /// The storage of the properties.
  var _fields: _ItemFields { get set }

  /// Creates an item from stored attributes.
  init(_fields: _ItemFields)
}

extension KeychainItem {
  static var itemClass: ItemClass {
    ItemClass(rawValue: fourCharacterCode(Self._classCode)) ?? .genericPassword
  }

  /// The label that lists show to users; `kSecAttrLabel`. In ``Vault/set(_:for:in:)``, nil keeps the stored label.
  public var label: String? {
    get { _fields[ItemAttribute<Self, String>.label] }
    set { _fields[ItemAttribute<Self, String>.label] = newValue }
  }

  /// When the item may be read, and whether it may leave this machine; nil for the default of the class.
  public var accessibility: ItemAccessibility? {
    get { _fields[ItemAttribute<Self, ItemAccessibility>.accessibility] }
    set { _fields[ItemAttribute<Self, ItemAccessibility>.accessibility] = newValue }
  }

  /// Keychain's flag `kSecAttrSynchronizable`, false by default. It is part of the primary key and has no other effect:
  /// items are synced whether it is set or not, unless ``accessibility`` keeps them on this machine.
  public var isSynchronizable: Bool {
    get { _fields.attributes.isSynchronizable }
    set { _fields.attributes[.synchronizable] = newValue ? .number(1) : nil }
  }
}

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
    self.init(code, encode: { .string($0) }, decode: { $0.text })
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

/// The attributes of an item, in the form in which they are stored. Only this library creates them, so that no type
/// outside of it can conform to ``KeychainItem``.
public struct _ItemFields: Hashable, Sendable {
  package var attributes: ItemAttributes

  package init(_ attributes: ItemAttributes = ItemAttributes()) { self.attributes = attributes }

  subscript<Item, Value>(attribute: ItemAttribute<Item, Value>) -> Value? {
    get { attributes[attribute.code].flatMap(attribute.decode) }
    set { attributes[attribute.code] = newValue.map { attribute.encode($0).normalised(for: attribute.code.kind) } }
  }
}

extension AttributeValue {
  /// The value as text: numbers in decimal digits, nil for dates and for bytes that are not UTF-8.
  package var text: String? {
    switch self {
    case .string(let text): text
    case .data(let bytes): String(validating: bytes, as: UTF8.self)
    case .number(let number): String(number)
    case .date: nil
    }
  }

  /// The value as a number, also if it is stored as decimal digits.
  package var number: Int64? {
    switch self {
    case .number(let number): number
    case .string(let text): Int64(text)
    case .data, .date: nil
    }
  }
}

extension KeychainItem {
  /// The type and the attributes that are set, for logs and debuggers. An item has no value, so none is shown; of
  /// attributes that are data, only the size is.
  public var description: String {
    let attributes = _fields.attributes.values.sorted {
      (Self.place(of: $0.key), $0.key) < (Self.place(of: $1.key), $1.key)
    }
    let texts = attributes.map { "\(Self.propertyName(of: $0.key)): \($0.value.readable(as: $0.key))" }
    return "\(Self.self)(\(texts.joined(separator: ", ")))"
  }

  /// The property for an attribute, or the four characters of its code if there is none.
  private static func propertyName(of code: AttributeCode) -> String {
    if code == .type && itemClass == .key { return "algorithm" }
    return propertyNames.first { $0.code == code }?.name ?? code.name
  }

  private static func place(of code: AttributeCode) -> Int { propertyNames.firstIndex { $0.code == code } ?? .max }
}

/// The properties of the item types, in the order of their initialisers.
private let propertyNames: [(code: AttributeCode, name: String)] = [
  (.service, "service"), (.server, "server"), (.account, "account"), (.protocol, "protocol"), (.port, "port"),
  (.path, "path"), (.securityDomain, "securityDomain"), (.authenticationType, "authenticationType"),
  (.keyClass, "kind"), (.type, "type"), (.keySizeInBits, "sizeInBits"), (.effectiveKeySize, "effectiveSizeInBits"),
  (.applicationLabel, "applicationLabel"), (.applicationTag, "applicationTag"), (.subject, "subject"),
  (.issuer, "issuer"), (.serialNumber, "serialNumber"), (.subjectKeyID, "subjectKeyIdentifier"),
  (.publicKeyHash, "publicKeyHash"), (.notBefore, "notBefore"), (.notAfter, "notAfter"), (.label, "label"),
  (.comment, "comment"), (.itemDescription, "itemDescription"), (.generic, "generic"), (.creator, "creator"),
  (.startDate, "startDate"), (.endDate, "endDate"), (.isInvisible, "isInvisible"), (.isNegative, "isNegative"),
  (.oneTimePassword, "oneTimePassword"), (.accessible, "accessibility"), (.synchronizable, "isSynchronizable"),
]

extension AttributeValue {
  /// The value of an attribute in one line that cannot control a terminal.
  fileprivate func readable(as code: AttributeCode) -> String {
    if code == .oneTimePassword { return "set" }
    if code == .accessible, let known = text.flatMap(ItemAccessibility.init(rawValue:)) { return ".\(known)" }
    return switch self {
    case .string(let text): "\"\(text.sanitizedForTerminal())\""
    case .data(let bytes): "\(bytes.count) bytes"
    case .number(let number): "\(number)"
    case .date(let date): "\(date.date)"
    }
  }
}
