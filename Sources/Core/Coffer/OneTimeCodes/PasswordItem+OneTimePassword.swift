internal import CofferFormat

extension PasswordItem {
  /// The seed of the account's one-time codes; nil if there is none.
  ///
  /// It is sealed and synced with the item's other attributes, and kept when the value is replaced. Neither descriptions,
  /// nor lists of commands, nor Keychain calls (`import Security`) show it; whoever may read the group can.
  /// The conditions of `kSecAttrAccessControl` and an application password protect the value only, and not the codes.
  public var oneTimePassword: OneTimePassword? {
    get { _fields.attributes[.oneTimePassword]?.text.flatMap { try? OneTimePassword(uri: $0) } }
    set { _fields.attributes[.oneTimePassword] = newValue.map { .string($0.uri) } }
  }
}
