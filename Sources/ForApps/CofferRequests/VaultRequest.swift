package import Coffer
internal import CofferCrypto
internal import CofferPlatform
package import CofferVault

/// What an app asks of its vault. A vault in this process answers it, or the broker outside of the app's sandbox: both
/// by ``Coffer/Vault/answer(_:value:)``.
///
/// No request and no answer contains a value: values are bytes beside them, which are wiped.
package struct VaultRequest: Codable, Sendable {
  package enum Kind: String, Codable, Sendable {
    case status, unlock, lock, enforcement, groups
    case find, read, write, delete, versions, version
    case buyer, redeem, receipt
    /// Answered at once, and then by one byte for each change.
    case watch
  }

  package let kind: Kind
  package var service: String?
  package var account: String?
  package var label: String?
  package var group: String?
  /// The receipt to redeem, or the identifier of a version.
  package var text: String?

  package init(
    _ kind: Kind, service: String? = nil, account: String? = nil, label: String? = nil, group: String? = nil,
    text: String? = nil
  ) {
    self.kind = kind
    self.service = service
    self.account = account
    self.label = label
    self.group = group
    self.text = text
  }
}

/// An access group, an item or a version of an item.
package struct VaultRow: Codable, Sendable {
  package let group: String
  package var service: String?
  package var account: String?
  package var label: String?
  package var application: String?
  package var device: String?
  /// In microseconds since 1970.
  package var created: Int64?
  package var modified: Int64?
  package var hasConflict: Bool?
  package var isCurrent: Bool?
  package var isDeletion: Bool?
  package var isWritable: Bool?
  /// The identifier of a version.
  package var version: String?

  init(_ group: Vault.AccessGroup) {
    self.group = group.name
    isWritable = group.isWritable
  }

  init(_ stored: StoredItem<GenericPassword>) {
    self.init(stored.item, stored.accessGroup, stored.writer)
    created = microseconds(stored.created)
    modified = microseconds(stored.modified)
    hasConflict = stored.hasConflict
    isCurrent = true
    isDeletion = false
  }

  init(_ version: ItemVersion<GenericPassword>) {
    self.init(version.item, version.accessGroup, version.writer)
    modified = microseconds(version.written)
    isCurrent = version.isCurrent
    isDeletion = version.isDeletion
    self.version = version.identifier
  }

  private init(_ item: GenericPassword?, _ group: String, _ writer: ItemWriter) {
    self.group = group
    service = item?.service
    account = item?.account
    label = item?.label
    application = writer.application
    device = writer.device
  }
}

private func microseconds(_ date: Date) -> Int64 { Int64((date.timeIntervalSince1970 * 1_000_000).rounded()) }

/// The answer to a request.
package struct VaultAnswer: Codable, Sendable {
  package var rows: [VaultRow] = []
  package var damagedCount = 0
  /// Whether the vault is locked, an item was deleted or a receipt counts.
  package var flag = false
  package var enforcement: AppEnforcement?

  package init() {}
}

extension Vault {
  /// Answers a request.
  ///
  /// - Parameters:
  ///   - request: The request; `watch` is answered by whoever sends the changes.
  ///   - value: The value to write. Replaced by the value that was read; nil if there is none.
  /// - Returns: The answer.
  /// - Throws: The errors of the vault's calls, and `invalidArgument` for a request that names no item.
  package func answer(_ request: VaultRequest, value: inout [UInt8]?) throws(VaultError) -> VaultAnswer {
    var given = value
    value = nil
    defer { given?.wipe() }
    var answer = VaultAnswer()
    switch request.kind {
    case .status: answer.flag = isLocked
    case .unlock: try unlock()
    case .lock: lock()
    case .enforcement: answer.enforcement = try enforcement
    case .groups: answer.rows = try accessGroups.map { VaultRow($0) }
    case .find:
      var query = ItemQuery<GenericPassword>(in: request.group)
      if let service = request.service { query = query.matching(.service, service) }
      if let account = request.account { query = query.matching(.account, account) }
      let found = try list(query)
      answer.rows = found.items.map { VaultRow($0) }
      answer.damagedCount = found.damaged.count
    case .read: value = try bytes(for: request.item, in: request.group)
    case .write: try set(given ?? [], for: request.item, in: request.group)
    case .delete: answer.flag = try delete(request.item, in: request.group)
    case .versions:
      let history = try history(of: request.item, in: request.group)
      answer.rows = history.versions.map { VaultRow($0) }
      answer.damagedCount = history.damaged.count
    case .version:
      let history = try history(of: request.item, in: request.group)
      guard let version = history.versions.first(where: { $0.identifier == request.text }) else {
        throw VaultError(
          .itemNotFound, "this machine no longer keeps the version", recoverySuggestion: "list the versions again")
      }
      value = try self.value(of: version)?.secretBytes
    case .buyer: value = Array(try receiptBuyer.utf8)
    case .redeem: try redeem(request.text ?? "", for: request.item, in: request.group)
    case .receipt: answer.flag = try receipt(for: request.item, in: request.group) != nil
    case .watch: _ = try changedGroups(after: .max, in: request.group)
    }
    return answer
  }
}

extension VaultRequest {
  fileprivate var item: GenericPassword {
    get throws(VaultError) {
      guard let service, let account else {
        throw VaultError(
          .invalidArgument, "an item needs a service and an account", recoverySuggestion: "name both")
      }
      var item = GenericPassword(service: service, account: account)
      if let label { item.label = label }
      return item
    }
  }
}
