internal import CofferCrypto
internal import CofferFormat
internal import CofferTrust
public import Foundation

/// Items by their names. Each call has a form that waits without blocking (`await`), and a synchronous one for scripts, `main` and
/// threads of one's own.
extension Vault {
  /// The largest value that an item holds, in bytes: 16 MiB.
  public static let maximumValueByteCount = Limits.valueByteCount

  // MARK: Writing

  /// Adds an item where there is none.
  ///
  /// - Parameters:
  ///   - value: The secret, at most ``maximumValueByteCount`` bytes.
  ///   - item: Its names and attributes, each at most 1 MiB.
  ///   - accessGroup: An access group by its full name, by `$(AppIdentifierPrefix)` and the rest, or without the prefix; the
  ///     app's default group where nil.
  /// - Returns: What names the item from now on.
  /// - Throws: ``VaultError``: `duplicateItem` where there is one with the same primary key; `notEntitled`; `locked`; `diskFull`
  ///   and others of writing. Nothing has changed then; otherwise the item is on disk when this returns.
  @discardableResult
  public func add<Item: KeychainItem>(
    _ value: some SecretValue, for item: Item, in accessGroup: String? = nil
  ) throws(VaultError) -> PersistentReference {
    try writing { writer, context in
      let draft = ItemDraft(
        itemClass: Item.itemClass, attributes: item.fields.attributes, value: value.secretBytes)
      let stored = try context.upsert(draft, in: context.writableGroup(named: accessGroup), writer)
      return PersistentReference(Item.itemClass, identifier: stored.identifier)
    }
  }

  /// Sets an item, whether there is one or not, in one step. Attributes that `item` does not have stay as they are.
  ///
  /// Parameters and errors as in ``add(_:for:in:)``, but for `duplicateItem`.
  @discardableResult
  public func set<Item: KeychainItem>(
    _ value: some SecretValue, for item: Item, in accessGroup: String? = nil
  ) throws(VaultError) -> PersistentReference {
    try writing { writer, context in
      let fresh = item.fields.attributes
      let draft = ItemDraft(itemClass: Item.itemClass, attributes: fresh, value: value.secretBytes)
      let stored = try context.upsert(draft, in: context.writableGroup(named: accessGroup), writer) { existing in
        try existing.checkValueIsFree()
        return ItemAttributes(existing.values.merging(fresh.values) { _, new in new })
      }
      return PersistentReference(Item.itemClass, identifier: stored.identifier)
    }
  }

  /// Changes an item's attributes, and its value where one is given; also those of its primary key.
  ///
  /// - Parameters:
  ///   - value: The new value; nil keeps the old one.
  ///   - newGroup: The group to move it to; nil leaves it where it is.
  ///   - change: Gets the stored item and changes it: what it sets to nil is taken away.
  /// - Returns: False where there was none.
  /// - Throws: ``VaultError``: `duplicateItem` where another item has the new primary key, and as ``add(_:for:in:)``; and
  ///   whatever `change` throws. Nothing has changed then.
  @discardableResult
  public func update<Item: KeychainItem>(
    _ item: Item, in accessGroup: String? = nil, value: (some SecretValue)? = [UInt8]?.none, movingTo newGroup: String? = nil,
    _ change: (inout Item) throws(VaultError) -> Void = { (_) throws(VaultError) in }
  ) throws(VaultError) -> Bool {
    try update(
      ItemQuery<Item>(in: accessGroup).naming(item), value: value, movingTo: newGroup, change) > 0
  }

  /// Deletes an item.
  ///
  /// - Parameter accessGroup: As in ``add(_:for:in:)``; every group that the app may write where nil.
  /// - Returns: False where there was none.
  @discardableResult
  public func delete<Item: KeychainItem>(_ item: Item, in accessGroup: String? = nil) throws(VaultError) -> Bool {
    try delete(ItemQuery<Item>(in: accessGroup).naming(item)) > 0
  }

  // MARK: Reading

  /// The value of an item; nil where there is none.
  ///
  /// - Parameter accessGroup: As in ``add(_:for:in:)``; all of the app's groups in order where nil, the first that has it.
  /// - Throws: ``VaultError``: `notEntitled` for a group that is not the app's; `locked`, also for a value under a password of its
  ///   app's, which Keychain calls (`import Security`) ask for; `integrity` for an item that was altered.
  public func value<Item: KeychainItem>(for item: Item, in accessGroup: String? = nil) throws(VaultError) -> Data? {
    try bytes(for: item, in: accessGroup).map { Data($0) }
  }

  /// The value of an item as text; nil where there is none.
  ///
  /// - Throws: As ``value(for:in:)``, and `integrity` where the value is no UTF-8.
  public func string<Item: KeychainItem>(for item: Item, in accessGroup: String? = nil) throws(VaultError) -> String? {
    guard let bytes = try bytes(for: item, in: accessGroup) else { return nil }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw VaultError(.integrity, "the value is no text", mend: "read it as data")
    }
    return text
  }

  /// The value of an item as bytes; nil where there is none. Errors as in ``value(for:in:)``.
  public func bytes<Item: KeychainItem>(for item: Item, in accessGroup: String? = nil) throws(VaultError) -> [UInt8]? {
    let attributes = ItemSearch.primaryKey(of: item)
    return try reading { reader, context in
      for group in try context.groups(named: accessGroup) {
        let keys = try context.keyring.currentKeys(of: group.registered)
        let id = keys.itemID(Item.itemClass, isSynchronizable: item.isSynchronizable, attributes: attributes)
        guard let heads = try context.heads(of: id, in: group, reader, withValues: true), heads.isLive else { continue }
        let sealing = try context.keyring.keys(for: heads.winner.header, of: group.registered)
        let value: [UInt8]
        let attributes: ItemAttributes?
        do throws(FormatError) {
          value = try heads.winner.value(with: sealing)
          attributes = ProtectedValue.isKind(of: value) ? try heads.winner.attributes(with: sealing) : nil
        } catch {
          throw AccessContext.damaged(error.description, in: group)
        }
        try attributes?.checkValueIsFree()
        return value
      }
      return nil
    }
  }

  /// What is known of an item beside its value: all attributes, dates, verified writer; nil where there is none.
  public func attributes<Item: KeychainItem>(
    of item: Item, in accessGroup: String? = nil
  ) throws(VaultError) -> StoredItem<Item>? {
    try first(ItemQuery<Item>(in: accessGroup).naming(item))
  }

  /// True where there is such an item. Its value stays closed.
  public func contains<Item: KeychainItem>(_ item: Item, in accessGroup: String? = nil) throws(VaultError) -> Bool {
    try attributes(of: item, in: accessGroup) != nil
  }
}

extension ItemSearch {
  /// The attributes of an item's primary key, completed.
  static func primaryKey<Item: KeychainItem>(of item: Item) -> ItemAttributes {
    item.fields.attributes.only(Set(Item.itemClass.primaryKey)).completingPrimaryKey(of: Item.itemClass)
  }
}

extension ItemQuery {
  /// Only the item with this one's primary key.
  func naming(_ item: Item) -> Self {
    var query = self
    query.search.attributes = ItemSearch.primaryKey(of: item)
    query.search.synchronizable = .only(item.isSynchronizable)
    return query
  }
}
