internal import Coffer
internal import CofferInspection
internal import CofferPlatform
internal import CofferVault

/// A stored password of one of the two classes.
struct FoundPassword {
  let kind: PasswordKind
  /// The full name of its access group.
  let group: String
  /// The reference by which commands name it.
  let reference: String
  /// The service or the server.
  let place: String
  let account: String
  let label: String?
  /// What tells internet passwords of one account apart: "IMAPS, port 993"; nil if there is nothing.
  let detail: String?
  let created: Date
  let modified: Date
  let writer: ItemWriter
  let hasConflict: Bool
  private let item: any KeychainItem

  static func generic(_ found: StoredItem<GenericPassword>) -> FoundPassword {
    FoundPassword(found, .generic, found.item.service, found.item.account, found.item.label, detail: nil)
  }

  static func internet(_ found: StoredItem<InternetPassword>) -> FoundPassword {
    FoundPassword(
      found, .internet, found.item.server, found.item.account, found.item.label, detail: found.item.detail)
  }

  private init<Item: KeychainItem>(
    _ found: StoredItem<Item>, _ kind: PasswordKind, _ place: String, _ account: String, _ label: String?,
    detail: String?
  ) {
    self.kind = kind
    group = found.accessGroup
    reference = ItemReference(found.reference)?.path ?? ""
    self.place = place
    self.account = account
    self.label = label
    self.detail = detail
    created = found.created
    modified = found.modified
    writer = found.writer
    hasConflict = found.hasConflict
    item = found.item
  }

  /// The reference by which files and other commands name the password; nil if service and account are empty.
  var secretReference: SecretReference? {
    place.isEmpty && account.isEmpty ? nil : SecretReference(group: group, service: place, account: account)
  }

  /// Returns the value; nil if the item was deleted in the meantime.
  func value(in vault: Vault) throws(VaultError) -> Data? { try vault.value(for: item, in: group) }

  /// Deletes the item.
  func delete(from vault: Vault) throws(VaultError) { try vault.delete(item, in: group) }

  /// Replaces the value and, unless it is nil, the label. Returns the versions that this sets aside because they were
  /// in conflict, in words. Throws `itemChanged` if the item was deleted in the meantime.
  func replace(value: Data, label: String?, in vault: Vault) throws -> [String] {
    try Self.replace(item, in: group, value, label, in: vault)
  }

  private static func replace<Item: KeychainItem>(
    _ item: Item, in group: String, _ value: Data, _ label: String?, in vault: Vault
  ) throws -> [String] {
    var superseded: [ItemVersion<Item>] = []
    try vault.transaction {
      superseded = try vault.versionsInConflict(of: item, in: group)
      let isFound = try vault.update(item, in: group, value: value) { (new) throws(VaultError) in
        if let label { new.label = label }
      }
      guard isFound else {
        throw VaultError(
          .itemChanged, "the item was deleted in the meantime; nothing was changed",
          recoverySuggestion: "list the items with: coffer list")
      }
    }
    return superseded.map(VersionText.words)
  }
}
