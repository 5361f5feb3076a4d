internal import CofferCrypto
package import CofferFormat
public import CofferPlatform
internal import CofferSystem
public import CofferVault

/// An item in the vault, without its value.
///
/// The properties of the item itself are available directly: `stored.service` is `stored.item.service`.
@dynamicMemberLookup
public struct StoredItem<Item: KeychainItem>: Hashable, Sendable {
  /// The item's names and attributes.
  public let item: Item
  /// The access group's full name.
  public let accessGroup: String
  /// When the item was first written, by the clock of the machine that wrote it.
  public let created: Date
  /// When this version was written, by the clock of the machine that wrote it.
  public let modified: Date
  /// The author of this version, verified by its signature.
  public let writer: ItemWriter
  /// Whether machines have changed the item at the same time. The next write ends the conflict; until then every
  /// version is kept, see ``Vault/conflicts(_:in:)``.
  public let hasConflict: Bool
  /// Identifies the item for as long as it exists, even if its primary key or group changes.
  public let reference: PersistentReference

  init(_ found: FoundItem) {
    let attributes = found.attributes
    item = Item(_fields: _ItemFields(attributes.ownAttributes))
    accessGroup = found.group
    created = (attributes.date(.created) ?? Timestamp(microseconds: 0)).date
    modified = (attributes.date(.modified) ?? Timestamp(microseconds: 0)).date
    writer = found.writer
    hasConflict = found.hasConflict
    reference = PersistentReference(
      found.itemClass, identifier: attributes.identifier)
  }

  /// A property of ``item``.
  public subscript<Value>(dynamicMember property: KeyPath<Item, Value>) -> Value { item[keyPath: property] }
}

extension StoredItem: CustomStringConvertible {
  /// The item with its attributes, its access group, and when and by whom it was written, for logs and debuggers.
  public var description: String {
    "\(item) in \(accessGroup), written by \(writer.safeWords) at \(modified)" + (hasConflict ? ", in conflict" : "")
  }
}

/// The result of a list call.
public struct ItemList<Item: KeychainItem>: Sendable {
  /// The items that could be read.
  public let items: [StoredItem<Item>]
  /// One error for each damaged item. The other items are unharmed.
  public let damaged: [VaultError]
}

/// The verified author of a version: an app on a machine, or the vault's owner.
public struct ItemWriter: Hashable, Sendable {
  /// The app's full identifier; nil if the vault's owner wrote the version without an app.
  public let application: String?
  /// The name of the machine that wrote the version.
  public let device: String
}

extension ItemWriter {
  /// Returns who wrote a version, in words: "com.example.app on laptop", or "the owner on laptop". The names are as
  /// they are stored unless they are changed here: show them with what makes them safe.
  package func words(
    application: (String) -> String = { $0 }, machine: (String) -> String = { $0 }
  ) -> String {
    "\(self.application.map(application) ?? "the owner") on \(machine(device))"
  }

  /// The words for errors and logs, which cannot control a terminal.
  package var safeWords: String { words(machine: { $0.sanitizedForTerminal() }) }
}

/// Identifies an item for as long as it exists; find it with ``ItemQuery/reference(_:)``. It stays the same across
/// updates, changes of its primary key, moves between groups, and restarts.
///
/// The bytes have the form of Keychain's persistent reference: the class as four characters, then 16 random bytes.
public struct PersistentReference: Hashable, Sendable {
  package let itemClass: ItemClass
  package let identifier: [UInt8]

  /// The 20 bytes. Store them, and pass them to ``init(data:)`` later.
  public var data: Data { Data(fourCharacters(of: itemClass.rawValue) + identifier) }

  /// Creates a reference from the bytes of ``data``. Returns nil for other bytes.
  public init?(data: Data) {
    let bytes = [UInt8](data)
    guard bytes.count == 20, let itemClass = ItemClass(rawValue: fourCharacterCode(bytes.prefix(4))) else { return nil }
    self.init(itemClass, identifier: Array(bytes.dropFirst(4)))
  }

  package init(_ itemClass: ItemClass, identifier: [UInt8]) {
    self.itemClass = itemClass
    self.identifier = identifier
  }
}

/// When an item may be read, and whether it may leave this machine (`kSecAttrAccessible`).
///
/// Coffer stores the value with the item. Linux has no lock state of the whole machine that it could follow: the
/// vault's own lock decides whether items can be read, see ``Vault/lock()``. An item with a value that ends in
/// `ThisDeviceOnly` never leaves this machine.
public enum ItemAccessibility: String, Sendable, CaseIterable {
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

  /// Whether items with this value never leave this machine.
  public var isThisDeviceOnly: Bool {
    switch self {
    case .whenUnlocked, .afterFirstUnlock, .always: false
    case .whenPasscodeSetThisDeviceOnly, .whenUnlockedThisDeviceOnly, .afterFirstUnlockThisDeviceOnly,
      .alwaysThisDeviceOnly:
      true
    }
  }

  /// Reads the value from an item's attributes. Returns nil if they have none.
  package init?(_ attributes: ItemAttributes) {
    guard let name = attributes[.accessible]?.text, let known = ItemAccessibility(rawValue: name) else { return nil }
    self = known
  }
}

/// A type that can be an item's value: `Data`, `[UInt8]`, or `String`, which is stored as UTF-8. No other type needs to
/// conform.
public protocol SecretValue: Sendable {
  /// The value as bytes.
  var secretBytes: [UInt8] { get }
}

extension Data: SecretValue {
  /// The bytes themselves.
  public var secretBytes: [UInt8] { [UInt8](self) }
}

extension String: SecretValue {
  /// The text as UTF-8.
  public var secretBytes: [UInt8] { Array(utf8) }
}

extension [UInt8]: SecretValue {
  /// The bytes themselves.
  public var secretBytes: [UInt8] { self }
}
