internal import CofferFormat
public import CofferPlatform

/// The attributes that generic and internet passwords have in common.
public protocol PasswordItem: KeychainItem {}

extension ItemAttribute where Item: PasswordItem, Value == String {
  /// The account; `kSecAttrAccount`.
  public static var account: Self { Self(text: .account) }
  /// A comment for users; `kSecAttrComment`.
  public static var comment: Self { Self(text: .comment) }
  /// A description of the kind of item, for users; `kSecAttrDescription`.
  public static var itemDescription: Self { Self(text: .itemDescription) }
}

extension ItemAttribute where Item: PasswordItem, Value == Int {
  /// The creator, a four-character code as a number; `kSecAttrCreator`.
  public static var creator: Self { Self(number: .creator) }
  /// The type, a four-character code as a number; `kSecAttrType`.
  public static var type: Self { Self(number: .type) }
}

extension ItemAttribute where Item: PasswordItem, Value == Bool {
  /// Whether lists should hide the item; `kSecAttrIsInvisible`.
  public static var isInvisible: Self { Self(flag: .isInvisible) }
  /// Whether the item marks a password that must not be stored; `kSecAttrIsNegative`.
  public static var isNegative: Self { Self(flag: .isNegative) }
}

extension PasswordItem {
  /// The account. It is part of the primary key, and has at most 1 MiB of UTF-8.
  public var account: String {
    get { _fields[ItemAttribute<Self, String>.account] ?? "" }
    set { _fields[ItemAttribute<Self, String>.account] = newValue }
  }

  /// A comment for users.
  public var comment: String? {
    get { _fields[ItemAttribute<Self, String>.comment] }
    set { _fields[ItemAttribute<Self, String>.comment] = newValue }
  }

  /// A description of the kind of item, for users.
  public var itemDescription: String? {
    get { _fields[ItemAttribute<Self, String>.itemDescription] }
    set { _fields[ItemAttribute<Self, String>.itemDescription] = newValue }
  }

  /// The creator, a four-character code as a number.
  public var creator: Int? {
    get { _fields[ItemAttribute<Self, Int>.creator] }
    set { _fields[ItemAttribute<Self, Int>.creator] = newValue }
  }

  /// The type, a four-character code as a number.
  public var type: Int? {
    get { _fields[ItemAttribute<Self, Int>.type] }
    set { _fields[ItemAttribute<Self, Int>.type] = newValue }
  }

  /// Whether lists should hide the item.
  public var isInvisible: Bool {
    get { _fields[ItemAttribute<Self, Bool>.isInvisible] ?? false }
    set { _fields[ItemAttribute<Self, Bool>.isInvisible] = newValue }
  }

  /// Whether the item marks a password that must not be stored.
  public var isNegative: Bool {
    get { _fields[ItemAttribute<Self, Bool>.isNegative] ?? false }
    set { _fields[ItemAttribute<Self, Bool>.isNegative] = newValue }
  }
}

/// A generic password: Keychain's class `kSecClassGenericPassword`.
///
/// The primary key within an access group is ``service``, ``PasswordItem/account`` and
/// ``KeychainItem/isSynchronizable``.
public struct GenericPassword: PasswordItem {
  /// The class as Keychain's four characters.
  public static let _classCode = "genp"
  /// The storage of the properties.
  public var _fields: _ItemFields

  /// Creates an item from stored attributes.
  public init(_fields: _ItemFields) { self._fields = _fields }

  /// Creates the attributes of a generic password. Each text has at most 1 MiB of UTF-8.
  ///
  /// - Parameters:
  ///   - service: What the password is for, usually the name of an app or a server.
  ///   - account: The account.
  ///   - label: The label that lists show to users; nil for none.
  ///   - accessibility: When the item may be read, and whether it may leave this machine; nil for the default.
  public init(
    service: String, account: String, label: String? = nil, accessibility: ItemAccessibility? = nil
  ) {
    _fields = _ItemFields()
    self.service = service
    self.account = account
    self.label = label
    self.accessibility = accessibility
  }

  /// The service that the password is for.
  public var service: String {
    get { _fields[ItemAttribute<Self, String>.service] ?? "" }
    set { _fields[ItemAttribute<Self, String>.service] = newValue }
  }

  /// Data that the app chooses; `kSecAttrGeneric`.
  public var generic: Data? {
    get { _fields[ItemAttribute<Self, Data>.generic] }
    set { _fields[ItemAttribute<Self, Data>.generic] = newValue }
  }
}

extension ItemAttribute where Item == GenericPassword, Value == String {
  /// The service that the password is for; `kSecAttrService`.
  public static var service: Self { Self(text: .service) }
}

extension ItemAttribute where Item == GenericPassword, Value == Data {
  /// Data that the app chooses; `kSecAttrGeneric`.
  public static var generic: Self { Self(data: .generic) }
}

extension PasswordItem {
  /// The seed of the account's one-time codes; nil if there is none.
  ///
  /// It is sealed and synced with the item's other attributes, and kept when the value is replaced. Neither
  /// descriptions, nor lists of commands, nor Keychain calls (`import Security`) show it; whoever may read the group
  /// can. The conditions of `kSecAttrAccessControl` and an application password protect the value only, and not the
  /// codes.
  public var oneTimePassword: OneTimePassword? {
    get { _fields.attributes[.oneTimePassword]?.text.flatMap { try? OneTimePassword(uri: $0) } }
    set { _fields.attributes[.oneTimePassword] = newValue.map { .string($0.uri) } }
  }
}
