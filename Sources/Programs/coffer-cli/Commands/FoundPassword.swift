internal import Coffer
internal import CofferInspection
internal import CofferPlatform
internal import CofferVault

/// A stored password of one of the two classes.
enum FoundPassword {
  case generic(StoredItem<GenericPassword>)
  case `internet`(StoredItem<InternetPassword>)

  var kind: PasswordKind {
    switch self {
    case .generic: .generic
    case .internet: .internet
    }
  }

  /// The full name of its access group.
  var group: String {
    switch self {
    case .generic(let item): item.accessGroup
    case .internet(let item): item.accessGroup
    }
  }

  /// The reference by which commands name it.
  var reference: String {
    let reference =
      switch self {
      case .generic(let item): item.reference
      case .internet(let item): item.reference
      }
    return ItemReference(reference)?.path ?? ""
  }

  /// The service or the server.
  var place: String {
    switch self {
    case .generic(let item): item.item.service
    case .internet(let item): item.item.server
    }
  }

  var account: String {
    switch self {
    case .generic(let item): item.item.account
    case .internet(let item): item.item.account
    }
  }

  var label: String? {
    switch self {
    case .generic(let item): item.item.label
    case .internet(let item): item.item.label
    }
  }

  /// What tells internet passwords of one account apart: "IMAPS, port 993"; nil if there is nothing.
  var detail: String? {
    switch self {
    case .generic: nil
    case .internet(let item): item.item.detail
    }
  }

  var created: Date {
    switch self {
    case .generic(let item): item.created
    case .internet(let item): item.created
    }
  }

  var modified: Date {
    switch self {
    case .generic(let item): item.modified
    case .internet(let item): item.modified
    }
  }

  var writer: ItemWriter {
    switch self {
    case .generic(let item): item.writer
    case .internet(let item): item.writer
    }
  }

  var hasConflict: Bool {
    switch self {
    case .generic(let item): item.hasConflict
    case .internet(let item): item.hasConflict
    }
  }

  /// Returns the value; nil if the item was deleted in the meantime.
  func value(in vault: Vault) throws(VaultError) -> Data? {
    switch self {
    case .generic(let item): try vault.value(for: item.item, in: group)
    case .internet(let item): try vault.value(for: item.item, in: group)
    }
  }

  /// Deletes the item.
  func delete(from vault: Vault) throws(VaultError) {
    switch self {
    case .generic(let item): try vault.delete(item.item, in: group)
    case .internet(let item): try vault.delete(item.item, in: group)
    }
  }

  /// Replaces the value and, unless it is nil, the label. Returns the versions that this sets aside because they were
  /// in conflict, in words. Throws `itemChanged` if the item was deleted in the meantime.
  func replace(value: Data, label: String?, in vault: Vault) throws -> [String] {
    switch self {
    case .generic(let item): try Self.replace(item, value, label, in: vault)
    case .internet(let item): try Self.replace(item, value, label, in: vault)
    }
  }

  private static func replace<Item: KeychainItem>(
    _ item: StoredItem<Item>, _ value: Data, _ label: String?, in vault: Vault
  ) throws -> [String] {
    var superseded: [ItemVersion<Item>] = []
    try vault.transaction {
      superseded = try vault.versionsInConflict(of: item.item, in: item.accessGroup)
      let isFound = try vault.update(item.item, in: item.accessGroup, value: value) { (new) throws(VaultError) in
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
