internal import CofferFormat
public import Foundation

/// What generic and internet passwords have in common.
public protocol PasswordItem: KeychainItem {}

extension ItemAttribute where Item: PasswordItem, Value == String {
  /// Whose it is; `kSecAttrAccount`.
  public static var account: Self { Self(text: .account) }
  /// Notes for people; `kSecAttrComment`.
  public static var comment: Self { Self(text: .comment) }
  /// What kind of item it is, for people; `kSecAttrDescription`.
  public static var description: Self { Self(text: .itemDescription) }
}

extension ItemAttribute where Item: PasswordItem, Value == Int {
  /// The creator's four characters as a number; `kSecAttrCreator`.
  public static var creator: Self { Self(number: .creator) }
  /// The type's four characters as a number; `kSecAttrType`.
  public static var type: Self { Self(number: .type) }
}

extension ItemAttribute where Item: PasswordItem, Value == Bool {
  /// `kSecAttrIsInvisible`.
  public static var isInvisible: Self { Self(flag: .isInvisible) }
  /// `kSecAttrIsNegative`: the item stands for a password that is not to be kept.
  public static var isNegative: Self { Self(flag: .isNegative) }
}

extension PasswordItem {
  /// Whose it is; part of the primary key; at most 1 MiB of UTF-8.
  public var account: String {
    get { fields[ItemAttribute<Self, String>.account] ?? "" }
    set { fields[ItemAttribute<Self, String>.account] = newValue }
  }

  /// Notes for people.
  public var comment: String? {
    get { fields[ItemAttribute<Self, String>.comment] }
    set { fields[ItemAttribute<Self, String>.comment] = newValue }
  }

  /// What kind of item it is, for people.
  public var description: String? {
    get { fields[ItemAttribute<Self, String>.description] }
    set { fields[ItemAttribute<Self, String>.description] = newValue }
  }

  /// The creator's four characters as a number.
  public var creator: Int? {
    get { fields[ItemAttribute<Self, Int>.creator] }
    set { fields[ItemAttribute<Self, Int>.creator] = newValue }
  }

  /// The type's four characters as a number.
  public var type: Int? {
    get { fields[ItemAttribute<Self, Int>.type] }
    set { fields[ItemAttribute<Self, Int>.type] = newValue }
  }

  /// True for an item that lists should not show.
  public var isInvisible: Bool {
    get { fields[ItemAttribute<Self, Bool>.isInvisible] ?? false }
    set { fields[ItemAttribute<Self, Bool>.isInvisible] = newValue }
  }

  /// True for an item that stands for a password that is not to be kept.
  public var isNegative: Bool {
    get { fields[ItemAttribute<Self, Bool>.isNegative] ?? false }
    set { fields[ItemAttribute<Self, Bool>.isNegative] = newValue }
  }
}
