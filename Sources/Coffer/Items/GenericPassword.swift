internal import CofferFormat
public import Foundation

/// A generic password: Keychain's class `kSecClassGenericPassword`.
///
/// Service and account are its primary key within an access group, with ``KeychainItem/isSynchronizable``.
public struct GenericPassword: PasswordItem {
  /// The class by Keychain's four characters.
  public static let classCode = "genp"
  /// What the properties are kept in.
  public var fields: ItemFields

  /// An item with the attributes that were stored.
  public init(fields: ItemFields) { self.fields = fields }

  /// Names a password. `service` is what it is for, usually an app's or a server's name; each text has at most 1 MiB of UTF-8.
  public init(service: String, account: String, label: String? = nil) {
    fields = ItemFields()
    self.service = service
    self.account = account
    self.label = label
  }

  /// What the password is for.
  public var service: String {
    get { fields[ItemAttribute<Self, String>.service] ?? "" }
    set { fields[ItemAttribute<Self, String>.service] = newValue }
  }

  /// Bytes of the app's own; `kSecAttrGeneric`.
  public var generic: Data? {
    get { fields[ItemAttribute<Self, Data>.generic] }
    set { fields[ItemAttribute<Self, Data>.generic] = newValue }
  }
}

extension ItemAttribute where Item == GenericPassword, Value == String {
  /// What the password is for; `kSecAttrService`.
  public static var service: Self { Self(text: .service) }
}

extension ItemAttribute where Item == GenericPassword, Value == Data {
  /// Bytes of the app's own; `kSecAttrGeneric`.
  public static var generic: Self { Self(data: .generic) }
}
