internal import CofferFormat

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
