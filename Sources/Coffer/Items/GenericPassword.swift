internal import CofferFormat
public import Foundation

/// A generic password's names: Keychain's class `kSecClassGenericPassword`.
///
/// Service and account are its primary key within an access group; the label is for people.
public struct GenericPassword: Hashable, Sendable {
  /// What the password is for, usually an app's or a server's name; at most 1 MiB of UTF-8.
  public var service: String
  /// Whose it is; at most 1 MiB of UTF-8.
  public var account: String
  /// What people see; nil leaves the stored one as it is.
  public var label: String?

  /// Names a password.
  public init(service: String, account: String, label: String? = nil) {
    self.service = service
    self.account = account
    self.label = label
  }

  static let maximumTextByteCount = 1 << 20

  /// The attributes that make the primary key.
  func primaryKey() throws(VaultError) -> ItemAttributes {
    for (name, text) in [("service", service), ("account", account), ("label", label ?? "")]
    where text.utf8.count > Self.maximumTextByteCount {
      throw VaultError(
        .invalidArgument, "the \(name) has \(text.utf8.count) bytes", mend: "1 MiB is the most that Coffer keeps")
    }
    return ItemAttributes([.service: .string(service), .account: .string(account)])
  }
}

/// An item without its value, as lists and look-ups give it.
public struct StoredPassword: Hashable, Sendable {
  /// Service, account and label.
  public let password: GenericPassword
  /// The access group's full name.
  public let group: String
  /// When the item was first written, by its writer's clock.
  public let created: Date
  /// When this version was written, by its writer's clock.
  public let modified: Date
  /// Who wrote this version, verified by its signature.
  public let writer: Writer
  /// True where machines changed the item at the same time; the next write ends it, and no version is lost.
  public let hasConflict: Bool
}

/// The verified author of a version.
public struct Writer: Hashable, Sendable {
  /// The app's full identifier; nil where the vault's owner wrote it without an app.
  public let application: String?
  /// The name of the machine on which it was written.
  public let device: String
}

/// What a list found.
public struct PasswordList: Sendable {
  /// The items that could be read, by group, then service, then account.
  public let items: [StoredPassword]
  /// One error for each item that is damaged; the others are unharmed.
  public let damaged: [VaultError]
}
