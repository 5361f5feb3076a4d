package import CofferFormat
public import Foundation

/// An item's names and attributes, without its value: one of Keychain's classes.
///
/// ``GenericPassword``, ``InternetPassword``, ``Certificate`` and ``Key`` are the conforming types; an ``Identity`` is the join
/// of the last two. No other type can conform: ``ItemFields`` cannot be made outside of this library.
public protocol KeychainItem: Hashable, Sendable {
  /// Keychain's four characters for the class, `genp` for instance.
  static var classCode: String { get }

  /// What the properties are kept in.
  var fields: ItemFields { get set }

  /// An item with the attributes that were stored.
  init(fields: ItemFields)
}

/// The attributes of an item, in the form in which they are stored.
public struct ItemFields: Hashable, Sendable {
  package var attributes: ItemAttributes

  package init(_ attributes: ItemAttributes = ItemAttributes()) { self.attributes = attributes }

  subscript<Item, Value>(attribute: ItemAttribute<Item, Value>) -> Value? {
    get { attributes[attribute.code].flatMap(attribute.decode) }
    set { attributes[attribute.code] = newValue.map { attribute.encode($0).normalised(for: attribute.code.kind) } }
  }
}

/// An attribute of a class of items, and the type of its values.
///
/// Queries name attributes by these: `ItemQuery<GenericPassword>().matching(.service, "api.example.com")`. An attribute that
/// the class does not have, or a value of another type, does not compile.
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

  /// What people see; `kSecAttrLabel`.
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

  /// When the item was first written, by its writer's clock; `kSecAttrCreationDate`.
  public static var created: Self { Self(date: .created) }
  /// When the item was last written, by its writer's clock; `kSecAttrModificationDate`.
  public static var modified: Self { Self(date: .modified) }
}

extension ItemAttribute where Value: RawRepresentable, Value.RawValue == String {
  init(code: AttributeCode) {
    self.init(code, encode: { .string($0.rawValue) }, decode: { $0.text.flatMap(Value.init(rawValue:)) })
  }
}

extension ItemAttribute where Value == Accessibility {
  /// When the item is meant to be read, and whether it may leave this machine; `kSecAttrAccessible`.
  public static var accessibility: Self { Self(code: .accessible) }
}

extension AttributeValue {
  /// As text; nil for bytes that are no UTF-8. Numbers are spelled out.
  package var text: String? {
    switch self {
    case .string(let text): text
    case .data(let bytes): String(validating: bytes, as: UTF8.self)
    case .number(let number): String(number)
    case .date: nil
    }
  }

  /// As a number, also one that is spelled out.
  package var number: Int64? {
    switch self {
    case .number(let number): number
    case .string(let text): Int64(text)
    case .data, .date: nil
    }
  }
}

/// When an item is meant to be read, and whether it may leave this machine (`kSecAttrAccessible`).
///
/// Coffer keeps the class with the item. On Linux there is no lock of the whole machine that it could follow: what keeps items
/// closed is the vault's own lock (see ``Vault/lock()``). An item `…ThisDeviceOnly` never leaves this machine.
public enum Accessibility: String, Sendable, CaseIterable {
  /// `kSecAttrAccessibleWhenUnlocked`, the default.
  case whenUnlocked = "ak"
  /// `kSecAttrAccessibleAfterFirstUnlock`.
  case afterFirstUnlock = "ck"
  /// `kSecAttrAccessibleAlways`, the default of certificates.
  case always = "dk"
  /// `kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly`.
  case whenPasscodeSetThisDeviceOnly = "akpu"
  /// `kSecAttrAccessibleWhenUnlockedThisDeviceOnly`.
  case whenUnlockedThisDeviceOnly = "aku"
  /// `kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly`.
  case afterFirstUnlockThisDeviceOnly = "cku"
  /// `kSecAttrAccessibleAlwaysThisDeviceOnly`.
  case alwaysThisDeviceOnly = "dku"

  /// True for items that never leave this machine.
  public var isThisDeviceOnly: Bool {
    switch self {
    case .whenUnlocked, .afterFirstUnlock, .always: false
    case .whenPasscodeSetThisDeviceOnly, .whenUnlockedThisDeviceOnly, .afterFirstUnlockThisDeviceOnly,
      .alwaysThisDeviceOnly:
      true
    }
  }

  /// The class that an item's attributes name; nil where they name none.
  package init?(_ attributes: ItemAttributes) {
    guard let name = attributes[.accessible]?.text, let known = Accessibility(rawValue: name) else { return nil }
    self = known
  }
}

extension KeychainItem {
  static var itemClass: ItemClass {
    ItemClass(rawValue: fourCharacterCode(Self.classCode.utf8)) ?? .genericPassword
  }

  /// What people see in lists. In ``Vault/set(_:for:in:)`` nil leaves the stored one as it is.
  public var label: String? {
    get { fields[ItemAttribute<Self, String>.label] }
    set { fields[ItemAttribute<Self, String>.label] = newValue }
  }

  /// When the item is meant to be read, and whether it may leave this machine; nil stands for the class' default.
  public var accessibility: Accessibility? {
    get { fields[ItemAttribute<Self, Accessibility>.accessibility] }
    set { fields[ItemAttribute<Self, Accessibility>.accessibility] = newValue }
  }

  /// Keychain's flag of that name, false by default. It is part of what makes an item unique, and nothing more: items sync
  /// whether it is set or not, unless ``accessibility`` keeps them on this machine.
  public var isSynchronizable: Bool {
    get { fields.attributes.isSynchronizable }
    set { fields.attributes[.synchronizable] = newValue ? .number(1) : nil }
  }
}
