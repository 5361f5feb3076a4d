package import CofferFormat
internal import CofferKeys
internal import CofferStore
internal import CofferTrust
internal import CofferVault

/// The untyped form of the item calls, for the Security module, which has dictionaries of attributes.
extension Vault {
  /// Adds an item with defaults for missing attributes. Returns the attributes as they are stored, and the full name of
  /// the group. If an item with the same primary key exists, throws `duplicateItem`, or replaces its value and those of
  /// its attributes that the draft has.
  package func add(
    _ draft: ItemDraft, in group: String?, replacing: Bool = false
  ) throws(VaultError) -> (attributes: ItemAttributes, group: String) {
    if let broker { return try broker.write(draft, in: group, replacing: replacing) }
    return try writing { writer, context in
      let group = try context.writableGroup(named: group)
      let merge = { (existing: ItemAttributes) in
        try existing.checkNotPasswordProtected()
        return existing.merging(draft.attributes)
      }
      return (try context.upsert(draft, in: group, writer, replacing: replacing ? merge : nil), group.name)
    }
  }

  /// Throws `invalidArgument` if the value or the attributes of a draft exceed the limits of an item.
  package static func checkLimits(of draft: ItemDraft) throws(VaultError) { try AccessContext.check(draft) }

  /// Throws the error that adding such an item would throw: `duplicateItem` or `notEntitled`.
  package func checkAddable(
    _ itemClass: ItemClass, _ attributes: ItemAttributes, in group: String?
  ) throws(VaultError) {
    // A prompt more in a sandbox: adding the item throws the same.
    if broker != nil { return }
    try reading { reader, context in
      let group = try context.writableGroup(named: group)
      let item = try context.keyring.currentKeys(of: group.registered)
        .itemID(itemClass, isSynchronizable: attributes.isSynchronizable, attributes: attributes)
      let heads = try context.heads(of: item, in: group, reader, withValues: false)
      if heads?.isLive == true { throw AccessContext.duplicate(in: group) }
    }
  }

  /// Returns all items that a search finds, oldest first. `damaged` receives the error of each damaged item; if it is
  /// nil, the first one is thrown. With `comparing`, the caller compares the values and shows them to nobody.
  package func find(
    _ search: ItemSearch, withValues: Bool, comparing: Bool = false, in scope: SearchScope = .all,
    damaged: ((VaultError) -> Void)? = nil
  ) throws(VaultError) -> [FoundItem] {
    if withValues && !comparing { try checkValuesMayLeave() }
    let found = try list(search, withValues: withValues, in: scope, damaged: damaged)
    if found.isEmpty, broker == nil { local.folder.noteMiss() }
    return found
  }

  /// Returns items as ``find(_:withValues:comparing:in:damaged:)``, to a caller that does not miss any if there is
  /// none.
  func list(
    _ search: ItemSearch, withValues: Bool = false, in scope: SearchScope = .all,
    damaged: ((VaultError) -> Void)? = nil
  ) throws(VaultError) -> [FoundItem] {
    if let broker { return try broker.find(search, withValues: withValues, in: scope, damaged: damaged) }
    return try reading { reader, context in
      let groups = try scope == .writable ? context.writableGroups(named: search.group) : nil
      guard scope == .firstGroup else {
        return try context.findAll(search, in: groups, reader, withValues: withValues, damaged: damaged)
      }
      for group in try context.groups(named: search.group) {
        let found = try context.findAll(search, in: [group], reader, withValues: withValues, damaged: damaged)
        if !found.isEmpty { return found }
      }
      return []
    }
  }

  /// Updates all items that a search finds, or none if an error is thrown, and returns their number. If `withValues` is
  /// false, `change` must set the value of each draft. `group` is the group to move the items to, as users write it;
  /// nil leaves them in their group. Other writers wait while `change` runs.
  package func update(
    _ search: ItemSearch, withValues: Bool, movingTo group: String?,
    _ change: (FoundItem, inout ItemDraft) throws -> Void
  ) throws -> Int {
    if let broker { return try update(through: broker, search, withValues: withValues, movingTo: group, change) }
    var thrown: (any Error)?
    do {
      return try writing { writer, context in
        try context.update(search, withValues: withValues, movingTo: group, writer) { found, draft in
          do {
            try change(found, &draft)
          } catch {
            thrown = error
            throw error
          }
        }
      }
    } catch {
      throw thrown ?? error
    }
  }

  /// Deletes all items that a search finds, or none if an error is thrown. Returns their number.
  package func delete(_ search: ItemSearch) throws(VaultError) -> Int {
    if let broker {
      guard !search.conditions.isEmpty else { return try broker.delete(search) }
      return try broker.apply(list(search, in: .writable).map { $0.change(to: nil) }, values: [], movingTo: nil)
    }
    return try writing { writer, context in try context.delete(search, writer) }
  }

  /// Changes or deletes items in the versions in which they were found, all or none, and returns their number. `values`
  /// are the new values, one after the other. Throws `itemChanged` if one of the items has another current version now.
  package func apply(
    _ changes: [ItemChange], values: [UInt8], movingTo name: String?
  ) throws(VaultError) -> Int {
    var values = values[...]
    return try writing { writer, context in
      let destination = try name.map { name throws(VaultError) in try context.writableGroup(named: name) }
      for change in changes {
        let (group, heads) = try context.heads(
          at: change.address, withValues: change.valueByteCount == nil, writer,
          whichMatch: { $0?.winner.hash == change.version })
        guard let attributes = change.attributes else {
          try context.writeTombstone(
            change.address.item, of: heads.winner.header.itemClass, over: heads, in: group, writer)
          continue
        }
        let old = try context.open(heads, in: group, withValue: change.valueByteCount == nil)
        guard 0...values.count ~= change.valueByteCount ?? 0 else {
          throw VaultError(.invalidArgument, "the values are incomplete", recoverySuggestion: "repeat the call")
        }
        let value = change.valueByteCount.map { Array(values.prefix($0)) } ?? old.value ?? []
        values = values.dropFirst(change.valueByteCount ?? 0)
        try context.replace(
          old, in: group, with: ItemDraft(itemClass: old.itemClass, attributes: attributes, value: value),
          in: destination ?? group, writer)
      }
      return changes.count
    }
  }
}

/// A change of an item that was found in one version.
package struct ItemChange: Codable, Sendable {
  let address: ItemAddress
  let version: RecordHash
  /// Nil deletes the item.
  let attributes: ItemAttributes?
  /// The number of bytes of the new value; nil keeps the value.
  let valueByteCount: Int?
}

extension FoundItem {
  func change(to attributes: ItemAttributes?, valueByteCount: Int? = nil) -> ItemChange {
    ItemChange(address: address, version: version, attributes: attributes, valueByteCount: valueByteCount)
  }
}

extension Vault {
  /// Throws the error that a call would throw because of its group, also while the vault is locked: before anybody is
  /// asked for a passphrase or a secret.
  package func check(_ use: GroupUse) throws(VaultError) {
    if use.isWrite {
      try translatingErrors { try local.store.read { try local.checkNotRevoked(author.device, in: $0) } }
    }
    _ = try LockedAccess(author, try local.publishedMembership(), TeamNaming(memory)).groups(for: use, in: local)
  }

  /// Returns the groups that have an item, also a damaged one, in the order in which they are searched.
  package func accessGroups<Item: KeychainItem>(
    containing item: Item, in accessGroup: String? = nil
  ) throws(VaultError) -> [AccessGroup] {
    let attributes = ItemSearch.primaryKey(of: item)
    return try reading { reader, context in
      try context.groups(named: accessGroup).filter { group in
        let id = try context.keyring.currentKeys(of: group.registered)
          .itemID(Item.itemClass, isSynchronizable: item.isSynchronizable, attributes: attributes)
        let (heads, damaged) = try context.replaceableHeads(of: id, in: group, reader)
        return damaged != nil || heads?.isLive == true
      }.map { AccessGroup(name: $0.name, isWritable: $0.access == .readWrite) }
    }
  }

  /// Deletes an item by its identifier, also one that has no name because its contents are damaged, and returns the
  /// full name of its group. Searches all of the caller's groups if `accessGroup` is nil. Throws `itemNotFound`,
  /// `notEntitled` for a group that may only be read, and `integrity` if no version of the item is intact here. Nothing
  /// has changed then.
  package func delete(_ item: ItemID, in accessGroup: String? = nil) throws(VaultError) -> String {
    try writing { writer, context in
      for group in try context.groups(named: accessGroup) {
        guard let heads = try context.heads(of: item, in: group, writer, withValues: false), heads.isLive else {
          continue
        }
        _ = try context.writableGroup(named: group.name)
        try context.writeTombstone(item, of: heads.winner.header.itemClass, over: heads, in: group, writer)
        return group.name
      }
      throw VaultError(
        .itemNotFound, "there is no item \(item) in the groups searched",
        recoverySuggestion: "list the items with: coffer list")
    }
  }
}

extension Vault {
  /// Returns the identifier of a group by a name as users write it. Throws `notEntitled` for a group that cannot be
  /// read.
  package func groupID(named name: String) throws(VaultError) -> GroupID {
    try reading { _, context in try context.group(named: name).id }
  }

  /// Returns the full names of the groups that can be searched: the named one, or all in their order. Throws
  /// `notEntitled` for a group that cannot be read.
  package func groupNames(_ name: String? = nil) throws(VaultError) -> [String] {
    try reading { _, context in try context.groups(named: name).map(\.name) }
  }
}

extension LockedAccess {
  /// Returns the groups that a call uses. Throws `notEntitled` if the owner would store an item in a deleted group: one
  /// that no app has any more, and in which nothing is left to change.
  func groups(for use: GroupUse, in local: LocalVault) throws(VaultError) -> [AccessibleGroup] {
    let groups = try groups(for: use)
    guard case .writing = use, case .admin = author.role, let group = groups.first,
      !membership.apps.values.contains(where: { $0.entitlements.access(to: group.registered.name) != nil }),
      try translatingErrors({ try local.store.read { try $0.itemCount(in: group.id) } }) == 0
    else { return groups }
    throw VaultError(
      .notEntitled, "no app of this vault has the access group \(group.name) any more",
      recoverySuggestion:
        "make it a group of your own again with: coffer group create \(membership.team.removed(from: group.name))")
  }
}
