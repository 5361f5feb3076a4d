internal import CofferFormat

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
