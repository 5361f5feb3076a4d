internal import CofferCrypto
package import CofferFormat
internal import CofferKeys
public import CofferPlatform
internal import CofferTrust
internal import CofferVault

/// Calls that name one item. Each has a synchronous form, which blocks the thread while it waits for the disk, and an
/// asynchronous form (`await`), which does not.
extension Vault {
  /// The maximum size of an item's value: 16 MiB, in bytes.
  public static let maximumValueByteCount = Limits.valueByteCount

  // MARK: Writing

  /// Adds an item. The item is on disk when the call returns. Every item syncs, unless its accessibility ends in
  /// `ThisDeviceOnly`.
  ///
  /// - Parameters:
  ///   - value: The secret, at most ``maximumValueByteCount`` bytes.
  ///   - item: The item's names and attributes, each at most 1 MiB.
  ///   - accessGroup: The access group to write to: its full name, its name with `$(AppIdentifierPrefix)`, or its name
  ///     without a prefix. If nil, the app's default group.
  /// - Returns: A reference that identifies the item from now on.
  /// - Throws: ``VaultError``: `duplicateItem` if an item with the same primary key exists in the group; `notEntitled`;
  ///   `locked`; `invalidArgument` if a limit is exceeded; `upgradeNeeded` if a newer
  ///   version of Coffer has changed the membership; `diskFull`, `readOnly` or `io` if it cannot be written.
  ///   Nothing has changed then.
  @discardableResult
  public func add<Item: KeychainItem>(
    _ value: some SecretValue, for item: Item, in accessGroup: String? = nil
  ) throws(VaultError) -> PersistentReference {
    let draft = ItemDraft(itemClass: Item.itemClass, attributes: item._fields.attributes, value: value.secretBytes)
    return PersistentReference(Item.itemClass, identifier: try add(draft, in: accessGroup).attributes.identifier)
  }

  /// Adds an item, or replaces the value of an existing one, in one step. Stored attributes that `item` does not set
  /// are kept.
  ///
  /// - Parameters:
  ///   - value: The secret, at most ``maximumValueByteCount`` bytes.
  ///   - item: The item's names and attributes, each at most 1 MiB.
  ///   - accessGroup: The access group to write to: its full name, its name with `$(AppIdentifierPrefix)`, or its name
  ///     without a prefix. If nil, the app's default group.
  /// - Returns: A reference that identifies the item from now on.
  /// - Throws: ``VaultError``: `notEntitled`; `locked`, also if the value is protected by an application password;
  ///   `invalidArgument`; `diskFull`, `readOnly` or `io`. Nothing has changed then.
  @discardableResult
  public func set<Item: KeychainItem>(
    _ value: some SecretValue, for item: Item, in accessGroup: String? = nil
  ) throws(VaultError) -> PersistentReference {
    let draft = ItemDraft(itemClass: Item.itemClass, attributes: item._fields.attributes, value: value.secretBytes)
    return PersistentReference(
      Item.itemClass, identifier: try add(draft, in: accessGroup, replacing: true).attributes.identifier)
  }

  /// Changes an item's attributes, which may include its primary key, and keeps its value. Without an access group, the
  /// item is changed in each group that the app may write.
  ///
  /// - Parameters:
  ///   - item: The item, by its primary key, which includes `isSynchronizable`.
  ///   - accessGroup: The access group to search; every group that the app may write if nil.
  ///   - newGroup: The access group to move the item to; nil leaves it in its group.
  ///   - change: Receives the stored item and changes it. An attribute that is set to nil is removed.
  /// - Returns: False if the item does not exist.
  /// - Throws: ``VaultError``: `duplicateItem` if another item has the new primary key; `notEntitled`; `locked`;
  ///   `integrity`; the errors of writing; and what `change` throws. Nothing has changed then.
  @discardableResult
  public func update<Item: KeychainItem>(
    _ item: Item, in accessGroup: String? = nil, movingTo newGroup: String? = nil,
    _ change: (inout Item) throws(VaultError) -> Void = { (_) throws(VaultError) in }
  ) throws(VaultError) -> Bool {
    try update(ItemQuery<Item>(in: accessGroup).naming(item), movingTo: newGroup, change) > 0
  }

  /// Changes an item's value and, if needed, its attributes, which may include its primary key. Without an access
  /// group, the item is changed in each group that the app may write.
  ///
  /// - Parameters:
  ///   - item: The item, by its primary key, which includes `isSynchronizable`.
  ///   - accessGroup: The access group to search; every group that the app may write if nil.
  ///   - value: The new value, at most ``maximumValueByteCount`` bytes.
  ///   - newGroup: The access group to move the item to; nil leaves it in its group.
  ///   - change: Receives the stored item and changes it. An attribute that is set to nil is removed.
  /// - Returns: False if the item does not exist.
  /// - Throws: ``VaultError``: `duplicateItem` if another item has the new primary key; `notEntitled`; `locked`, also
  ///   if the value is protected by an application password; `integrity`; the errors of writing; and what `change`
  ///   throws. Nothing has changed then.
  @discardableResult
  public func update<Item: KeychainItem>(
    _ item: Item, in accessGroup: String? = nil, value: some SecretValue, movingTo newGroup: String? = nil,
    _ change: (inout Item) throws(VaultError) -> Void = { (_) throws(VaultError) in }
  ) throws(VaultError) -> Bool {
    try update(ItemQuery<Item>(in: accessGroup).naming(item), value: value, movingTo: newGroup, change) > 0
  }

  /// Deletes an item.
  ///
  /// Name the access group if several may have the item. Without one, the item is deleted from every group that the app
  /// may write, as `SecItemDelete` does, also from groups that it shares with other apps; groups that it may only read
  /// are skipped. The command `coffer delete` differs: it refuses an item that several groups have, and one that the
  /// app may only read.
  ///
  /// - Parameters:
  ///   - item: The item, by its primary key, which includes `isSynchronizable`.
  ///   - accessGroup: The access group to delete from. If nil, every group that the app may write.
  /// - Returns: False if the item does not exist.
  /// - Throws: ``VaultError``: `notEntitled`, `locked`, and the errors of writing. Nothing has changed then.
  @discardableResult
  public func delete<Item: KeychainItem>(_ item: Item, in accessGroup: String? = nil) throws(VaultError) -> Bool {
    try delete(ItemQuery<Item>(in: accessGroup).naming(item)) > 0
  }

  // MARK: Reading

  /// Returns the value of an item as data, or nil if the item does not exist.
  ///
  /// User presence, as set by `kSecAttrAccessControl`, is checked by Keychain calls (`import Security`) only, not here.
  ///
  /// - Parameters:
  ///   - item: The item, by its primary key, which includes `isSynchronizable`.
  ///   - accessGroup: The access group to search. If nil, the app's groups are searched in order, and the first match
  ///     is returned.
  /// - Returns: The value, or nil.
  /// - Throws: ``VaultError``: `notEntitled` for a group that is not the app's; `locked`, also if the value is
  ///   protected by an application password, which only Keychain calls (`import Security`) ask for; `integrity` for a
  ///   damaged item.
  public func value<Item: KeychainItem>(for item: Item, in accessGroup: String? = nil) throws(VaultError) -> Data? {
    try bytes(for: item, in: accessGroup).map { Data($0) }
  }

  /// Returns the value of an item as text, or nil if the item does not exist.
  ///
  /// User presence, as set by `kSecAttrAccessControl`, is checked by Keychain calls (`import Security`) only, not here.
  ///
  /// - Parameters:
  ///   - item: The item, by its primary key, which includes `isSynchronizable`.
  ///   - accessGroup: The access group to search. If nil, the app's groups are searched in order, and the first match
  ///     is returned.
  /// - Returns: The text, or nil.
  /// - Throws: ``VaultError``: `integrity` if the value is not UTF-8 or the item is damaged; `notEntitled`; `locked`.
  public func string<Item: KeychainItem>(for item: Item, in accessGroup: String? = nil) throws(VaultError) -> String? {
    guard let bytes = try bytes(for: item, in: accessGroup) else { return nil }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw VaultError(.integrity, "the value is not UTF-8 text", recoverySuggestion: "read it as data")
    }
    return text
  }

  /// Returns the value of an item as bytes, or nil if the item does not exist.
  ///
  /// User presence, as set by `kSecAttrAccessControl`, is checked by Keychain calls (`import Security`) only, not here.
  ///
  /// - Parameters:
  ///   - item: The item, by its primary key, which includes `isSynchronizable`.
  ///   - accessGroup: The access group to search. If nil, the app's groups are searched in order, and the first match
  ///     is returned.
  /// - Returns: The value, or nil.
  /// - Throws: ``VaultError``: `notEntitled`; `locked`, also if the value is protected by an application password;
  ///   `integrity` for a damaged item.
  public func bytes<Item: KeychainItem>(for item: Item, in accessGroup: String? = nil) throws(VaultError) -> [UInt8]? {
    try checkValuesMayLeave()
    return try bytesToCompare(for: item, in: accessGroup)
  }

  /// Returns the value of an item, as ``bytes(for:in:)``, to a caller that compares it and shows it to nobody.
  package func bytesToCompare<Item: KeychainItem>(
    for item: Item, in accessGroup: String? = nil
  ) throws(VaultError) -> [UInt8]? {
    let itemClass = Item.itemClass
    if let broker {
      let search = ItemQuery<Item>(in: accessGroup).naming(item).search
      let found = try broker.find(search, withValues: true, in: .firstGroup, damaged: nil).first
      guard let found, let value = found.value else { return nil }
      if ProtectedValue.isKind(of: value) { try found.attributes.checkNotPasswordProtected() }
      return value
    }
    return try notingMiss { reader, context in
      for group in try context.groups(named: accessGroup) {
        let keys = try context.keyring.currentKeys(of: group.registered)
        let id = keys.itemID(
          itemClass, isSynchronizable: item.isSynchronizable, attributes: item._fields.attributes)
        guard let heads = try context.heads(of: id, in: group, reader, withValues: true), heads.isLive else { continue }
        let (attributes, value) = try context.contents(of: heads.winner, in: group, withValue: true)
        if let value, ProtectedValue.isKind(of: value) { try attributes.checkNotPasswordProtected() }
        return value
      }
      return nil
    }
  }

  /// Returns an item without its value: all attributes, dates and the verified writer. Returns nil if the item does not
  /// exist.
  ///
  /// - Parameters:
  ///   - item: The item, by its primary key, which includes `isSynchronizable`.
  ///   - accessGroup: The access group to search. If nil, the app's groups are searched in order, and the first match
  ///     is returned.
  /// - Returns: The item, or nil.
  /// - Throws: ``VaultError``: `notEntitled`, `locked`, `integrity`.
  public func storedItem<Item: KeychainItem>(
    for item: Item, in accessGroup: String? = nil
  ) throws(VaultError) -> StoredItem<Item>? {
    let search = ItemQuery<Item>(in: accessGroup).naming(item).search
    return try find(search, withValues: false, in: .firstGroup).first.map { StoredItem($0) }
  }

  /// Returns whether an item exists. Its value is not opened.
  ///
  /// - Parameters:
  ///   - item: The item, by its primary key, which includes `isSynchronizable`.
  ///   - accessGroup: The access group to search; all of the app's groups if nil.
  /// - Returns: Whether the item exists.
  /// - Throws: ``VaultError``: `notEntitled`, `locked`, `integrity`.
  public func contains<Item: KeychainItem>(_ item: Item, in accessGroup: String? = nil) throws(VaultError) -> Bool {
    try storedItem(for: item, in: accessGroup) != nil
  }
}

extension ItemSearch {
  /// Returns the attributes of an item's primary key, completed by defaults.
  package static func primaryKey<Item: KeychainItem>(of item: Item) -> ItemAttributes {
    item._fields.attributes.only(Set(Item.itemClass.primaryKey)).completingPrimaryKey(of: Item.itemClass)
  }
}

extension ItemQuery {
  /// Restricts the query to the primary key of `item`.
  package func naming(_ item: Item) -> Self {
    var query = self
    query.search.attributes = ItemSearch.primaryKey(of: item)
    query.search.synchronizable = .only(item.isSynchronizable)
    return query
  }
}

/// Values of any `Codable` type. They are stored as JSON, so that programs in other languages can read them.
extension Vault {
  /// Adds an item, or replaces the value of an existing one, with a value that is encoded as JSON.
  ///
  /// - Parameters:
  ///   - value: The value. As JSON it has at most ``maximumValueByteCount`` bytes.
  ///   - item: The item's names and attributes.
  ///   - accessGroup: The access group to write to; the app's default group if nil.
  /// - Returns: A reference that identifies the item from now on.
  /// - Throws: ``VaultError``: `invalidArgument` if the value cannot be encoded as JSON, and the errors of
  ///   ``set(_:for:in:)``.
  @discardableResult
  public func set<Item: KeychainItem>(
    encoding value: some Encodable, for item: Item, in accessGroup: String? = nil
  ) throws(VaultError) -> PersistentReference {
    try set(Self.encode(value), for: item, in: accessGroup)
  }

  /// Returns the value of an item, decoded from JSON, or nil if the item does not exist.
  ///
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - item: The item, by its primary key.
  ///   - accessGroup: The access group to search. If nil, the app's groups are searched in order, and the first match
  ///     is returned.
  /// - Returns: The value, or nil.
  /// - Throws: ``VaultError``: `integrity` if the value cannot be decoded as `type`, and the errors of
  ///   ``value(for:in:)``.
  public func value<Item: KeychainItem, Value: Decodable>(
    _ type: Value.Type, for item: Item, in accessGroup: String? = nil
  ) throws(VaultError) -> Value? {
    guard let data = try value(for: item, in: accessGroup) else { return nil }
    return try Self.decode(type, from: data)
  }

  static func encode(_ value: some Encodable) throws(VaultError) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return try encoder.encode(value)
    } catch {
      // Foundation's error may contain the value.
      throw VaultError(
        .invalidArgument, "a value of type \(type(of: value)) cannot be encoded as JSON",
        recoverySuggestion: "check that numbers are finite and that its encode(to:) does not throw")
    }
  }

  static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws(VaultError) -> Value {
    do {
      return try JSONDecoder().decode(type, from: data)
    } catch {
      throw VaultError(
        .integrity, "the value of the item cannot be decoded from JSON as \(type)",
        recoverySuggestion: "read it as data, or as the type that it was written as")
    }
  }
}

extension ItemAttributes {
  /// Throws `locked` if the item's value is protected by an application password (`kSecAttrAccessControl`): the stored
  /// bytes are not the value then, and a plain write would remove the protection.
  func checkNotPasswordProtected() throws(VaultError) {
    guard isPasswordProtected else { return }
    throw VaultError(
      .locked, "the value is protected by an application password",
      recoverySuggestion:
        "read and write it with Keychain's calls (import Security), which ask for it; for a new value without the password, "
        + "delete the item (coffer delete SERVICE ACCOUNT), and then set it")
  }
}
