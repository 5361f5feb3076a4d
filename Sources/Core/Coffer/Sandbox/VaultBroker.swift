internal import CSandbox
internal import CofferCrypto
package import CofferFormat
package import CofferVault

/// What the broker outside of this process's sandbox does in the place of a vault's store and keys.
package protocol VaultBroker: AnyObject, Sendable {
  /// The app's full identifier, as it was in the last status.
  var application: String? { get }
  var status: BrokeredStatus { get throws(VaultError) }
  func unlock(_ passphrase: [UInt8]?, lockAfter: Duration?) throws(VaultError)
  func lock()

  func write(_ draft: ItemDraft, in group: String?, replacing: Bool) throws(VaultError) -> StoredDraft
  func find(
    _ search: ItemSearch, withValues: Bool, in scope: SearchScope, damaged: ((VaultError) -> Void)?
  ) throws(VaultError) -> [FoundItem]
  func delete(_ search: ItemSearch) throws(VaultError) -> Int
  /// Changes or deletes items, as ``Vault/apply(_:values:movingTo:)``.
  func apply(_ changes: [ItemChange], values: [UInt8], movingTo group: String?) throws(VaultError) -> Int

  func history(of search: ItemSearch) throws(VaultError) -> (versions: [FoundVersion], damaged: [VaultError])
  func conflicts(of itemClass: ItemClass, in group: String?) throws(VaultError) -> [[FoundVersion]]
  func version(_ hash: RecordHash, in group: GroupID) throws(VaultError) -> FoundItem?
  func restore(_ hash: RecordHash, in group: GroupID) throws(VaultError)

  var receiptBuyer: String { get throws(VaultError) }
  func redeem(_ text: String, for item: GenericPassword, in group: String?) throws(VaultError) -> Receipt
  func receipt(for item: GenericPassword, in group: String?) throws(VaultError) -> Receipt?

  func changedGroups(
    after position: Int64, in group: String?
  ) throws(VaultError) -> (groups: [String], position: Int64)
  /// Calls `notify` after changes in a group, or in all groups, until the result is released.
  func watch(_ group: String?, _ notify: @escaping @Sendable () -> Void) throws(VaultError) -> any AnyObject & Sendable
}

/// A vault as its app sees it, also while it is locked.
package struct BrokeredStatus: Codable, Sendable {
  let vault: VaultID
  package let application: String?
  package let isLocked: Bool
  let groups: [String]
  let writableGroups: Set<String>
  let defaultGroup: String?
  let enforcement: AppEnforcement

  package init(of vault: Vault) throws(VaultError) {
    let groups = try vault.accessGroups
    self.vault = vault.id
    application = vault.applicationIdentifier
    isLocked = vault.isLocked
    self.groups = groups.map(\.name)
    writableGroups = Set(groups.filter(\.isWritable).map(\.name))
    defaultGroup = try vault.defaultAccessGroup
    enforcement = try vault.enforcement
  }
}

extension Vault {
  /// Opens the user's vault through the broker, which identifies this app by its sandbox.
  package static func open(through broker: any VaultBroker) throws(VaultError) -> Vault {
    let status = try broker.status
    // The store and the keys of this process have nothing of the vault, and no call reaches them.
    let source = EntitlementsSource.bytes(EntitlementsSource.ownGroup)
    let empty = try MemoryVault.create(passphrase: nil, for: source, MemorySettings([:])).open(source)
    return Vault(
      local: empty.local, id: status.vault, author: empty.author, memory: empty.memory, broker: broker
    ) { (_) throws(VaultError) in throw SandboxedApp.unavailable }
  }

  /// Updates items through the broker. Nothing is locked while `change` runs, and it runs again if one of the items was
  /// changed meanwhile.
  func update(
    through broker: any VaultBroker, _ search: ItemSearch, withValues: Bool, movingTo group: String?,
    _ change: (FoundItem, inout ItemDraft) throws -> Void
  ) throws -> Int {
    try apply(through: broker, movingTo: group) {
      var (changes, values): ([ItemChange], [UInt8]) = ([], [])
      for item in try list(search, withValues: withValues, in: .writable) {
        var draft = ItemDraft(itemClass: item.itemClass, attributes: item.attributes, value: item.value ?? [])
        try change(item, &draft)
        try Self.checkLimits(of: draft)
        let isKept = draft.value == item.value
        changes.append(item.change(to: draft.attributes, valueByteCount: isKept ? nil : draft.value.count))
        if !isKept { values += draft.value }
      }
      return (changes, values)
    }
  }

  /// Deletes items through the broker, and finds them again if one of them was changed meanwhile.
  func delete(through broker: any VaultBroker, _ find: () throws -> [FoundItem]) throws(VaultError) -> Int {
    try translatingErrors { try apply(through: broker) { (try find().map { $0.change(to: nil) }, []) } }
  }

  private func apply(
    through broker: any VaultBroker, movingTo group: String? = nil, attempts: Int = 5,
    _ find: () throws -> (changes: [ItemChange], values: [UInt8])
  ) throws -> Int {
    var (changes, values) = try find()
    defer { values.wipe() }
    do throws(VaultError) {
      return try broker.apply(changes, values: values, movingTo: group)
    } catch {
      guard error.code == .itemChanged, attempts > 1 else { throw error }
      return try apply(through: broker, movingTo: group, attempts: attempts - 1, find)
    }
  }
}

extension SandboxedApp {
  /// The connection of this process with the broker; nil outside of a Flatpak, and in a program without the product
  /// CofferSandbox.
  static var brokerOfThisProcess: (any VaultBroker)? {
    guard isThisProcess, let pointer = unsafe coffer_make_broker_connection() else { return nil }
    return unsafe Unmanaged<AnyObject>.fromOpaque(pointer).takeRetainedValue() as? any VaultBroker
  }

  /// The error of a call that needs the vault's store or keys.
  static let unavailable = VaultError(
    .notEntitled, "this call is not available to an app in a sandbox",
    recoverySuggestion: "use calls that read or change items one after the other, without a transaction")
}
