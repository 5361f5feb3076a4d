internal import CofferFormat
public import CofferPlatform

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
